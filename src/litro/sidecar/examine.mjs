// What is wrong with apps' documents: scripts that do not parse, and what would be loaded from elsewhere. Nothing is run.

import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

import { fault } from "./inline.mjs";
import { elementsOf, external, HTML } from "./references.mjs";

/** @typedef {{ html: string, runtime: string | null, apply: string | null }} Document As it was assembled, and two of its sources. */
/** @typedef {{ what: string, message: string, line: number }} Fault */
/** @typedef {{ faults: Fault[], external: import("./references.mjs").Reference[], fills: boolean, isOpen: boolean }} Examined */

const require = createRequire(import.meta.url);

const BUNDLER = fileURLToPath(new URL("../vendor/esbuild/lib/main.js", import.meta.url));

/** How a script sets the fill step, once its spelling is esbuild's. */
const FILLS = /(?<![\w$])litroMcpApply(?:["'`]\])?(?:=(?![=>])|\?\?=|\|\|=|&&=)/;

/** How a document ends whose last element is a script. */
const ENDS_IN_SCRIPT = /<\/script>\s*<\/body>\s*<\/html>\s*$/i;

/** Types of <script> that run as a classic script. */
const CLASSIC = /^$|^(?:text|application)\/(?:x-)?(?:java|ecma)script$/i;

/** @param {{ documents: Document[] }} request */
export async function answer({ documents }) {
  const spelled = await respelled(documents.map(({ runtime }) => runtime ?? ""));
  return { ok: true, documents: documents.map((document, at) => examined(document, spelled[at] ?? "")) };
}

/**
 * @param {Document} document
 * @param {string} spelled
 * @returns {Examined}
 */
function examined({ html, runtime, apply }, spelled) {
  // A comment at the end of an expression does not end what is around it.
  const own = [...faultsOf("runtime", runtime), ...faultsOf("apply", apply, (code) => `(${code}\n)`)];
  // Told once, by the name that the author gave it.
  const isOpen = swallows(html);
  const faults = own.length || isOpen ? own : scriptsOf(html).flatMap((code, at) => faultsOf(`script ${at + 1} of the document`, code));
  return { faults, external: external(html), fills: FILLS.test(spelled), isOpen };
}

/**
 * Whether something that was left open took in the last script: to the parser it is text then, or part of a template or a drawing.
 * @param {string} html
 */
function swallows(html) {
  const last = elementsOf(html).at(-1);
  return ENDS_IN_SCRIPT.test(html) && !(last?.tagName === "script" && last.namespaceURI === HTML);
}

/**
 * @param {string} what
 * @param {string | null} code
 * @param {(code: string) => string} script What runs of it.
 * @returns {Fault[]}
 */
function faultsOf(what, code, script = (code) => code) {
  const found = code === null ? null : fault(script(code));
  if (code === null || !found) return [];
  return [{ what, message: found.message, line: Math.min(found.line, code.split("\n").length) }];
}

/** @param {string} html */
function scriptsOf(html) {
  const scripts = elementsOf(html).filter(({ tagName, attrs }) => {
    const type = attrs.find(({ name }) => name === "type")?.value ?? "";
    return tagName === "script" && CLASSIC.test(type.trim()) && !attrs.some(({ name }) => name === "src");
  });
  return scripts.map(({ childNodes }) => childNodes.map((node) => ("value" in node ? node.value : "")).join(""));
}

/**
 * Scripts without comments, and with names spelled one way. Only where one may name the fill step.
 * @param {string[]} scripts
 */
async function respelled(scripts) {
  if (!scripts.some(mayFill)) return scripts;
  /** @type {typeof import("esbuild")} */
  const esbuild = require(BUNDLER);
  try {
    return await Promise.all(scripts.map((code) => (mayFill(code) ? spelling(esbuild, code) : "")));
  } finally {
    await esbuild.stop?.();
  }
}

/** @param {string} code */
function mayFill(code) {
  return code.includes("litroMcpApply") || /\\[ux]/.test(code);
}

/**
 * @param {typeof import("esbuild")} esbuild
 * @param {string} code
 */
async function spelling(esbuild, code) {
  try {
    const options = /** @type {const} */ ({ minifySyntax: true, minifyWhitespace: true, legalComments: "none", logLevel: "silent" });
    return (await esbuild.transform(code, options)).code;
  } catch {
    // It does not parse, which is told.
    return "";
  }
}
