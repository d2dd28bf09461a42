// @ts-check
/**
 * The two channels side by side, round by round: what the person saw, and what the model saw.
 *
 * A tool's card is for the person, its data for the model. Pointing at one lights up the other.
 */

import { make, say } from "../chat/dom.js";
import { PersonCell } from "./person.js";
import { requestCell } from "./request.js";
import { Requests } from "./requests.js";
import { count, span, tokens } from "./words.js";

/** @typedef {import("./requests.js").Asked} Asked */
/** @typedef {import("./turns.js").Turn} Turn */
/** @typedef {import("./turns.js").Round} Round */

export class ChannelsPane {
  /** @type {Requests | null} */
  #requests = null;
  /** @type {import("./session.js").Scene | null} */
  #scene = null;
  /** @type {Map<number, Row>} */
  #rows = new Map();
  #turn = 0;
  #notes = "";

  constructor() {
    this.notes = make("div", { class: "notes" });
    this.rows = make("div", { class: "rounds" });
    this.end = make("p", { class: "end" });
    const heads = make("div", { class: "heads" }, make("h3", { id: "person" }, "What the person saw"), make("h3", { id: "model" }, "What the model saw"));
    this.element = make(
      "div",
      { class: "channels", pointerover: (event) => this.#light(event), focusin: (event) => this.#light(event), pointerleave: (event) => this.#light(event) },
      this.notes, heads, this.rows, this.end,
    );
  }

  /** @param {import("./session.js").Scene} scene */
  update(scene) {
    this.#scene = scene;
    const { agent, session, turn, turns } = scene;
    this.element.hidden = !turn;
    if (!turn) return;
    this.#requests ??= new Requests(agent, session, () => this.#scene && this.update(this.#scene));
    if (turn.number !== this.#turn) this.#begin(turn.number);
    const asked = this.#requests.of(turn);
    const before = this.#requests.of(turns.all.get(turn.number - 1));
    const rounds = asked?.rounds ?? [];
    const numbers = new Set([...turn.rounds, ...rounds.map(({ round }) => ({ number: round }))].map(({ number }) => number));
    if (!numbers.size) numbers.add(1);
    for (const number of [...numbers].sort((a, b) => a - b)) {
      const at = rounds.findIndex(({ round }) => round === number);
      const earlier = at > 0 ? rounds[at - 1] : before?.rounds.at(-1);
      this.#row(number).update(turn, rounds[at] ?? null, earlier ?? null, turns);
    }
    this.#told(asked?.notes ?? []);
    say(this.end, turn.status ? endOf(turn) : "");
  }

  close() {
    this.#requests?.close();
  }

  /** @param {number} turn */
  #begin(turn) {
    this.#turn = turn;
    this.#rows.clear();
    this.rows.replaceChildren();
  }

  /** @param {number} number */
  #row(number) {
    const known = this.#rows.get(number);
    if (known) return known;
    const row = new Row(number);
    this.#rows.set(number, row);
    this.rows.append(row.element);
    return row;
  }

  /** @param {string[]} notes */
  #told(notes) {
    const wanted = notes.join("\n");
    if (wanted !== this.#notes) this.notes.replaceChildren(...notes.map((note) => make("p", { class: "note" }, note)));
    this.#notes = wanted;
  }

  /** What belongs to the same call lights up. @param {Event} event */
  #light({ target, type }) {
    const call = type !== "pointerleave" && target instanceof Element ? target.closest("[data-call]")?.getAttribute("data-call") : null;
    for (const one of this.element.querySelectorAll("[data-call]")) one.classList.toggle("lit", one.getAttribute("data-call") === call);
  }
}

/** A round in both channels. */
class Row {
  #shown = "";
  /** @type {Asked | null} */
  asked = null;
  /** @type {Asked | null} */
  before = null;

  /** @param {number} number */
  constructor(number) {
    this.number = number;
    this.facts = make("span", { class: "facts-line" });
    this.person = new PersonCell(number);
    this.model = make("div", { "class": "cell model", "role": "group", "aria-label": `What the model saw in round ${number}` });
    this.element = make(
      "section",
      { "class": "round", "aria-label": `Round ${number}` },
      make("div", { class: "round-head" }, make("h4", {}, `Round ${number}`), this.facts),
      this.person.element,
      this.model,
    );
  }

  /** @type {(turn: Turn, asked: Asked | null, before: Asked | null, turns: import("./turns.js").Turns) => void} */
  update(turn, asked, before, turns) {
    const round = turn.rounds.find(({ number }) => number === this.number);
    this.person.update(turn, round);
    say(this.facts, factsOf(round, asked));
    if (asked === this.asked && before === this.before && this.model.firstChild) return;
    [this.asked, this.before] = [asked, before];
    // The same once more, loaded anew, leaves what was unfolded as it is.
    const shown = JSON.stringify([asked, before?.request]);
    if (shown === this.#shown && this.model.firstChild) return;
    this.#shown = shown;
    this.model.replaceChildren(asked ? requestCell(asked, before, turns) : make("p", { class: "quiet-words" }, "The request is not known yet."));
  }
}

/** @type {(round: Round | undefined, asked: Asked | null) => string} */
function factsOf(round, asked) {
  const model = asked && [asked.model.provider, asked.model.name].filter(Boolean).join(" ");
  const took = round?.ended ? span(round.ended - round.asked) : "";
  const stop = round?.stop && round.stop !== "end" && round.stop !== "tools" ? `stopped by ${round.stop}` : "";
  return [model, took, tokens(round?.usage ?? null), stop].filter(Boolean).join(" · ");
}

/** @param {Turn} turn */
function endOf({ status, began, ended, rounds }) {
  const took = ended ? ` after ${span(ended - began)}` : "";
  return `The turn was ${status}${took}, with ${count(rounds.length)} ${rounds.length === 1 ? "request" : "requests"} to the model.`;
}
