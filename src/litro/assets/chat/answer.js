// @ts-check
/** What the model said in one round: Markdown, whose module is loaded when the first answer is shown; plain until then. */

import { css } from "./styles.js";
import { heard, make } from "./dom.js";

export const looks = css`
  .answer { overflow-wrap: anywhere; }
  .answer > .text:not(.md) > p { margin: 0; white-space: pre-wrap; }
  .answer > .text:not(.md) > p + p { margin-block-start: .75em; }
`;

/** @typedef {import("./transcript.js").Text} Text */
/** @typedef {{append(text: string): void, set(text: string): void, end(): void}} Writer */

/** @type {Promise<(typeof import("./markdown.js"))["Markdown"] | null> | undefined} */
let loading;

/** What came of it. @type {(typeof import("./markdown.js"))["Markdown"] | null} */
let Known = null;

/** The class that shows Markdown; null where it cannot be loaded. */
export function loadMarkdown() {
  loading ??= import("./markdown.js").then(
    (module) => (Known = module.Markdown),
    (error) => {
      console.warn(`Litro: Markdown is shown as it was written, since its module was not loaded. ${error}`);
      return null;
    },
  );
  return loading;
}

export class AnswerView {
  /** What of it is shown. */
  #shown = "";
  #isEnded = false;
  /** @type {Writer} */
  #writer;

  /**
   * @param {Text} text
   * @param {import("./turn.js").Context} context
   */
  constructor(text, context) {
    this.text = text;
    this.context = context;
    this.host = make("div", { class: "text", part: "text", dir: "auto" });
    this.element = make("div", { class: "answer", part: "answer" }, heard(`${context.texts.agent}: `), this.host);
    this.#writer = Known ? new Known(this.host, context) : new PlainText(this.host);
    if (!Known) void this.#improve();
  }

  update() {
    const { text, isDone } = this.text;
    const isMore = text.startsWith(this.#shown);
    const more = isMore ? text.slice(this.#shown.length) : "";
    if (!isMore) this.#writer.set(text);
    else if (more) this.#writer.append(more);
    if (this.context.isLive) this.context.announcer.add(isMore ? more : text);
    this.#shown = text;
    if (isDone && !this.#isEnded) this.#end();
  }

  #end() {
    this.#isEnded = true;
    this.#writer.end();
    if (this.context.isLive) this.context.announcer.end();
  }

  /** Shows Markdown from now on. */
  async #improve() {
    const Markdown = await loadMarkdown();
    if (!Markdown) return;
    this.host.replaceChildren();
    this.#writer = new Markdown(this.host, this.context);
    this.#writer.set(this.#shown);
    if (this.#isEnded) this.#writer.end();
  }
}

/** Text as it is, in paragraphs. */
class PlainText {
  /** @param {HTMLElement} host */
  constructor(host) {
    this.host = host;
  }

  /** @param {string} text */
  append(text) {
    const last = this.host.lastElementChild ?? this.host.appendChild(make("p"));
    const [first = "", ...more] = text.split(/\n{2,}/);
    last.append(first);
    for (const paragraph of more) this.host.append(make("p", {}, paragraph));
  }

  /** @param {string} text */
  set(text) {
    this.host.replaceChildren();
    this.append(text);
  }

  end() {}
}
