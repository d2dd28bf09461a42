// The FAST adapter: @microsoft/fast-build renders each component of a template from its <f-template> and a state; what stands around
// components is escaped here. No value is ever part of markup that fast-build reads: it would read {{…}} in it.

import { createRequire } from "node:module";

import { fastTemplates } from "./load.mjs";
import { names } from "./templates.mjs";

/** @typedef {{ tag: string, start: string, state: Record<string, unknown>, bound: Record<string, unknown[]> }} Component */
/** @typedef {string | { text: unknown } | Component} Piece */
/** @typedef {import("./load.mjs").FastTemplate} FastTemplate */
/** @typedef {typeof import("@microsoft/fast-build")} FastBuild */

const require = createRequire(import.meta.url);
const GLUE = require.resolve("../vendor/fast/microsoft_fast_build.cjs");

/** @type {FastBuild | undefined} */
let wasm;

/** In JSON: a backslash, or half of a surrogate pair, which is no character to Rust. */
const ESCAPED = /\\(?:\\|u(d[89a-f]..))/g;

/** The templates that a component's own needs, as JSON, by tag. @type {Map<string, string>} */
const needed = new Map();

/** @type {Record<string, string>} */
const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** @param {Piece[]} pieces */
export function render(pieces) {
  return pieces.map(rendered).join("");
}

/** @param {Piece} piece */
function rendered(piece) {
  if (typeof piece === "string") return piece;
  return "tag" in piece ? opened(piece) : textOf(piece.text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}

/**
 * A component's start tag and shadow root.
 * @param {Component} component
 */
function opened({ tag, start, state, bound }) {
  const end = `</${tag}>`;
  const attributes = Object.entries(bound).map(([name, parts]) => [name, parts.length === 1 ? parts[0] : parts.map(textOf).join("")]);
  const all = wellFormed(JSON.stringify({ ...state, ...Object.fromEntries(attributes) }));
  wasm ??= /** @type {FastBuild} */ (require(GLUE));
  try {
    return wasm.render_entry_with_templates(start + end, templatesFor(tag), all).slice(0, -end.length);
  } catch (error) {
    if (!(error instanceof WebAssembly.RuntimeError)) throw new Error(`<${tag}>: ${error}`);
    // What broke inside is broken for good: the next render has another.
    wasm = undefined;
    delete require.cache[GLUE];
    throw new Error(`<${tag}> is too deep, or holds itself: FAST's renderer broke (${error.message}).`);
  }
}

/** @param {string} tag */
function templatesFor(tag) {
  const found = needed.get(tag);
  if (found !== undefined) return found;
  if (!fastTemplates.has(tag)) {
    const those = [...fastTemplates.keys()].sort().join(", ") || "none";
    throw new Error(`<${tag}> has no <f-template>, so FAST cannot render it. Components with one: ${those}.`);
  }
  const all = new Set([tag]);
  for (const name of all) {
    for (const [other] of fastTemplates) if (names(/** @type {FastTemplate} */ (fastTemplates.get(name)), other)) all.add(other);
  }
  const json = JSON.stringify(Object.fromEntries([...all].map((name) => [name, fastTemplates.get(name)])));
  needed.set(tag, json);
  return json;
}

/** @param {unknown} value */
function textOf(value) {
  return String(value ?? "").toWellFormed();
}

/** @param {string} json */
function wellFormed(json) {
  return json.includes("\\ud") ? json.replace(ESCAPED, (escaped, half) => (half ? "\\ufffd" : escaped)) : json;
}
