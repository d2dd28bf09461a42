// What a stylesheet, a style attribute or a presentation attribute would load, by the tokens of css-syntax-3: escapes are decoded,
// and comments and strings are what they are.

import { reader } from "./vendored.mjs";

/** @typedef {{ kind: string, url: string }} Reference */
/** @typedef {import("@csstools/css-tokenizer").CSSToken} Token */

/** @type {typeof import("@csstools/css-tokenizer")} */
const { tokenize } = await reader("@csstools/css-tokenizer");

/** Functions whose strings are addresses, and what they are called when they are told. */
const LOADING = new Map([
  ["url", "CSS url()"],
  ["src", "CSS src()"],
  ["image-set", "CSS image-set()"],
  ["-webkit-image-set", "CSS image-set()"],
]);

/**
 * @param {string} css
 * @returns {Reference[]}
 */
export function loadedBy(css) {
  const reading = new Reading();
  for (const token of tokenize({ css })) reading.take(token);
  return reading.found;
}

class Reading {
  /** @type {Reference[]} */
  found = [];

  /** Of the functions and parentheses that are open, what each would load its strings as. @type {(string | null)[]} */
  #open = [];

  /** The at-rule whose prelude this is. */
  #rule = "";

  /** @param {Token} token */
  take(token) {
    const [type] = token;
    if (type === "at-keyword-token") this.#rule = token[4].value.toLowerCase();
    else if (type === "semicolon-token" || type === "{-token" || type === "}-token") this.#rule = "";
    else if (type === "function-token") this.#open.push(LOADING.get(token[4].value.toLowerCase()) ?? null);
    else if (type === "(-token") this.#open.push(null);
    else if (type === ")-token") this.#open.pop();
    else if (type === "url-token") this.#tell("CSS url()", token[4].value);
    else if (type === "string-token") this.#string(token[4].value);
  }

  /** @param {string} value */
  #string(value) {
    const loaded = this.#open.length ? this.#open.at(-1) : this.#rule === "import" ? "CSS @import" : null;
    if (loaded) this.#tell(loaded, value);
  }

  /**
   * @param {string} kind
   * @param {string} url
   */
  #tell(kind, url) {
    // A namespace's name looks like an address, and is none.
    if (this.#rule === "namespace") return;
    this.found.push({ kind: this.#rule === "import" ? "CSS @import" : kind, url });
  }
}
