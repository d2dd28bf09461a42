// @ts-check
/** What the person saw of one round: what was said, the answer, the calls in brief, and their cards, hydrated as in a chat. */

import { make, say } from "../chat/dom.js";
import { answerPart } from "./answer.js";
import { cardBox } from "./card.js";
import { count, span } from "./words.js";

/** @typedef {import("./turns.js").Turn} Turn */
/** @typedef {import("./turns.js").Call} Call */

const WORDS = { waits: "waits", runs: "is running", done: "is done", failed: "failed" };

export class PersonCell {
  /** @type {Map<string, {element: HTMLElement, update: (value: any) => void}>} */
  #parts = new Map();

  /** @param {number} number */
  constructor(number) {
    this.number = number;
    this.element = make("div", { "class": "cell person", "role": "group", "aria-label": `What the person saw in round ${number}` });
  }

  /** @type {(turn: Turn, round: import("./turns.js").Round | undefined) => void} */
  update(turn, round) {
    for (const said of turn.said) if (said.round === this.number) this.#part(`said ${said.id}`, textPart("said"), said.text);
    if (round?.reasoning) this.#part("reasoning", reasoningPart, round.reasoning);
    if (round?.text) this.#part("text", answerPart, { text: round.text, isDone: round.ended !== null || turn.status !== null });
    for (const call of round?.calls ?? []) this.#part(`call ${call.id}`, callPart, call);
    const isLast = turn.rounds.at(-1) === round;
    if (isLast) for (const error of turn.errors) this.#part(`error ${error.seq}`, textPart("fault"), error.message);
    this.element.classList.toggle("blank", !this.#parts.size);
  }

  /** @type {(name: string, build: () => {element: HTMLElement, update: (value: any) => void}, value: unknown) => void} */
  #part(name, build, value) {
    let part = this.#parts.get(name);
    if (!part) {
      part = build();
      this.#parts.set(name, part);
      this.element.append(part.element);
    }
    part.update(value);
  }
}

/** @param {string} kind */
function textPart(kind) {
  return () => {
    const element = make("div", { class: kind, dir: "auto" });
    return { element, update: (/** @type {string} */ text) => say(element, text) };
  };
}

function reasoningPart() {
  const text = make("div", { class: "text", dir: "auto" });
  const element = make("details", { class: "fold" }, make("summary", {}, "Reasoning"), text);
  return { element, update: (/** @type {string} */ words) => say(text, words) };
}

function callPart() {
  const dot = make("span", { class: "dot" });
  const name = make("span", { class: "mono" });
  const words = make("span", { class: "quiet-words" });
  const element = make("div", { class: "call" }, make("p", { class: "call-line" }, dot, name, words));
  let hasCard = false;
  const update = (/** @type {Call} */ call) => {
    element.dataset.call = call.id;
    element.dataset.state = call.state;
    say(name, call.name);
    say(words, callWords(call));
    if (!call.card || hasCard) return;
    hasCard = true;
    const note = make("p", { class: "channel-note" }, `A card: its HTML (${count(call.card.html.length)} characters) is for the person only. The model gets its data with the next request.`);
    element.append(cardBox(call.card), note);
  };
  return { element, update };
}

/** @param {Call} call */
function callWords({ state, started, ended, progress, error }) {
  const told = progress.at(-1)?.value;
  const share = state === "runs" && Number.isFinite(told?.done) ? ` (${count(told.done)}${told.total ? ` of ${count(told.total)}` : ""})` : "";
  const took = started && ended ? ` · ${span(ended - started)}` : "";
  return `${WORDS[state]}${share}${took}${error ? `: ${error.message}` : ""}`;
}
