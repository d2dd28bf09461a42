// The notices of everything that is built in: one file a package, and an index. A package whose licence is not in its tarball has
// it in licences/; one without either fails the build, so that nothing is vendored without its notice.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { folder, manifest } from "./specifiers.mjs";

/** What ends up in vendor/. Where a package has no text of its own: a file of licences/, or the package it is published with. */
const VENDORED = {
  "@csstools/css-tokenizer": undefined,
  "@lit-labs/ssr": undefined,
  "@lit-labs/ssr-client": undefined,
  "@lit-labs/ssr-dom-shim": "lit",
  "@lit/reactive-element": undefined,
  "@microsoft/fast-build": "fast.txt",
  "@microsoft/fast-element": "fast.txt",
  "@parse5/tools": "parse5-tools.txt",
  "entities": undefined,
  "esbuild-wasm": undefined,
  "lit": undefined,
  "lit-element": undefined,
  "lit-html": undefined,
  "marked": undefined,
  "parse5": undefined,
};

/** Compiled into WebAssembly, so no package of npm. */
const COMPILED = [{ name: "Go (in esbuild-wasm)", licence: "BSD-3-Clause", text: "go.txt" }];

export function writeLicences(/** @type {string} */ to, /** @type {string[]} */ inputs) {
  const unknown = new Set(inputs.map(packageOf).filter((name) => name && !(name in VENDORED)));
  if (unknown.size) throw new Error(`js/licences.mjs: ${[...unknown]} went into a bundle: name each in VENDORED.`);
  mkdirSync(to, { recursive: true });
  const index = ["What is in litro/vendor, and under which licences. Each line names the file with the full text.", ""];
  for (const [name, ours] of Object.entries(VENDORED)) {
    const { version, license } = manifest(name);
    const file = name.replace(/^@/, "").replaceAll("/", "-") + ".txt";
    writeFileSync(join(to, file), readFileSync(textOf(ours ?? name), "utf8"));
    index.push(`${name} ${version}: ${license}: ${file}`);
  }
  for (const { name, licence, text } of COMPILED) {
    writeFileSync(join(to, text), readFileSync(textOf(text), "utf8"));
    index.push(`${name}: ${licence}: ${text}`);
  }
  writeFileSync(join(to, "README.txt"), index.join("\n") + "\n");
}

/** Of npm, that a file is of; undefined for our own. */
function packageOf(/** @type {string} */ path) {
  return /[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(path)?.[1]?.replace("\\", "/");
}

function textOf(/** @type {string} */ source) {
  return source.endsWith(".txt") ? local(source) : shipped(source);
}

function shipped(/** @type {string} */ name) {
  const file = readdirSync(folder(name)).find((/** @type {string} */ entry) => /^licen[cs]e(\.(md|txt))?$/i.test(entry));
  if (!file) throw new Error(`js/licences.mjs: ${name} ships no licence: put its text into js/licences/ and name it here.`);
  return folder(name) + file;
}

function local(/** @type {string} */ file) {
  const path = fileURLToPath(new URL(`licences/${file}`, import.meta.url));
  if (!existsSync(path)) throw new Error(`js/licences.mjs: ${path} is missing.`);
  return path;
}
