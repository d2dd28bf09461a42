// Bundles for documents that load nothing: per app, its components and all that they import as one classic script, and the bridge.
//
// The components take over what was rendered, as in a page: properties come first. Same input, same bytes: addresses are hashed
// from documents. It writes no file.

import { readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, sep } from "node:path";
import { fileURLToPath } from "node:url";

import { bundler, common, isFailure } from "./build.mjs";
import { inlined, readsRaw } from "./inline.mjs";
import { bringingTemplates, templatesOf } from "./templates.mjs";

/** @typedef {typeof import("esbuild")} Esbuild */
/** @typedef {import("esbuild").BuildOptions} Options */
/** @typedef {import("esbuild").Message} Message */
/** @typedef {{ file: string | null, line: number | null, message: string }} Failure */
/**
 * @typedef {object} Request
 * @property {string} project The project's folder.
 * @property {string[]} components The files of all its components: templates name each other's tags.
 * @property {string[][]} bundles Of each, the files of its components.
 * @property {string} bridge The bridge's file.
 */

const require = createRequire(import.meta.url);

const VENDOR = fileURLToPath(new URL("../vendor/", import.meta.url));
const MODULES = join(VENDOR, "modules");
const ASSETS = fileURLToPath(new URL("../assets/", import.meta.url));

/** @type {Record<string, string>} */
const inBrowser = require("../vendor/browser/map.json");

/** @type {Record<string, string>} */
const ofFast = require("../vendor/modules/map.json");

/** Begins the names of modules that are made here. */
const OWN = "litro:";
const APP = "app:";
const BRIDGE = "bridge";
const WAKE = "wake";
const HYDRATE = "hydrate";
const HYDRATION = "fast-hydration";

/** FAST as a component sees it: hydration is enabled before. */
const FAST = "fast";

/** What esbuild says of an import whose address only the browser would know, and of the address of a module that has none. */
const UNKNOWN_IMPORT = "unsupported-dynamic-import";
const NO_ADDRESS = "empty-import-meta";

const options = /** @type {Options} */ ({
  bundle: true,
  splitting: false,
  write: false,
  outdir: "unwritten",
  platform: "browser",
  format: "iife",
  target: "es2022",
  conditions: ["browser", "production"],
  minify: true,
  charset: "utf8",
  legalComments: "inline",
  logLevel: "silent",
  logOverride: { [UNKNOWN_IMPORT]: "warning", [NO_ADDRESS]: "warning" },
  metafile: true,
});

/** @param {Request} request */
export async function answer({ project, components, bundles, bridge }) {
  const esbuild = bundler(project);
  try {
    const real = components.map((file) => realpathSync(file));
    const files = new Map([...components, ...real].map((file) => [file, realpathSync(file)]));
    const templates = new Map(real.flatMap((file) => ownTemplates(file)));
    const plugins = [contained, ours(bundles, bridge), fastByModules, registering(files), bringingTemplates(templates), ofLit];
    const base = { ...common(project), ...options, chunkNames: undefined, plugins };
    const { scripts, failed } = await built(esbuild, base, [BRIDGE, ...bundles.map((_, at) => `${APP}${at}`)]);
    const [ofBridge, ...ofApps] = scripts;
    return { ok: true, bridge: ofBridge, bundles: ofApps, failed };
  } finally {
    await esbuild.stop?.();
  }
}

/**
 * @param {string} file
 * @returns {[string, Record<string, import("./load.mjs").FastTemplate>][]}
 */
function ownTemplates(file) {
  const templates = templatesOf(file);
  return templates ? [[file, templates]] : [];
}

/**
 * All at once, which reads what they share once; where that fails, each alone, so that all failures are told.
 *
 * @param {Esbuild} esbuild
 * @param {Options} base
 * @param {string[]} names
 * @returns {Promise<{ scripts: string[], failed: Failure[] }>}
 */
async function built(esbuild, base, names) {
  const all = await tried(esbuild, base, names);
  if (all.failed.length && names.length > 1) {
    const each = [];
    for (const name of names) each.push(...(await tried(esbuild, base, [name])).failed);
    return { scripts: [], failed: each.length ? each : all.failed };
  }
  const scripts = [];
  for (const [at, script] of all.scripts.entries()) {
    // Each template then has its text twice, as plain literals, which can be written otherwise.
    const plain = { ...base, supported: { "template-literal": false } };
    const safe = readsRaw(script) ? (await tried(esbuild, plain, names.slice(at, at + 1))).scripts[0] : script;
    scripts.push(inlined(safe ?? ""));
  }
  return { scripts, failed: all.failed };
}

/**
 * @param {Esbuild} esbuild
 * @param {Options} base
 * @param {string[]} names
 * @returns {Promise<{ scripts: string[], failed: Failure[] }>}
 */
