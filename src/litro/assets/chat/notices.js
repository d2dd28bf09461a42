// @ts-check
/** What the chat itself has to say, below the conversation: that something is wrong, or what was done. */

import { css } from "./styles.js";
import { button, make, take } from "./dom.js";
import { problem } from "./problem.js";

export const looks = css`
  .notices { display: flex; flex-direction: column; gap: .5rem; }
  .notices:not(:empty) { padding-block: .75rem; }
  .notice { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1rem; padding: .625rem 1rem; border: 1px solid var(--line); border-radius: .75rem; font-size: .875rem; }
  .notice p { flex: 1 1 14rem; margin: 0; }
`;

/** @typedef {import("./problem.js").Way} Way */

export class Notices {
  /** What is wrong with the connection: there is one at most. @type {HTMLElement | null} */
  #trouble = null;
  #words = "";

  /** @param {import("./turn.js").Context} context */
  constructor(context) {
    this.context = context;
    this.element = make("div", { class: "notices", part: "notices" });
  }

  /**
   * Says what is wrong, until it is not.
   * @param {string | null} words Null where nothing is.
   * @param {Way[]} ways
   * @param {string} [small]
   */
  trouble(words, ways = [], small = "") {
    if (this.#words === (words ?? "")) return;
    this.#words = words ?? "";
    if (this.#trouble) take(this.#trouble, this.context.input);
    this.#trouble = words === null ? null : problem(words, ways, small);
    if (!this.#trouble || !words) return;
    this.element.append(this.#trouble);
    this.context.announcer.say(words);
  }

  /**
   * Says that something did not work.
   * @param {string} words
   */
  failed(words) {
    const { texts, announcer } = this.context;
    const box = problem(words, [{ words: texts.dismiss, go: () => take(box, this.context.input) }]);
    this.element.append(box);
    announcer.say(words);
  }

  /**
   * Says what was done.
   * @param {string} words
   * @param {Way} way
   */
  note(words, way) {
    const { texts, announcer, input } = this.context;
    const box = make(
      "div",
      { class: "notice", part: "notice" },
      make("p", { dir: "auto" }, words),
      button(way.words, way.go, { class: "link" }),
      button(texts.dismiss, () => take(box, input), { icon: "cross", isQuiet: true }),
    );
    this.element.append(box);
    announcer.say(words);
  }

  clear() {
    this.#trouble = null;
    this.#words = "";
    this.element.replaceChildren();
  }
}
