// The module graphs: Lit for Node, Lit for browsers, FAST for browsers. However many components import however many of a graph's
// specifiers, there is one Lit and one FAST: a graph is one core file, and an entry for each specifier that the core leaves out
// (because few components want it, or because its names are taken), which imports what it needs of the core from there.

import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { fast, fileOf, lit, readers, ssr } from "./specifiers.mjs";

/** @typedef {typeof import("esbuild-wasm")} Esbuild */
/** @typedef {import("esbuild-wasm").BuildOptions} Options */
/** @typedef {import("esbuild-wasm").Plugin} Plugin */
/**
 * @typedef {object} Graph
 * @property {string} name Of its core's file.
 * @property {string[]} before Modules that the core evaluates before anything else.
 * @property {string[]} core Specifiers whose exports the core has, all of them.
 * @property {string[]} apart Specifiers with a file each.
 * @property {Record<string, string>} aliases Specifiers that only re-export another of these.
 */
/** @typedef {Record<string, string>} SpecifierMap Specifier to file. */

const HERE = fileURLToPath(new URL(".", import.meta.url));
/** esbuild-wasm never comes back when it has an error to log. That its promise is rejected says as much. */
const SILENT = "silent";
const LIT_NOTICE = "/*! Lit. Copyright Google LLC. BSD-3-Clause: see LICENSES. */";
const FAST_NOTICE = "/*! FAST. Copyright (c) Microsoft Corporation. MIT: see LICENSES. */";

/** Modules that only hand on what another one keeps: two copies of them do no harm. */
const STATELESS = /[\\/]private-ssr-support\.js$/;

/** Builds Lit for Node into `out`, and answers which files went into it. */
export async function buildServer(/** @type {Esbuild} */ esbuild, /** @type {string} */ out) {
  const options = /** @type {Options} */ ({
    platform: "node",
    target: "node22",
    conditions: ["node"],
    // Names stay, because stacks of components that fail go through these files.
    minifySyntax: true,
    minifyWhitespace: true,
    entryNames: "[name]",
    outExtension: { ".js": ".mjs" },
    banner: { js: LIT_NOTICE },
    plugins: [
      instead(/^node-fetch$/, "shims/fetch.js"),
      instead(/install-global-dom-shim\.js$/, "shims/install-global-dom-shim.js"),
    ],
  });
  // Lit for Node stands on the DOM shim, so that is in the core as well.
  const graph = { ...lit, before: [], core: [...lit.core, "@lit-labs/ssr-dom-shim"], apart: [...lit.apart, ...ssr, ...readers] };
  const { map, inputs } = await build(esbuild, graph, out, options);
  const isReader = (/** @type {string} */ specifier) => readers.includes(specifier);
  writeMap(join(out, "map.json"), map, (specifier) => !isReader(specifier));
  writeMap(join(out, "readers.json"), map, isReader);
  return inputs;
}

/** Builds Lit and FAST for browsers into `out`, and answers which files went into them. */
export async function buildBrowser(/** @type {Esbuild} */ esbuild, /** @type {string} */ out) {
  const options = /** @type {Options} */ ({
    platform: "browser",
    target: "es2021",
    conditions: ["browser", "production"],
    minify: true,
    entryNames: "[name]-[hash]",
  });
  // Lit asks for hydration support once, while it is evaluated: support has to be there before.
  const before = ["./shims/lit-hydration.js"];
  const forLit = await build(esbuild, { ...lit, before }, out, { ...options, banner: { js: LIT_NOTICE } });
  const hydrating = { ...fast, before: ["./shims/fast-hydration.js"] };
  const forFast = await build(esbuild, hydrating, out, { ...options, banner: { js: FAST_NOTICE } });
  writeMap(join(out, "map.json"), { ...forLit.map, ...forFast.map });
  return [...forLit.inputs, ...forFast.inputs];
}

/** Builds one graph, and answers which file each specifier became, and which files went in. */
async function build(
  /** @type {Esbuild} */ esbuild,
  /** @type {Graph} */ graph,
  /** @type {string} */ out,
  /** @type {Options} */ options,
) {
  const core = await bundle(esbuild, { [graph.name]: coreSource(graph) }, out, { ...options, splitting: false });
  const { file: coreFile, names } = core.entry(graph.name);
  await checkCore(esbuild, graph, names, options);
  const sources = Object.fromEntries(graph.apart.map((specifier) => [fileOf(specifier), reexport(specifier)]));
  const plugins = [...(options.plugins ?? []), fromCore(core.entry(graph.name).imports, `./${coreFile}`)];
  const apart = await bundle(esbuild, sources, out, { ...options, plugins });
  checkCopies(core.inputs, apart.inputs);
  /** @type {SpecifierMap} */
  const map = {};
  for (const specifier of graph.core) map[specifier] = coreFile;
  for (const specifier of graph.apart) map[specifier] = apart.entry(fileOf(specifier)).file;
  for (const [specifier, other] of Object.entries(graph.aliases)) map[specifier] = /** @type {string} */ (map[other]);
  await checkLinks(esbuild, new Set(Object.values(map)), out, options);
  return { map, inputs: [...core.inputs, ...apart.inputs] };
}

