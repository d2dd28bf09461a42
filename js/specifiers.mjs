// Which bare specifiers a component may import without a node_modules of its own, read from the packages' own `exports`.
// Nothing else is promised: @lit/context, @lit/task and the like are a project's npm dependencies.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Subpaths that are no component's business: shims for browsers of 2019, and doors that packages keep for one another. */
const UNSUITABLE = /(^|\/)(package\.json|polyfill-support\.js|private-[a-z-]+\.js)$/;

const LIT = ["lit", "lit-html", "lit-element", "@lit/reactive-element", "@lit-labs/ssr-client"].flatMap(exported);
const FAST = exported("@microsoft/fast-element");

/** Directives, because a component wants few of them; static templates, because their `html` is another. */
const LIT_APART = /\/(directives\/|static)/;

export const lit = {
  name: "lit",
  core: LIT.filter((specifier) => !LIT_APART.test(specifier)),
  apart: LIT.filter((specifier) => LIT_APART.test(specifier) && !specifier.startsWith("lit/")),
  aliases: Object.fromEntries(LIT.filter((specifier) => /^lit\/(directives\/|static)/.test(specifier)).map(aliasOfLit)),
};

export const fast = {
  name: "fast",
  // All of it: its modules lean on internals of one another, which no file apart could have from the core.
  core: FAST,
  apart: /** @type {string[]} */ ([]),
  aliases: {},
};

/** @lit-labs/ssr keeps no `exports`: the modules that its documentation names, less those that load code from disk. */
export const ssr = [
  "@lit-labs/ssr",
  "@lit-labs/ssr/lib/dom-shim.js",
  "@lit-labs/ssr/lib/element-renderer.js",
  "@lit-labs/ssr/lib/install-global-dom-shim.js",
  "@lit-labs/ssr/lib/lit-element-renderer.js",
  "@lit-labs/ssr/lib/render-result.js",
  "@lit-labs/ssr/lib/render-result-readable.js",
  "@lit-labs/ssr/lib/render.js",
  "@lit-labs/ssr/lib/server-template.js",
  "@lit-labs/ssr-dom-shim",
];

/** What the sidecar reads documents with. It is no component's, and comes with the graph for Node, whose renderer has parse5 as well. */
export const readers = ["parse5", "@csstools/css-tokenizer"];

/** The file, less its suffix, that a specifier is built into: flat, because all of them are served from one address. */
export function fileOf(/** @type {string} */ specifier) {
  return specifier.replace(/^@/, "").replace(/\.js$/, "").replaceAll("/", "-");
}

/** `package.json` of an installed package, whether or not it exports it. */
export function manifest(/** @type {string} */ name) {
  return JSON.parse(readFileSync(folder(name) + "package.json", "utf8"));
}

/** Where an installed package is, with a trailing slash. */
export function folder(/** @type {string} */ name) {
  return fileURLToPath(new URL(`node_modules/${name}/`, import.meta.url));
}

/** Lit's own package has no directives: these modules of it are one line that exports lit-html's. */
function aliasOfLit(/** @type {string} */ specifier) {
  const file = specifier === "lit/static-html.js" ? "static.js" : specifier.slice("lit/".length);
  return [specifier, `lit-html/${file}`];
}

function exported(/** @type {string} */ name) {
  return Object.keys(manifest(name).exports)
    .filter((path) => !UNSUITABLE.test(path))
    .map((path) => name + path.slice(1))
    .sort();
}
