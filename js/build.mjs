// node build.mjs OUT: builds what Litro for Python vendors, from ./node_modules, into the empty folder OUT. hatch_build.py runs it.

import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

import esbuild from "esbuild-wasm";

import { buildAssets } from "./assets.mjs";
import { buildBrowser, buildServer } from "./graphs.mjs";
import { writeLicences } from "./licences.mjs";
import { buildModules } from "./modules.mjs";
import { folder, manifest } from "./specifiers.mjs";

const PINNED = Object.keys(JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8")).dependencies);

/** The bundler's files for Node: those for browsers and its types stay behind. */
const BUNDLER = ["package.json", "wasm_exec.js", "wasm_exec_node.js", "bin/esbuild", "lib/main.js"];

const out = resolve(process.argv[2] ?? "");
if (process.argv.length !== 3) throw new Error("js/build.mjs: name the folder to build into: node build.mjs OUT");

const inputs = [
  ...(await buildServer(esbuild, join(out, "server"))),
  ...(await buildBrowser(esbuild, join(out, "browser"))),
  ...(await buildModules(esbuild, join(out, "modules"))),
  ...(await buildAssets(esbuild, join(out, "assets"))),
];
copyBundler(join(out, "esbuild"));
copyFast(join(out, "fast"));
writeLicences(join(out, "LICENSES"), inputs);
writeFileSync(join(out, "versions.json"), JSON.stringify(versions(), null, 1) + "\n");

function copyBundler(/** @type {string} */ to) {
  for (const file of BUNDLER) copy("esbuild-wasm", file, join(to, file));
  // It starts "node" from PATH, where there may be none, or one that is too old: the one that runs is the right one.
  replaceOnce(join(to, "lib/main.js"), 'if (true) {\n    return ["node", [', "if (true) {\n    return [process.execPath, [");
  // Eleven of its fourteen megabytes are air, and 50 ms let it in again.
  const wasm = readFileSync(folder("esbuild-wasm") + "esbuild.wasm");
  const params = { [constants.BROTLI_PARAM_QUALITY]: 6, [constants.BROTLI_PARAM_LGWIN]: 24 };
  writeFileSync(join(to, "esbuild.wasm.br"), brotliCompressSync(wasm, { params }));
  replaceOnce(join(to, "bin/esbuild"), "'esbuild.wasm'", "'esbuild.wasm.br'");
  const read = "fs.readFileSync(process.argv[2])";
  replaceOnce(join(to, "wasm_exec_node.js"), read, `require("zlib").brotliDecompressSync(${read})`);
}

/** Its glue is CommonJS that finds its WebAssembly beside itself; ".cjs" says so to Node without a package.json. */
function copyFast(/** @type {string} */ to) {
  copy("@microsoft/fast-build", "wasm/microsoft_fast_build.js", join(to, "microsoft_fast_build.cjs"));
  copy("@microsoft/fast-build", "wasm/microsoft_fast_build_bg.wasm", join(to, "microsoft_fast_build_bg.wasm"));
}

function copy(/** @type {string} */ name, /** @type {string} */ file, /** @type {string} */ to) {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(folder(name) + file, to);
}

function replaceOnce(/** @type {string} */ file, /** @type {string} */ old, /** @type {string} */ now) {
  const parts = readFileSync(file, "utf8").split(old);
  if (parts.length !== 2) throw new Error(`js/build.mjs: ${file} has ${parts.length - 1} times ${old}, and once is expected.`);
  writeFileSync(file, parts.join(now));
}

function versions() {
  return Object.fromEntries(PINNED.map((name) => [name, manifest(name).version]));
}
