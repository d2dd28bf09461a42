// @ts-check
/**
 * An answer's Markdown as nodes, while it is being written. No text of it is ever read as HTML.
 *
 * What is finished is made once and never touched again; each piece of text costs as much as the block that it is in. The same
 * text gives the same nodes, however it came.
 */

import { CodeBox } from "./codebox.js";
import { make } from "./dom.js";
import { mended } from "./mending.js";
import { patch } from "./patch.js";
import { Segments } from "./segments.js";
import { shapesOf } from "./shapes.js";
import { adopt, css } from "./styles.js";
// What those import, so that it is asked for at once.
import "../vendor/marked.js";
import "./entities.js";
import "./links.js";

/** @typedef {import("./shapes.js").Shape} Shape */
/** @typedef {import("./segments.js").Join} Join */
/** @typedef {import("./codebox.js").Context & {images: string, host?: HTMLElement}} Context */

const looks = css`
  .md > * { margin-block: 0; unicode-bidi: plaintext; text-align: start; }
  .md > * + * { margin-block-start: .75em; }
  .md :is(h1, h2, h3, h4, h5, h6) { font-weight: 650; line-height: 1.3; text-wrap: balance; }
  .md > * + :is(h2, h3, h4, h5, h6) { margin-block-start: 1.25em; }
  .md .level-1 { font-size: 1.375rem; }
  .md .level-2 { font-size: 1.1875rem; }
  .md .level-3 { font-size: 1.0625rem; }
  .md :is(.level-4, .level-5, .level-6) { font-size: 1rem; }
  .md :is(ul, ol) { padding-inline-start: 1.625em; }
  .md li { unicode-bidi: isolate; }
  .md li + li { margin-block-start: .25em; }
  .md li > * { margin-block: 0; }
  .md li > p { unicode-bidi: plaintext; }
  .md li > * + * { margin-block-start: .375em; }
  .md li.task { list-style: none; }
  .md li.task > .box { float: inline-start; margin-inline-start: -1.5em; }
  .md li.task > .box + * { margin-block-start: 0; }
  .md blockquote { margin-inline: 0; padding-inline-start: 1rem; border-inline-start: 3px solid var(--line); color: var(--quiet); unicode-bidi: isolate; }
  .md blockquote > * { margin-block: 0; unicode-bidi: plaintext; }
  .md blockquote > * + * { margin-block-start: .75em; }
  .md hr { block-size: 1px; border: 0; margin-block: 1.25em; background: var(--line); }
  .md a { color: var(--accent); text-decoration: underline; text-underline-offset: .2em; unicode-bidi: isolate; overflow-wrap: anywhere; }
  .md :not(pre) > code { padding: .125em .35em; border-radius: .3em; background: var(--sunk); font: .875em var(--mono); unicode-bidi: isolate; overflow-wrap: anywhere; }
  .md img { max-inline-size: 100%; block-size: auto; border-radius: .5rem; vertical-align: middle; }
  .md .as-is { white-space: pre-wrap; overflow-wrap: anywhere; }
  .md .table { overflow-x: auto; border: 1px solid var(--line); border-radius: .5rem; }
  .md table { min-inline-size: 100%; border-collapse: collapse; font-size: .9375rem; }
  .md :is(th, td) { padding: .375rem .75rem; text-align: start; vertical-align: top; unicode-bidi: plaintext; overflow-wrap: normal; }
  .md :is(th, td).center { text-align: center; }
  .md :is(th, td).right { text-align: end; }
  .md th { background: var(--sunk); font-weight: 600; }
  .md tbody tr { border-block-start: 1px solid var(--line); }
  .md .code { overflow: hidden; border: 1px solid var(--line); border-radius: .5rem; background: var(--sunk); unicode-bidi: isolate; }
  .md .code header { display: flex; align-items: center; justify-content: space-between; padding-inline: .75rem .25rem; color: var(--quiet); font: .75rem var(--mono); }
  .md .code pre { margin: 0; padding: .125rem .75rem .75rem; overflow-x: auto; font: .8125rem/1.55 var(--mono); white-space: pre; tab-size: 4; }
  .md .code pre:focus-visible, .md .table:focus-visible { outline-offset: -2px; }
`;

export class Markdown {
  #segments = new Segments();
  /** Where finished blocks end, and what is shown behind them for now. */
  #blocks;
  /** The same of the list or table that items or rows may still come to. @type {Place | null} */
  #rows = null;
  /** The headings above what is read next. @type {number[]} */
  #outline = [];
  /** The code that is open. @type {CodeBox | null} */
  #code = null;
  /** The line that is open, and too long to be read. @type {Text | null} */
  #long = null;

