// What an HTML document would load by itself, wherever it says so: in elements, in templates' content, in srcdoc documents, in CSS.
//
// Anchors are the person's to follow, and scripts are not read.

import { loadedBy } from "./stylesheets.mjs";
import { reader } from "./vendored.mjs";

/** @typedef {import("./stylesheets.mjs").Reference} Reference */
/** @typedef {import("parse5").DefaultTreeAdapterTypes.Node} Node */
/** @typedef {import("parse5").DefaultTreeAdapterTypes.Element} Element */

/** @type {typeof import("parse5")} */
const { parse } = await reader("parse5");

export const HTML = "http://www.w3.org/1999/xhtml";
const SVG = "http://www.w3.org/2000/svg";

/** Nobody's: what resolves to it was relative. Below the one, `http:x` is another host; below the other, `https:x` is. */
const HOST = "relative.invalid";
const BASES = [`https://${HOST}/`, `http://${HOST}/`];

/** SVG's attributes whose values are CSS. */
const PRESENTATION = new Set([
  ...["clip-path", "cursor", "fill", "filter", "marker", "marker-end", "marker-mid", "marker-start", "mask", "stroke"],
]);

/** HTML attributes that are addresses on some elements alone. @type {Record<string, string[]>} */
const ADDRESSES = {
  href: ["base", "link"],
  data: ["object"],
  background: ["body", "table", "tbody", "td", "tfoot", "th", "thead", "tr"],
};

const REFRESH = /^[\s\d.]*[;,\s]\s*(?:url\s*=\s*)?["']?(?<url>[^"']+)/i;

/** Every element of the document, in its order, less those of templates and of other documents. @param {string} html */
export function elementsOf(html) {
  return [...elements(parse(html), false)];
}

/**
 * The references that lead to another host, each kind and address once.
 *
 * @param {string} html
 * @returns {Reference[]}
 */
export function external(html) {
  const found = new Map();
  const documents = [html];
  for (const document of documents) {
    for (const element of elements(parse(document), true)) {
      documents.push(...element.attrs.filter(({ name }) => name === "srcdoc").map(({ value }) => value));
      for (const one of references(element)) if (isExternal(one.url)) found.set(`${one.kind} ${one.url}`, one);
    }
  }
  return [...found.values()];
}

/** @param {string} url */
function isExternal(url) {
  return BASES.some((base) => {
    const { protocol = "", host = "" } = URL.canParse(url, base) ? new URL(url, base) : {};
    return /^https?:$/.test(protocol) && host !== HOST;
  });
}

/**
 * @param {Node} root
 * @param {boolean} everywhere
 * @returns {Generator<Element>}
 */
function* elements(root, everywhere) {
  // Not by recursion: a document may be deeper than the stack.
  const waiting = [root];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if ("tagName" in node) yield node;
    if ("childNodes" in node) for (const child of node.childNodes.toReversed()) waiting.push(child);
    if ("content" in node && everywhere) waiting.push(node.content);
  }
}

/**
 * @param {Element} element
 * @returns {Reference[]}
 */
function references(element) {
  const { tagName, attrs, childNodes } = element;
  const found = attrs.flatMap(({ name, prefix, value }) => {
    const kind = `<${tagName} ${prefix ? `${prefix}:${name}` : name}>`;
    return ofAttribute(element, name, value).map((one) => ({ kind: one.kind || kind, url: one.url }));
  });
  if (tagName !== "style") return found;
  return [...found, ...loadedBy(childNodes.map((node) => ("value" in node ? node.value : "")).join(""))];
}

/**
 * @param {Element} element
 * @param {string} name
 * @param {string} value
 * @returns {Reference[]} Without a kind where it is the attribute itself.
 */
function ofAttribute(element, name, value) {
  const { tagName, namespaceURI } = element;
  if (name === "style") return loadedBy(value);
  if (name === "srcset" || name === "imagesrcset") return candidates(value).map(plain);
  if (name === "src" || name === "poster") return [plain(value)];
  if (namespaceURI === SVG) {
    // `xlink:href` is a `href` with a prefix.
    if (name === "href") return tagName === "a" ? [] : [plain(value)];
    return PRESENTATION.has(name) ? loadedBy(value) : [];
  }
  if (namespaceURI !== HTML) return [];
  if (isRefresh(element, name)) return [plain(REFRESH.exec(value)?.groups?.url ?? "")];
  return ADDRESSES[name]?.includes(tagName) ? [plain(value)] : [];
}

/** @param {string} url */
function plain(url) {
  return { kind: "", url };
}

/**
 * @param {Element} element
 * @param {string} name
 */
function isRefresh({ tagName, attrs }, name) {
  return tagName === "meta" && name === "content" && attrs.some((one) => one.name === "http-equiv" && /^refresh$/i.test(one.value));
}

/**
 * The addresses of a `srcset`, as HTML splits it: a comma ends one only behind it, or behind its descriptors.
 * @param {string} srcset
 */
function candidates(srcset) {
  const found = [];
  let rest = srcset;
  for (;;) {
    const [, url = "", after = ""] = /^[\s,]*(\S*)([^]*)$/.exec(rest) ?? [];
    if (!url) return found;
    found.push(url.replace(/,+$/, ""));
    rest = url.endsWith(",") ? after : after.replace(/^(?:\([^)]*\)?|[^,(])*/, "");
  }
}
