// @ts-check
/** Which turn of a session is looked at. */

import { button, make } from "../chat/dom.js";
import { go, here } from "./address.js";
import { brief } from "./words.js";

export class TurnPicker {
  #shown = "";

  constructor() {
    this.select = make("select", { "aria-label": "Turn", "change": () => this.#go(Number(this.select.value)) });
    this.back = button("Turn before", () => this.#step(-1), { icon: "chevron", isQuiet: true, class: "quiet flipped" });
    this.forth = button("Next turn", () => this.#step(1), { icon: "chevron", isQuiet: true });
    this.element = make("div", { class: "picker" }, this.back, this.select, this.forth);
  }

  /** @type {(turns: import("./turns.js").Turns, turn: import("./turns.js").Turn | null, at: import("./address.js").At) => void} */
  show({ all }, turn, { tab }) {
    // The events are of all turns.
    this.element.hidden = !turn || tab === "events";
    const turns = [...all.values()];
    const shown = JSON.stringify(turns.map(({ number, said, status }) => [number, said[0]?.text, status]));
    if (shown !== this.#shown) this.select.replaceChildren(...turns.map(optionOf));
    this.#shown = shown;
    if (!turn) return;
    this.select.value = String(turn.number);
    this.back.disabled = turn.number === turns[0]?.number;
    this.forth.disabled = turn.number === turns.at(-1)?.number;
  }

  /** @param {number} by */
  #step(by) {
    const option = this.select.options[this.select.selectedIndex + by];
    if (option) this.#go(Number(option.value));
  }

  /** The newest stays the newest, also when another begins. @param {number} number */
  #go(number) {
    const isNewest = number === Number(this.select.options[this.select.length - 1]?.value);
    go({ ...here(), turn: isNewest ? undefined : number, seq: undefined });
  }
}

/** @param {import("./turns.js").Turn} turn */
function optionOf({ number, said, status }) {
  const how = status === "completed" ? "" : ` (${status ?? "running"})`;
  return make("option", { value: number }, `Turn ${number}${how}: ${brief(said[0]?.text ?? "", 60)}`);
}