  /**
   * @param {HTMLElement} host What it fills, alone.
   * @param {Context} context
   */
  constructor(host, context) {
    this.host = host;
    this.context = context;
    this.#blocks = new Place(host);
    host.classList.add("md");
    adopt(context.host?.shadowRoot ?? null, looks);
  }

  /** @param {string} text */
  append(text) {
    for (const piece of this.#segments.take(text)) this.#finish(piece);
    const { tail, source, join } = this.#segments;
    this.#show(tail ? this.#shapes(mended(source), [...this.#outline]) : [], join);
  }

  /** No more text comes. */
  end() {
    for (const piece of this.#segments.end()) this.#finish(piece);
    this.#show([], null);
  }

  /** Other text altogether. @param {string} text */
  set(text) {
    this.host.replaceChildren();
    this.#segments = new Segments();
    this.#blocks = new Place(this.host);
    this.#rows = this.#code = this.#long = null;
    this.#outline = [];
    this.append(text);
  }

  /** @param {import("./segments.js").Piece} piece */
  #finish(piece) {
    switch (piece.kind) {
      case "blocks":
        this.#show(this.#shapes(piece.source, this.#outline), piece.join);
        return this.#keep();
      case "fence":
        this.#code = new CodeBox(piece.language, this.context);
        return this.#add(this.#code.element);
      case "code":
        return this.#code?.append(piece.text);
      case "unfence":
        this.#code = null;
        return;
      case "long":
        this.#long ??= this.#addLine();
        return this.#long.appendData(piece.text);
      case "unlong":
        this.#long = null;
    }
  }

  /** @type {(source: string, outline: number[]) => Shape[]} */
  #shapes(source, outline) {
    const { host, images, texts } = this.context;
    const isNamed = host?.hasAttribute("hash") ?? false;
    return shapesOf(source, { address: document.baseURI, isNamed, images, outline, texts });
  }

  /** Shows what may still change. @type {(shapes: Shape[], join: Join | null) => void} */
  #show(shapes, join) {
    const rows = join && this.#rows && rowsOf(shapes[0], join);
    const isJoined = rows && this.#rows?.parent.nodeName.toLowerCase() === rows.name;
    this.#rows?.show(isJoined ? rows.children : [], this.context);
    this.#blocks.show(isJoined ? shapes.slice(1) : shapes, this.context);
  }

  /** What is shown is finished. */
  #keep() {
    this.#rows?.keep();
    if (this.#blocks.keep()) this.#rows = rowsIn(this.host.lastElementChild);
  }

  /** @param {HTMLElement} element */
  #add(element) {
    this.#show([], null);
    this.host.append(element);
    this.#blocks.last = element;
    this.#rows = null;
  }

  #addLine() {
    const text = document.createTextNode("");
    this.#add(make("p", { class: "as-is" }, text));
    return text;
  }
}

/** The children of a node, those that are finished first. */
class Place {
  /** The last one that is finished. @type {ChildNode | null} */
  last;
  /** What the others look like. @type {Shape[]} */
  #shapes = [];

  /** @param {Element} parent */
  constructor(parent) {
    this.parent = parent;
    this.last = parent.lastChild;
  }

  /** @type {(shapes: Shape[], context: Context) => void} */
  show(shapes, context) {
    patch(this.parent, this.last, this.#shapes, shapes, context);
    this.#shapes = shapes;
  }

  /** All are finished; whether there were others. */
  keep() {
    const hasMore = this.#shapes.length > 0;
    if (hasMore) this.last = this.parent.lastChild;
    this.#shapes = [];
    return hasMore;
  }
}

/** The shape whose children are the items, or the rows. @type {(shape: Shape | undefined, join: Join) => import("./shapes.js").ElementShape | null} */
function rowsOf(shape, join) {
  if (typeof shape !== "object" || !("children" in shape)) return null;
  if (join === "list") return shape.name === "ul" || shape.name === "ol" ? shape : null;
  const table = shape.children[0];
  const body = typeof table === "object" && "children" in table ? table.children[1] : null;
  return typeof body === "object" && body && "children" in body ? body : null;
}

/** @param {Element | null} block */
function rowsIn(block) {
  const rows = block && (block.matches("ul, ol") ? block : block.querySelector(":scope > table > tbody"));
  return rows ? new Place(rows) : null;
}
