// FAST module by module, for bundles of one document, which leave out what its components do not use: of the one file that
// components share in a page, no bundler could leave out much. Lit has no need of it: of its core, everything is used.

import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { fast, folder, manifest } from "./specifiers.mjs";

/** @typedef {typeof import("esbuild-wasm")} Esbuild */

const PACKAGE = "@microsoft/fast-element";
const DIST = "dist/esm/";
const NOTICE = "/*! FAST. Copyright (c) Microsoft Corporation. MIT. */";

/** Builds FAST's modules into `out`, and what enables its hydration, and answers which files went in. */
export async function buildModules(/** @type {Esbuild} */ esbuild, /** @type {string} */ out) {
  const from = folder(PACKAGE) + DIST;
  const files = readdirSync(from, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".js"))
    .map((file) => join(from, file));
  const shim = fileURLToPath(new URL("shims/fast-hydration.js", import.meta.url));
  const options = /** @type {import("esbuild-wasm").BuildOptions} */ ({
    bundle: false,
    minify: true,
    format: "esm",
    target: "es2021",
    legalComments: "none",
    logLevel: "silent",
  });
  await esbuild.build({ ...options, entryPoints: files, outbase: from, outdir: join(out, "fast") });
  // As FAST says of itself: what is not used may go.
  writeFileSync(join(out, "fast/package.json"), JSON.stringify({ type: "module", sideEffects: false }) + "\n");
  // Every bundle with FAST in it has this one, and with it the notice.
  await esbuild.build({ ...options, entryPoints: [shim], outdir: out, banner: { js: NOTICE } });
  const map = Object.fromEntries(fast.core.map((specifier) => [specifier, `fast/${target(specifier)}`]));
  writeFileSync(join(out, "map.json"), JSON.stringify(map, null, 1) + "\n");
  return files;
}

/** The module that a specifier is, as a bundler for browsers finds it in the package's `exports`. */
function target(/** @type {string} */ specifier) {
  const { production, default: otherwise } = manifest(PACKAGE).exports[`.${specifier.slice(PACKAGE.length)}`];
  const file = /** @type {string} */ (production ?? otherwise);
  if (!file.startsWith(`./${DIST}`)) throw new Error(`js/modules.mjs: ${specifier} is ${file}, and below ${DIST} is expected.`);
  return file.slice(`./${DIST}`.length);
}