function coreSource(/** @type {Graph} */ graph) {
  const before = graph.before.map((specifier) => `import ${JSON.stringify(specifier)};`);
  return [...before, ...graph.core.map(reexport)].join("\n");
}

function reexport(/** @type {string} */ specifier) {
  return `export * from ${JSON.stringify(specifier)};`;
}

/** `export *` leaves out, without a word, a name that two modules give to two things. Here that is an error. */
async function checkCore(
  /** @type {Esbuild} */ esbuild,
  /** @type {Graph} */ graph,
  /** @type {string[]} */ names,
  /** @type {Options} */ options,
) {
  const sources = Object.fromEntries(graph.core.map((specifier) => [fileOf(specifier), reexport(specifier)]));
  const each = await bundle(esbuild, sources, "unwritten", { ...options, write: false });
  for (const specifier of graph.core) {
    const missing = each.entry(fileOf(specifier)).names.filter((name) => !names.includes(name));
    if (missing.length) throw new Error(`js/graphs.mjs: ${graph.name}'s core has no ${missing} of ${specifier}: set it apart.`);
  }
}

/** A module of the core that what is apart brings along as well would be a second Lit, unless it keeps no state. */
function checkCopies(/** @type {string[]} */ core, /** @type {string[]} */ apart) {
  const twice = apart.filter((path) => core.includes(path) && !STATELESS.test(path));
  if (twice.length) throw new Error(`js/graphs.mjs: built twice, inside the core and apart from it: ${twice}.`);
}

/** A name that an entry imports from the core and the core lacks would be a browser's SyntaxError. Here it is the build's. */
async function checkLinks(
  /** @type {Esbuild} */ esbuild,
  /** @type {Set<string>} */ files,
  /** @type {string} */ out,
  /** @type {Options} */ { platform },
) {
  const contents = [...files].map((file) => `import "./${file}";`).join("\n");
  const stdin = { contents, resolveDir: out };
  await esbuild.build({ stdin, platform, bundle: true, format: "esm", write: false, logLevel: SILENT });
}

/** Bundles sources, by the name that their file is to have. */
async function bundle(
  /** @type {Esbuild} */ esbuild,
  /** @type {Record<string, string>} */ sources,
  /** @type {string} */ out,
  /** @type {Options} */ options,
) {
  const result = await esbuild.build({
    bundle: true,
    splitting: true,
    ...options,
    plugins: [virtual(sources), ...(options.plugins ?? [])],
    absWorkingDir: HERE,
    entryPoints: Object.keys(sources).map((name) => ({ in: `entry:${name}`, out: name })),
    outdir: out,
    format: "esm",
    chunkNames: "shared-[hash]",
    legalComments: "none",
    metafile: true,
    logLevel: SILENT,
  });
  const { inputs, outputs } = /** @type {import("esbuild-wasm").Metafile} */ (result.metafile);
  return {
    inputs: Object.keys(inputs).map(absolute),
    entry(/** @type {string} */ name) {
      const found = Object.entries(outputs).find(([, output]) => output.entryPoint === `entry:${name}`);
      if (!found) throw new Error(`js/graphs.mjs: esbuild wrote no file for ${name}.`);
      const imports = (inputs[`entry:${name}`]?.imports ?? []).map(({ path }) => absolute(path));
      return { file: basename(found[0]), names: found[1].exports, imports };
    },
  };
}

function absolute(/** @type {string} */ path) {
  return resolve(HERE, path);
}

/**
 * @param {string} file
 * @param {SpecifierMap} map
 * @param {(specifier: string) => boolean} isIn
 */
function writeMap(file, map, isIn = () => true) {
  mkdirSync(dirname(file), { recursive: true });
  const sorted = Object.fromEntries(
    Object.entries(map)
      .filter(([specifier]) => isIn(specifier))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  writeFileSync(file, JSON.stringify(sorted, null, 1) + "\n");
}

/** Entries without a file. */
function virtual(/** @type {Record<string, string>} */ sources) {
  return /** @type {Plugin} */ ({
    name: "entries",
    setup: (build) => {
      build.onResolve({ filter: /^entry:/ }, ({ path }) => ({ path: path.slice("entry:".length), namespace: "entry" }));
      build.onLoad({ filter: /.*/, namespace: "entry" }, ({ path }) => ({ contents: sources[path], resolveDir: HERE }));
    },
  });
}

/** Resolves what matches to a file of ours. */
function instead(/** @type {RegExp} */ filter, /** @type {string} */ file) {
  return /** @type {Plugin} */ ({
    name: `instead of ${filter.source}`,
    setup: (build) => {
      build.onResolve({ filter }, () => ({ path: join(HERE, file) }));
    },
  });
}

/** The modules that the core exports are imported from the core, by whichever path they are asked for. */
function fromCore(/** @type {string[]} */ modules, /** @type {string} */ coreFile) {
  const asked = Symbol();
  return /** @type {Plugin} */ ({
    name: "from the core",
    setup: (build) => {
      build.onResolve({ filter: /.*/ }, async ({ path, pluginData, kind, ...rest }) => {
        if (pluginData === asked || kind === "entry-point") return undefined;
        const found = await build.resolve(path, { ...rest, kind, pluginData: asked });
        return modules.includes(found.path) ? { path: coreFile, external: true } : found;
      });
    },
  });
}
