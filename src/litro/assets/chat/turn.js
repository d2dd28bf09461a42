// @ts-check
/** A turn: what was said, thought, called, shown and answered, in order, and what can be done with it when it is over. */

import { css } from "./styles.js";
import { AnswerView } from "./answer.js";
import { CallView } from "./call.js";
import { CardView } from "./card.js";
import { copyButton } from "./clipboard.js";
import { button, make, take } from "./dom.js";
import { problem } from "./problem.js";
import { ReasoningView } from "./reasoning.js";
import { SaidView } from "./said.js";

export const looks = css`
  .turn { display: flex; flex-direction: column; gap: .75rem; margin-inline: -.25rem; padding: .375rem .25rem; }
  .turn.over { content-visibility: auto; contain-intrinsic-block-size: auto 14rem; }
  .call + .call, .reasoning + .call, .call + .reasoning { margin-block-start: -.375rem; }
  .end { display: flex; flex-direction: column; gap: .5rem; }
  .end > .actions:only-child { margin-block-start: -.75rem; }
  .end:empty { display: none; }
  .note { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem .75rem; color: var(--quiet); font-size: .875rem; }
  .note p { margin: 0; }
`;

/**
 * What views need of the chat.
 *
 * @typedef {object} Context
 * @property {import("./texts.js").Texts} texts
 * @property {import("./announcer.js").Announcer} announcer
 * @property {HTMLElement} host The element itself.
 * @property {string} base Where Litro is mounted.
 * @property {string} images Which images answers may show: "none", "origin", or origins.
 * @property {{focus(): void}} input Where the focus goes from what is taken away.
 * @property {boolean} isLive Whether what is drawn now is being said now: then it is read out.
 * @property {(turn: Turn) => void} retry
 * @property {(turn: Turn, said: import("./transcript.js").Said, text: string) => void} edit
 */

/** @typedef {import("./transcript.js").Turn} Turn */
/** @typedef {import("./transcript.js").Item} Item */
/** @typedef {{element: HTMLElement, update(): void, remove?(): void}} View */

/** @type {{[K in Exclude<Item["kind"], "error">]: new (item: any, context: Context, turn: Turn) => View}} */
const VIEWS = { said: SaidView, text: AnswerView, reasoning: ReasoningView, call: CallView, card: CardView };

export class TurnView {
  /** @type {Map<Item, View>} */
  #views = new Map();
  #end = make("div", { class: "end" });
  #shownEnd = "";

  /**
   * @param {Turn} turn
   * @param {Context} context
   */
  constructor(turn, context) {
    this.turn = turn;
    this.context = context;
    this.element = make("section", { class: "turn", part: "turn" }, this.#end);
    this.update(turn.items);
  }

  /**
   * Shows what has changed of these.
   * @param {Iterable<Item>} items
   */
  update(items) {
    for (const item of items) if (item.kind !== "error") this.#viewOf(item).update();
  }

  /**
   * Shows how it ended. Only the last turn can be asked again.
   * @param {boolean} isLast
   */
  close(isLast) {
    const { status } = this.turn;
    const version = `${status} ${isLast && status !== "completed"}`;
    if (status === null || version === this.#shownEnd) return;
    this.#shownEnd = version;
    this.element.classList.add("over");
    for (const old of [...this.#end.children]) take(old, this.context.input);
    this.#end.append(...this.#howItEnded(isLast));
    if (this.context.isLive) this.context.announcer.say(this.#end.querySelector("p")?.textContent ?? "");
    const text = answerOf(this.turn);
    if (!text) return;
    const copy = copyButton(this.context.texts.copyAnswer, () => text, this.context);
    this.#end.append(make("div", { class: "actions" }, copy));
  }

  remove() {
    for (const view of this.#views.values()) view.remove?.();
    this.element.remove();
  }

  /** @param {Item} item */
  #viewOf(item) {
    const known = this.#views.get(item);
    if (known) return known;
    const kind = /** @type {keyof typeof VIEWS} */ (item.kind);
    const view = new VIEWS[kind](item, this.context, this.turn);
    this.#views.set(item, view);
    this.#end.before(view.element);
    return view;
  }

  /** @param {boolean} isLast */
  #howItEnded(isLast) {
    const { texts, retry } = this.context;
    const { status, items } = this.turn;
    const again = { words: texts.askAgain, go: () => retry(this.turn) };
    const ways = isLast ? [again] : [];
    const errors = items.flatMap((item) => (item.kind === "error" ? item.error : []));
    if (status === "cancelled") {
      return [make("div", { class: "note" }, make("p", {}, texts.stopped), isLast && button(again.words, again.go, { class: "link" }))];
    }
    if (status === "interrupted") return [problem(texts.interrupted, ways)];
    if (status !== "failed") return [];
    if (errors.length === 0) return [problem(texts.failed, ways)];
    return errors.map(({ message, ref }) => problem(message, ways, ref && `${texts.reference}: ${ref}`));
  }
}

/** All that the model said in a turn. @param {Turn} turn */
function answerOf({ items }) {
  return items.flatMap((item) => (item.kind === "text" ? item.text.trim() : [])).join("\n\n");
}

/** All that people said in it. @param {Turn} turn */
export function questionOf({ items }) {
  return items.flatMap((item) => (item.kind === "said" ? item.text : [])).join("\n\n");
}
