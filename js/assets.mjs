// What our own modules for browsers need of npm: one file each, of no more than what they use, at /__litro/vendor/<name>.js.

import { join } from "node:path";

/** @typedef {typeof import("esbuild-wasm")} Esbuild */

/** Marked's first half: what reads Markdown. What writes HTML stays behind. */
const SOURCES = { marked: { code: 'export { Lexer, Tokenizer } from "marked";', notice: "/*! Marked. Copyright MarkedJS. MIT: see LICENSES. */" } };

/** Builds the files into `out`, and answers which files went in. */
export async function buildAssets(/** @type {Esbuild} */ esbuild, /** @type {string} */ out) {
  const inputs = [];
  for (const [name, { code, notice }] of Object.entries(SOURCES)) {
    const { metafile } = await esbuild.build({
      stdin: { contents: code, resolveDir: import.meta.dirname },
      outfile: join(out, `${name}.js`),
      bundle: true,
      minify: true,
      format: "esm",
      platform: "browser",
      target: "es2022",
      legalComments: "none",
      banner: { js: notice },
      metafile: true,
      logLevel: "silent",
      absWorkingDir: import.meta.dirname,
    });
    inputs.push(...Object.keys(metafile.inputs).map((path) => join(import.meta.dirname, path)));
  }
  return inputs;
}
