// @ts-check
/**
 * What Markdown looks like, as plain data: names of elements, their attributes, and text. No element is made here.
 *
 * Each block is read on its own: addresses that other blocks define (`[a]: https://…`) are not known, so such a link is shown
 * as it was written, and so is HTML. Text of which reading would cost too much, nested or marked beyond reason, is shown as it is.
 */

import { Lexer, Tokenizer } from "../vendor/marked.js";
import { decoded } from "./entities.js";
import { isWithin, linkTo, pictureAt } from "./links.js";

/** @typedef {{name: string, attributes: Record<string, string>, children: Shape[]}} ElementShape */
/** @typedef {{name: "code-box", language: string, text: string}} CodeShape */
/** @typedef {string | ElementShape | CodeShape} Shape */

/**
 * @typedef {object} Page What of the page decides how a text looks.
 * @property {string} address
 * @property {boolean} [isNamed] Whether the address's `#…` names a session: then no text may lead to another place in the page.
 * @property {string} images Which pictures are loaded: "none", or what `pictureAt` takes.
 * @property {number[]} outline The headings, by their own levels, that the next one may stand under. Read, and written to.
 * @property {{table: string, taskDone: string, taskOpen: string, picture: string}} texts
 */

/** Blocks in blocks. */
const DEEPEST = 24;

/** Columns after which a line cannot begin a block of its own. */
const WIDEST_INDENT = 120;

/** Marks in one run of text. */
const MOST_MARKS = 800;

