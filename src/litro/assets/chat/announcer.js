// @ts-check
/**
 * Says an answer to screen readers, sentence by sentence as they are finished.
 *
 * The conversation itself is silent to them while it grows: it changes with every token. What stands here is there to be
 * heard once, so it goes away again; to read on their own, they have the conversation.
 */

import { make } from "./dom.js";

/** What ends a sentence: a mark with a space behind it, or a line's end. */
const ENDS = /^[^]*(?:[.!?…]["'”’)\]*_]*\s|[。！？\n])/u;

/** So many are kept: one that goes too early is not said. */
const KEPT = 12;

/** A line that begins or ends code. */
const FENCE = /^\s*(```|~~~)/;

export class Announcer {
  #rest = "";
  #isCode = false;

  /** @param {import("./texts.js").Texts} texts */
  constructor(texts) {
    this.texts = texts;
    this.element = make("div", { "class": "heard", "aria-live": "polite", "aria-relevant": "additions" });
  }

  /**
   * A piece of an answer.
   * @param {string} text
   */
  add(text) {
    this.#rest += text;
    const finished = ENDS.exec(this.#rest)?.[0] ?? "";
    this.#rest = this.#rest.slice(finished.length);
    if (finished) this.#sayLines(finished);
  }

  /** The answer is over. */
  end() {
    if (this.#rest) this.#sayLines(this.#rest);
    this.#rest = "";
    this.#isCode = false;
  }

  /**
   * Something whole.
   * @param {string} text
   */
  say(text) {
    if (!text.trim()) return;
    this.element.append(make("p", { dir: "auto" }, text));
    while (this.element.childElementCount > KEPT) this.element.firstElementChild?.remove();
  }

  clear() {
    this.#rest = "";
    this.#isCode = false;
    this.element.replaceChildren();
  }

  /** @param {string} text */
  #sayLines(text) {
    /** @type {string[]} */
    const lines = [];
    for (const line of text.split("\n")) {
      const isFence = FENCE.test(line);
      if (isFence && !this.#isCode) lines.push(this.texts.code);
      if (isFence) this.#isCode = !this.#isCode;
      else if (!this.#isCode) lines.push(spoken(line));
    }
    this.say(lines.filter(Boolean).join("\n"));
  }
}

/**
 * A line of Markdown without its marks.
 * @param {string} line
 */
export function spoken(line) {
  return line
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/^\s*(?:#{1,6}\s+|>\s?|[-*+]\s+)/, "")
    .replace(/^[\s|:-]+$/, "")
    .replace(/(\*\*|__|~~|`)/g, "")
    .replace(/(^|\W)[*_](\S[^*_]*)[*_](?=\W|$)/g, "$1$2")
    .trim();
}
