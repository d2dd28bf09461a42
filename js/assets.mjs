// What our own modules for browsers need of npm: one file each, of no more than what they use, at /__litro/vendor/<name>.js.

import { readFileSync } from "node:fs";
import { join } from "node:path";

/** @typedef {typeof import("esbuild-wasm")} Esbuild */

const HERE = import.meta.dirname;

/** Marked's first half: what reads Markdown. What writes HTML stays behind. */
const READERS = ["Lexer", "Tokenizer"];
const NOTICE = "/*! Marked. Copyright (c) MarkedJS and Christopher Jeffrey. MIT: see LICENSES. */";

/** Builds the files into `out`, and answers which files went in. */
export async function buildAssets(/** @type {Esbuild} */ esbuild, /** @type {string} */ out) {
  const { metafile } = await esbuild.build({
    stdin: { contents: `export { ${READERS} } from "marked";`, resolveDir: HERE },
    outfile: join(out, "marked.js"),
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    legalComments: "none",
    banner: { js: NOTICE },
    metafile: true,
    logLevel: "silent",
    absWorkingDir: HERE,
    plugins: [halved],
  });
  return Object.keys(metafile.inputs).map((path) => join(HERE, path));
}

/** @type {import("esbuild-wasm").Plugin} */
const halved = {
  name: "marked without its ready-made instance",
  setup: (build) => {
    build.onLoad({ filter: /[\\/]marked\.esm\.js$/ }, ({ path }) => ({ contents: withoutInstance(readFileSync(path, "utf8")) }));
  },
};

/** As it is evaluated, the module makes a `marked` for whoever imports one, and by that uses all of itself: a bundler can leave nothing out. */
function withoutInstance(/** @type {string} */ source) {
  const parts = source.split(/var \w+=new \w+;function (?=\w+\(\w+,\w+\)\{return \w+\.parse\()/);
  const names = READERS.map((name) => new RegExp(`\\b(\\w+) as ${name}\\b`).exec(parts.at(-1) ?? "")?.[1]);
  if (parts.length !== 2 || names.includes(undefined)) {
    throw new Error("js/assets.mjs: marked.esm.js is not as it was: look for its instance anew, or bundle all of it.");
  }
  return `${parts[0]}export { ${READERS.map((name, at) => `${names[at]} as ${name}`)} };`;
}