const MARKS = /[*_~[\]<@`&!]/g;

/** What of Marked reads blocks that are not shown: HTML is text, and definitions stay where they are. */
class Reader extends Tokenizer {
  /** @override */
  html() {
    return undefined;
  }

  /** @override */
  def() {
    return undefined;
  }
}

/**
 * The shapes of blocks.
 * @param {string} source
 * @param {Page} page
 * @returns {Shape[]}
 */
export function shapesOf(source, page) {
  const tokens = read(source);
  return tokens ? blocks(tokens, page) : [plain(source.trim())];
}

/**
 * Text as it was written.
 * @param {string} text
 * @returns {ElementShape}
 */
export function plain(text) {
  return { name: "p", attributes: { class: "as-is" }, children: [text] };
}

/** @typedef {any} Token Marked's own types say no more. */

/** @type {(source: string) => Token[] | null} */
function read(source) {
  if (source.split("\n").some(isTooDeep)) return null;
  try {
    const lexer = new Lexer({ gfm: true, breaks: true, tokenizer: new Reader() });
    lexer.blockTokens(source, lexer.tokens);
    for (const { src, tokens } of lexer.inlineQueue) {
      if (isTooMarked(src)) tokens.push({ type: "html", raw: src });
      else lexer.inlineTokens(src, tokens);
    }
    return lexer.tokens;
  } catch (error) {
    // Somebody else's parser, on text from anywhere: an answer that it fails on is still one to read.
    console.warn(`Litro: a part of an answer is shown as it was written, since it could not be read as Markdown. ${error}`);
    return null;
  }
}

/** Whether a line begins too many blocks. @param {string} line */
function isTooDeep(line) {
  let depth = 0;
  let at = 0;
  while (depth <= DEEPEST) {
    const opening = /^[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))/.exec(line.slice(at, at + WIDEST_INDENT));
    if (!opening) break;
    at += opening[0].length;
    depth++;
  }
  return depth > DEEPEST || (line.length > WIDEST_INDENT && /^[ \t]+(?:[-+*>]|\d)/.test(line) && line.search(/[^ \t]/) > WIDEST_INDENT);
}

/** @param {string} text */
function isTooMarked(text) {
  return text.length > MOST_MARKS && (text.match(MARKS)?.length ?? 0) > MOST_MARKS;
}

/** @type {(tokens: Token[], page: Page) => Shape[]} */
function blocks(tokens, page) {
  return tokens.flatMap((token) => BLOCKS[token.type]?.(token, page) ?? []);
}

/** @type {Record<string, (token: Token, page: Page) => Shape | Shape[]>} */
const BLOCKS = {
  paragraph: (token, page) => element("p", {}, inlines(token.tokens, page)),
  text: (token, page) => element("p", {}, token.tokens ? inlines(token.tokens, page) : [decoded(token.raw)]),
  heading,
  code: ({ text, lang }) => ({ name: "code-box", language: (lang ?? "").split(/\s/, 1)[0] ?? "", text }),
  blockquote: (token, page) => element("blockquote", {}, blocks(token.tokens, page)),
  hr: () => element("hr"),
  list,
  table,
};

/** @type {(token: Token, page: Page) => Shape} */
function heading({ depth, tokens }, page) {
  const { outline } = page;
  while ((outline.at(-1) ?? 0) >= depth) outline.pop();
  outline.push(depth);
  // The page's own heading is above, and no level is left out, whatever the text has.
  return element(`h${Math.min(6, outline.length + 1)}`, { class: `level-${depth}` }, inlines(tokens, page));
}

/** @type {(token: Token, page: Page) => Shape} */
function list({ ordered, start, items }, page) {
  /** @type {Record<string, string>} */
  const attributes = ordered && start !== 1 ? { start: String(start) } : {};
  return element(ordered ? "ol" : "ul", attributes, items.map((/** @type {Token} */ item) => listItem(item, page)));
}

/** @type {(item: Token, page: Page) => Shape} */
function listItem({ task, checked, tokens }, page) {
  const children = blocks(tokens, page);
  if (!task) return element("li", {}, children);
  const label = checked ? page.texts.taskDone : page.texts.taskOpen;
  const box = element("span", { "class": "box", "role": "img", "aria-label": label }, [checked ? "☑" : "☐"]);
  return element("li", { class: "task" }, [box, ...children]);
}

/** @type {(token: Token, page: Page) => Shape} */
function table({ header, rows }, page) {
  const row = (/** @type {Token[]} */ cells, /** @type {"th" | "td"} */ name) =>
    element("tr", {}, cells.map(({ tokens, align }) => element(name, cellAttributes(name, align), inlines(tokens, page))));
  const head = element("thead", {}, [row(header, "th")]);
  const body = element("tbody", {}, rows.map((/** @type {Token[]} */ cells) => row(cells, "td")));
  const attributes = { "class": "table", "tabindex": "0", "role": "group", "aria-label": page.texts.table };
  return element("div", attributes, [element("table", {}, [head, body])]);
}

/** @type {(name: string, align: string | null) => Record<string, string>} */
function cellAttributes(name, align) {
  return { ...(align && { class: align }), ...(name === "th" && { scope: "col" }) };
}

/** @type {(tokens: Token[], page: Page, isInLink?: boolean) => Shape[]} */
function inlines(tokens, page, isInLink = false) {
  /** @type {Shape[]} */
  const shapes = [];
  for (const shape of tokens.flatMap((token) => INLINES[token.type]?.(token, page, isInLink) ?? token.raw ?? "")) {
    const last = shapes.at(-1);
    if (typeof shape === "string" && typeof last === "string") shapes[shapes.length - 1] = last + shape;
    else if (shape !== "") shapes.push(shape);
  }
  return shapes;
}

/** @type {Record<string, (token: Token, page: Page, isInLink: boolean) => Shape | Shape[]>} */
const INLINES = {
  text: ({ raw }) => decoded(raw),
  escape: ({ text }) => text,
  html: ({ raw }) => raw,
  strong: wrap("strong"),
  em: wrap("em"),
  del: wrap("del"),
  codespan: ({ text }) => element("code", {}, [text]),
  br: () => element("br"),
  link,
  image,
  checkbox: () => [],
};

/** @type {(name: string) => (token: Token, page: Page, isInLink: boolean) => Shape} */
function wrap(name) {
  return ({ tokens }, page, isInLink) => element(name, {}, inlines(tokens, page, isInLink));
}

/** @type {(token: Token, page: Page, isInLink: boolean) => Shape | Shape[]} */
function link({ href, title, tokens, raw }, page, isInLink) {
  if (isInLink) return inlines(tokens, page, true);
  return anchor(decoded(href), title, inlines(tokens, page, true), page) ?? raw;
}

/** @type {(address: string, title: string | null, children: Shape[], page: Page) => Shape | null} */
function anchor(address, title, children, page) {
  if (page.isNamed && isWithin(address, page.address)) return element("span", {}, children);
  const target = linkTo(address, page.address);
  if (!target) return null;
  const attributes = { href: target.href, rel: "noopener noreferrer" };
  const more = { ...(target.isElsewhere && { target: "_blank" }), ...(title && { title: decoded(title) }) };
  return element("a", { ...attributes, ...more }, children.length > 0 ? children : [target.href]);
}

/** @type {(token: Token, page: Page, isInLink: boolean) => Shape | Shape[]} */
function image({ href, title, text, raw }, page, isInLink) {
  const address = decoded(href);
  const words = decoded(text);
  const source = pictureAt(address, page.address, page.images);
  if (source !== null) {
    const how = { loading: "lazy", decoding: "async", referrerpolicy: "no-referrer" };
    return element("img", { src: source, alt: words, ...how, ...(title && { title: decoded(title) }) });
  }
  if (isInLink) return words || page.texts.picture;
  return anchor(address, title, [words || page.texts.picture], page) ?? (words || raw);
}

/** @type {(name: string, attributes?: Record<string, string>, children?: Shape[]) => ElementShape} */
function element(name, attributes = {}, children = []) {
  return { name, attributes, children };
}
