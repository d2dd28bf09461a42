// @ts-check
/** What the model thought before it spoke, folded. */

import { css } from "./styles.js";
import { icon, make, say } from "./dom.js";
import { duration } from "./texts.js";

export const looks = css`
  .thoughts { margin-block-start: .375rem; padding-inline-start: .875rem; border-inline-start: 2px solid var(--line);
    color: var(--quiet); font-size: .9375em; white-space: pre-wrap; overflow-wrap: anywhere; }
`;

/** @typedef {import("./transcript.js").Reasoning} Reasoning */

export class ReasoningView {
  /**
   * @param {Reasoning} reasoning
   * @param {import("./turn.js").Context} context
   */
  constructor(reasoning, context) {
    this.reasoning = reasoning;
    this.texts = context.texts;
    this.words = make("span", { class: "words" });
    this.thoughts = make("div", { class: "thoughts", dir: "auto" });
    this.element = make(
      "details",
      { class: "fold reasoning", part: "reasoning", toggle: () => this.update() },
      make("summary", {}, icon("chevron"), this.words),
      this.thoughts,
    );
  }

  update() {
    const { began, ended, text } = this.reasoning;
    say(this.words, ended === null ? this.texts.thinking : this.#thought(ended - began));
    this.element.classList.toggle("busy", ended === null);
    // What is folded costs nothing while it grows.
    if (!this.element.open) return;
    const shown = this.thoughts.textContent ?? "";
    if (text.startsWith(shown)) this.thoughts.append(text.slice(shown.length));
    else this.thoughts.textContent = text;
  }

  /** @param {number} ms */
  #thought(ms) {
    return ms < 1000 ? this.texts.thoughtBriefly : this.texts.thought(duration(ms, this.texts));
  }
}
