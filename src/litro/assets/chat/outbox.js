// @ts-check
/** What was said and has not started: on its way, not sent, or accepted and waiting. */

import { css } from "./styles.js";
import { button, make, take } from "./dom.js";
import { messageOf } from "./failure.js";

export const looks = css`
  .outbox { display: flex; flex-direction: column; gap: .75rem; margin: 0; padding: 0; list-style: none; }
  .outbox:not(:empty) { padding-block: .75rem; }
  .outbox .said { flex-direction: column; align-items: flex-end; }
  .outbox .bubble { max-inline-size: 100%; background: none; border: 1px dashed var(--edge); }
  .outbox .fate { display: flex; flex-wrap: wrap; align-items: center; justify-content: flex-end; gap: .25rem .75rem; color: var(--quiet); font-size: .8125rem; }
  .outbox .fate .why { color: var(--bad); }
`;

/** @typedef {import("./conversation.js").Conversation} Conversation */
/** @typedef {{key: string, text: string, words: string, why?: string, ways: import("./problem.js").Way[]}} Entry */

export class Outbox {
  /** What is shown, and of what it was made. @type {Map<string, {version: string, element: HTMLElement}>} */
  #shown = new Map();

  /**
   * @param {import("./turn.js").Context} context
   * @param {{edit: (text: string) => void, failed: (words: string) => void}} act
   */
  constructor(context, act) {
    this.context = context;
    this.act = act;
    this.element = make("ul", { class: "outbox", part: "outbox" });
  }

  get isEmpty() {
    return this.#shown.size === 0;
  }

  /** @param {Conversation} conversation */
  show(conversation) {
    const entries = [...this.#waiting(conversation), ...this.#unsent(conversation)];
    const keys = new Set(entries.map((entry) => entry.key));
    for (const [key, { element }] of this.#shown) {
      if (keys.has(key)) continue;
      this.#shown.delete(key);
      take(element, this.context.input);
    }
    for (const entry of entries) this.#put(entry);
  }

  /** @param {Entry} entry */
  #put(entry) {
    const version = `${entry.words} ${entry.why ?? ""}`;
    const known = this.#shown.get(entry.key);
    if (known?.version === version) return;
    const element = this.#make(entry);
    this.#shown.set(entry.key, { version, element });
    if (!known) return this.element.append(element);
    known.element.before(element);
    take(known.element, this.context.input);
  }

  /** @param {Entry} entry */
  #make({ text, words, why, ways }) {
    return make(
      "li",
      { class: "said" },
      make("div", { class: "bubble", part: "bubble" }, make("div", { dir: "auto" }, text)),
      make(
        "div",
        { class: "fate" },
        make("span", { class: why ? "why" : "" }, words),
        why && make("span", { dir: "auto" }, why),
        ...ways.map((way) => button(way.words, way.go, { class: "link" })),
      ),
    );
  }

  /** @param {Conversation} conversation @returns {Entry[]} */
  #waiting(conversation) {
    const { texts } = this.context;
    return [...conversation.transcript.waiting.values()].map(({ id, text, mode }) => ({
      ...{ key: id, text, words: mode === "steer" ? texts.steers : texts.queued },
      ways: [{ words: texts.withdraw, go: () => this.#withdraw(conversation, id) }],
    }));
  }

  /** @param {Conversation} conversation @returns {Entry[]} */
  #unsent(conversation) {
    const { texts } = this.context;
    const isElsewhere = (/** @type {string} */ id) => conversation.transcript.waiting.has(id);
    return [...conversation.sending.unsent.values()].filter(({ id }) => !isElsewhere(id)).map((message) => {
      const { id, text, why } = message;
      if (why === null) return { key: id, text, words: texts.sending, ways: [] };
      const again = () => {
        this.context.input.focus();
        void conversation.sending.send(message);
      };
      const edit = () => {
        conversation.sending.discard(id);
        this.act.edit(text);
      };
      const discard = () => conversation.sending.discard(id);
      const ways = [{ words: texts.sendAgain, go: again }, { words: texts.edit, go: edit }, { words: texts.discard, go: discard }];
      return { key: id, text, words: texts.unsent, why, ways };
    });
  }

  /** @type {(conversation: Conversation, id: string) => Promise<void>} */
  async #withdraw(conversation, id) {
    try {
      if (!(await conversation.withdraw(id))) this.act.failed(this.context.texts.notWithdrawn);
    } catch (error) {
      this.act.failed(messageOf(error));
    }
  }
}