async function tried(esbuild, base, names) {
  const entryPoints = names.map((name, at) => ({ in: `${OWN}${name}`, out: `${at}` }));
  try {
    const { outputFiles = [], warnings, metafile } = await esbuild.build({ ...base, entryPoints });
    const texts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
    const outside = Object.values(metafile?.outputs ?? {}).flatMap(({ imports }) => imports.filter(({ external }) => external));
    const failed = [...warnings.flatMap(harmful), ...outside.map(({ path }) => failure(notInside(path), null))];
    return { scripts: names.map((_, at) => texts.get(`${at}.js`) ?? ""), failed };
  } catch (error) {
    if (!isFailure(error)) throw error;
    return { scripts: [], failed: error.errors.map(({ text, location }) => failure(text, location)) };
  }
}

/**
 * @param {string} message
 * @param {Message["location"]} location
 * @returns {Failure}
 */
function failure(message, location) {
  return { file: location?.file ?? null, line: location?.line ?? null, message };
}

/**
 * The warnings that are failures of an app.
 * @param {Message} warning
 * @returns {Failure[]}
 */
function harmful({ id, location }) {
  // Of ours, what does so is left out.
  if (location?.file.startsWith(OWN)) return [];
  if (id === UNKNOWN_IMPORT) return [failure("it imports what is only known while it runs, and an app is one document, which loads nothing, so a name that is written there is required", location)];
  // What npm installed may ask for it and do without.
  const isTheirs = /(^|[\\/])node_modules[\\/]/.test(location?.file ?? "");
  if (id !== NO_ADDRESS || isTheirs) return [];
  return [failure("it uses import.meta, and the one script of an app is no module, so an import of what it needs is required", location)];
}

/** @param {string} path */
function notInside(path) {
  return `it imports ${JSON.stringify(path)}, and an app is one document, which loads nothing, so a package of npm or a file of the project is required`;
}

/** Addresses, which esbuild would leave to the browser. @type {import("esbuild").Plugin} */
const contained = {
  name: "contained",
  setup(build) {
    build.onResolve({ filter: /^(https?:)?\/\//i }, ({ path }) => ({ errors: [{ text: notInside(path) }] }));
  },
};

/**
 * The entries, and what they import. Sources of ours have no folder, so that nobody's tsconfig.json or package.json counts for them.
 *
 * @param {string[][]} bundles
 * @param {string} bridge
 * @returns {import("esbuild").Plugin}
 */
function ours(bundles, bridge) {
  const imports = (/** @type {string[]} */ names) => names.map((name) => `import ${JSON.stringify(name)};`).join("\n");
  const source = (/** @type {string} */ name) => {
    if (name === BRIDGE) return readFileSync(bridge, "utf8");
    if (name === WAKE) return WAKING;
    if (name === HYDRATE) return readFileSync(join(ASSETS, "hydrate.js"), "utf8");
    if (name === HYDRATION) return readFileSync(join(MODULES, "fast-hydration.js"), "utf8");
    const files = bundles[Number(name.slice(APP.length))] ?? [];
    return imports([OWN + WAKE, ...files]);
  };
  return {
    name: "ours",
    setup(build) {
      build.onResolve({ filter: new RegExp(`^${OWN}`) }, ({ path }) => ({ path: path.slice(OWN.length), namespace: OWN.slice(0, -1) }));
      build.onLoad({ filter: /./, namespace: OWN.slice(0, -1) }, ({ path }) => ({ contents: source(path), resolveDir: ASSETS }));
    },
  };
}

/** Before any component is registered. Some hosts write a document in ways that leave its shadow roots templates. */
const WAKING = `import { attachShadowRoots, wakePage } from "${OWN}${HYDRATE}";
attachShadowRoots(document);
wakePage();`;

/** FAST module by module, less what is not used; and before it, once, what enables its hydration. @type {import("esbuild").Plugin} */
const fastByModules = {
  name: "fast by modules",
  setup(build) {
    build.onResolve({ filter: /^@microsoft\/fast-element/ }, ({ path, importer }) => {
      if (!Object.hasOwn(ofFast, path)) return undefined;
      const isOurs = importer.startsWith(MODULES + sep) || importer === HYDRATION || importer === path;
      return isOurs ? { path: join(MODULES, /** @type {string} */ (ofFast[path])), sideEffects: false } : { path, namespace: FAST };
    });
    build.onLoad({ filter: /./, namespace: FAST }, ({ path }) => ({
      contents: `import "${OWN}${HYDRATION}";\nexport * from ${JSON.stringify(path)};`,
      resolveDir: MODULES,
    }));
  },
};

/**
 * A component that an app or a template names registers its tags, whatever a package.json says of side effects: as in a page,
 * where each is an entry.
 *
 * @param {ReadonlyMap<string, string>} files Where each is really.
 * @returns {import("esbuild").Plugin}
 */
function registering(files) {
  return {
    name: "registering",
    setup(build) {
      build.onResolve({ filter: /^(?:\/|[a-z]:[\\/])/i }, ({ path }) => (files.has(path) ? { path: files.get(path) } : undefined));
    },
  };
}

/** The Lit that components share in a page as well. @type {import("esbuild").Plugin} */
const ofLit = {
  name: "lit",
  setup(build) {
    build.onResolve({ filter: /^[@\w]/ }, ({ path, kind }) => {
      const file = Object.hasOwn(inBrowser, path) && kind !== "entry-point" ? inBrowser[path] : undefined;
      return file === undefined ? undefined : { path: join(VENDOR, "browser", file) };
    });
  },
};
