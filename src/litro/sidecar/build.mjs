// Builds a project's components twice: for browsers (hashed files that share one Lit) and for this engine.
//
// It runs in a process of its own, which may write. An entry that fails is told with its file and line; the others are built.

import { existsSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { bringingTemplates, templatesOf } from "./templates.mjs";
import { files as onServer, urlOf } from "./vendored.mjs";

/** @typedef {typeof import("esbuild")} Esbuild */
/** @typedef {import("esbuild").BuildOptions} Options */
/** @typedef {{ name: string, file: string }} Entry A component, by its path below components/ without its suffix. */
/** @typedef {{ name: string, file: string, line: number | null, column: number | null, message: string }} Failure */
/**
 * @typedef {object} Request
 * @property {string} project The project's folder.
 * @property {Entry[]} entries
 * @property {string} out The folder to write into.
 * @property {boolean} minify
 */

const require = createRequire(import.meta.url);

const BUNDLER = fileURLToPath(new URL("../vendor/esbuild/lib/main.js", import.meta.url));

/** @type {Record<string, string>} */
const inBrowser = require("../vendor/browser/map.json");

/** @param {Request} request */
export async function answer({ project, entries, out, minify }) {
  const esbuild = bundler(project);
  try {
    const base = common(project);
    const templates = Object.fromEntries(entries.flatMap(({ name, file }) => own(name, templatesOf(file))));
    const modules = new Map(entries.flatMap(({ name, file }) => own(file, templates[name] ?? null)));
    const inBrowsers = /** @type {Options} */ ({
      ...base,
      platform: "browser",
      conditions: ["browser", minify ? "production" : "development"],
      plugins: [bringingTemplates(modules), vendored(inBrowser, (file) => `./${file}`)],
    });
    // FAST's classes are for browsers: of a FAST component, the engine has its templates.
    const inEngine = /** @type {Options} */ ({
      ...base,
      platform: "node",
      conditions: ["node"],
      plugins: [vendored(onServer, (_, specifier) => urlOf(specifier)), withoutFast],
    });
    const first = await sorted(esbuild, entries, inBrowsers);
    const forEngine = await sorted(esbuild, first.good.filter(({ name }) => !(name in templates)), inEngine);
    const good = first.good.filter((entry) => entry.name in templates || forEngine.good.includes(entry));
    const browser = await built(esbuild, good, {
      ...inBrowsers,
      outdir: join(out, "browser"),
      entryNames: "[name]-[hash]",
      minify,
      sourcemap: minify ? false : "inline",
    });
    const server = await built(esbuild, forEngine.good, {
      ...inEngine,
      outdir: join(out, "server"),
      entryNames: "[name]-[hash]",
      outExtension: { ".js": ".mjs" },
      // So that the stack of what fails names the component's own lines.
      sourcemap: "inline",
    });
    const failed = [...first.failed, ...forEngine.failed];
    const inputs = [...new Set([...browser.inputs, ...server.inputs])].filter((file) => !isWithin(join(project, "components"), file));
    return { ok: true, browser: browser.files, server: server.files, templates, failed, inputs };
  } finally {
    await esbuild.stop?.();
  }
}

/**
 * The project's own, native one, where it has one; it is the faster one, of the same interface.
 *
 * @param {string} project
 * @returns {Esbuild}
 */
export function bundler(project) {
  try {
    return createRequire(join(project, "package.json"))("esbuild");
  } catch {
    return require(BUNDLER);
  }
}

/** @param {string} project */
export function common(project) {
  const hasTypes = existsSync(join(project, "tsconfig.json"));
  return /** @type {import("esbuild").BuildOptions} */ ({
    absWorkingDir: project,
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    chunkNames: "shared-[hash]",
    legalComments: "inline",
    logLevel: "silent",
    metafile: true,
    // What Lit's decorators need, unless the project knows better.
    ...(hasTypes ? {} : { tsconfigRaw: { compilerOptions: { experimentalDecorators: true, useDefineForClassFields: false } } }),
  });
}

/**
 * Which entries can be built. Only where one cannot is each tried alone.
 *
 * @param {Esbuild} esbuild
 * @param {Entry[]} entries
 * @param {import("esbuild").BuildOptions} base
 * @returns {Promise<{ good: Entry[], failed: Failure[] }>}
 */
async function sorted(esbuild, entries, base) {
  /** @param {Entry[]} some */
  const tried = (some) => built(esbuild, some, { ...base, write: false, outdir: "unwritten" });
  try {
    await tried(entries);
    return { good: entries, failed: [] };
  } catch (error) {
    if (!isFailure(error)) throw error;
  }
  const good = [];
  /** @type {Failure[]} */
  const failed = [];
  for (const entry of entries) {
    try {
      await tried([entry]);
      good.push(entry);
    } catch (error) {
      if (!isFailure(error)) throw error;
      for (const { text, location } of error.errors) {
        const { file = entry.file, line = null, column = null } = location ?? {};
        failed.push({ name: entry.name, file, line, column, message: text });
      }
    }
  }
  return { good, failed };
}

/**
 * @param {unknown} error
 * @returns {error is import("esbuild").BuildFailure}
 */
export function isFailure(error) {
  return error instanceof Error && "errors" in error;
}

/**
 * Builds, and answers which file each entry became, those first that others import; and which files went in.
 *
 * @param {Esbuild} esbuild
 * @param {Entry[]} entries
 * @param {Options} options
 * @returns {Promise<{ files: Record<string, string>, inputs: string[] }>}
 */
async function built(esbuild, entries, options) {
  if (!entries.length) return { files: {}, inputs: [] };
  const entryPoints = entries.map(({ name, file }) => ({ in: file, out: basename(name) }));
  const result = await esbuild.build({ ...options, entryPoints });
  const { inputs, outputs } = /** @type {import("esbuild").Metafile} */ (result.metafile);
  const project = /** @type {string} */ (options.absWorkingDir);
  const real = (/** @type {string} */ file) => realpathSync(resolve(project, file));
  const ofEntry = new Map(
    Object.entries(outputs).flatMap(([path, { entryPoint }]) =>
      entryPoint ? [[real(entryPoint), { path, size: reached(entryPoint, inputs).size }]] : [],
    ),
  );
  // What an entry imports is a part of what it reaches: the smaller comes first, and registers its own tags.
  const found = entries
    .map(({ name, file }) => ({ name, .../** @type {{ path: string, size: number }} */ (ofEntry.get(real(file))) }))
    .sort((a, b) => a.size - b.size);
  return {
    files: Object.fromEntries(found.map(({ name, path }) => [name, basename(path)])),
    inputs: Object.keys(inputs).map((path) => resolve(project, path)).filter((path) => existsSync(path)),
  };
}

/**
 * A file, what it imports, what that imports, and so on.
 *
 * @param {string} path
 * @param {import("esbuild").Metafile["inputs"]} inputs
 * @param {Set<string>} seen
 */
function reached(path, inputs, seen = new Set()) {
  if (seen.has(path)) return seen;
  seen.add(path);
  for (const imported of inputs[path]?.imports ?? []) if (!imported.external) reached(imported.path, inputs, seen);
  return seen;
}

/**
 * @param {string} folder
 * @param {string} file
 */
function isWithin(folder, file) {
  return !relative(folder, file).startsWith("..");
}

/**
 * Our copies of what every component shares, left out of the bundles.
 *
 * @param {Record<string, string>} map
 * @param {(file: string, specifier: string) => string} pathOf
 * @returns {import("esbuild").Plugin}
 */
function vendored(map, pathOf) {
  return {
    name: "vendored",
    setup(build) {
      build.onResolve({ filter: /^[@\w]/ }, ({ path, kind }) => {
        const file = Object.hasOwn(map, path) && kind !== "entry-point" ? map[path] : undefined;
        return file === undefined ? undefined : { path: pathOf(file, path), external: true };
      });
    },
  };
}

/** What FAST there is without an <f-template> cannot be rendered by a server. @type {import("esbuild").Plugin} */
const withoutFast = {
  name: "without-fast",
  setup(build) {
    build.onResolve({ filter: /^@microsoft\/fast-element/ }, ({ importer }) => {
      const html = basename(importer).replace(/\.m?[jt]s$/, ".html");
      const text = `it imports FAST, so ${html} is required beside it, with its <f-template name="…">: servers render no other FAST template`;
      return { errors: [{ text }] };
    });
  },
};

/**
 * @template T
 * @param {string} name
 * @param {T | null} value
 * @returns {[string, T][]}
 */
function own(name, value) {
  return value === null ? [] : [[name, value]];
}
