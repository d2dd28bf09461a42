// @ts-check
/** A value as somebody reads it, with a button that copies it: text as it is, all else as coloured JSON. */

import { Announcer } from "../chat/announcer.js";
import { copyButton } from "../chat/clipboard.js";
import { button, make, take } from "../chat/dom.js";
import { ENGLISH } from "../chat/texts.js";
import { count } from "./words.js";

/** Characters that are shown at once. */
const SHOWN = 12_000;

const TOKEN = /("(?:\\.|[^"\\])*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** What is heard, not seen. */
export const announcer = new Announcer(ENGLISH);

/** @type {(words: string, text: () => string) => HTMLButtonElement} */
export function copying(words, text) {
  return copyButton(words, text, { texts: ENGLISH, announcer });
}

/**
 * @param {string} name
 * @param {unknown} value
 * @param {{isPlain?: boolean}} [how] `isPlain` leaves its name out, which is heard only.
 */
export function valueBox(name, value, { isPlain = false } = {}) {
  const text = textOf(value);
  const pre = make("pre", { "tabindex": 0, "role": "group", "aria-label": name });
  fill(pre, value, text);
  const box = make("div", { class: "value" }, make("div", { class: "value-head" }, !isPlain && make("span", {}, name), copying(`Copy: ${name}`, () => text)), pre);
  if (text.length > SHOWN) {
    const more = button(`Show all ${count(text.length)} characters`, () => {
      pre.textContent = text;
      take(more, pre);
    }, { class: "small" });
    box.append(more);
  }
  return box;
}

/** @param {unknown} value */
export function textOf(value) {
  if (typeof value === "string") return value;
  return value === undefined ? "nothing" : JSON.stringify(value, null, 2);
}

/** @type {(pre: HTMLElement, value: unknown, text: string) => void} */
function fill(pre, value, text) {
  // Text that a model reads is mostly JSON too.
  const isText = typeof value === "string" && !/^[[{]/.test(value);
  if (isText || text.length > SHOWN) {
    pre.textContent = text.slice(0, SHOWN);
    return;
  }
  pre.append(...coloured(text));
}

/**
 * JSON's text as pieces, each with the class of what it is.
 * @param {string} text
 */
export function coloured(text) {
  /** @type {(string | HTMLElement)[]} */
  const pieces = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [whole, string, colon] = match;
    pieces.push(text.slice(end, match.index));
    const kind = string ? (colon ? "key" : "string") : "literal";
    pieces.push(make("span", { class: `json-${kind}` }, string ?? whole), colon ?? "");
    end = match.index + whole.length;
  }
  pieces.push(text.slice(end));
  return pieces;
}
