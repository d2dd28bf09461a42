// @ts-check
/** Code, with the name of its language and a button that copies it. It grows by text alone. */

import { copyButton } from "./clipboard.js";
import { make } from "./dom.js";

/** @typedef {{texts: import("./texts.js").Texts, announcer: import("./announcer.js").Announcer}} Context */

export class CodeBox {
  #text = document.createTextNode("");

  /**
   * @param {string} language
   * @param {Context} context
   */
  constructor(language, context) {
    const { texts } = context;
    const name = language ? texts.codeIn(language) : texts.codeBlock;
    this.element = make(
      "div",
      { class: "code", part: "code" },
      make("header", {}, make("span", {}, language), copyButton(texts.copyCode, () => this.#text.data, context)),
      make("pre", { "tabindex": 0, "role": "group", "aria-label": name, "dir": "ltr" }, make("code", {}, this.#text)),
    );
  }

  /** @param {string} text */
  append(text) {
    this.#text.appendData(text);
  }

  /** @param {string} text */
  set(text) {
    const { data } = this.#text;
    if (text.startsWith(data)) this.append(text.slice(data.length));
    else this.#text.data = text;
  }
}
