// @ts-check
/** A turn as bars on an axis of time, and the same as a table. */

import { make, say } from "../chat/dom.js";
import { go, here, hrefOf } from "./address.js";
import { marksOf, stepsOf, stepWords } from "./spans.js";
import { span } from "./words.js";

/** @typedef {import("./spans.js").Step} Step */

/** Milliseconds between two looks at what runs. */
const PACE = 250;

/** Beyond this share of the axis, a mark's words would not fit. */
const LAST = 0.94;

const LEGEND = [["wait", "waits"], ["speak", "the model streams"], ["run", "a tool runs"], ["tick", "progress"]];

export class TimelinePane {
  /** @type {import("./session.js").Scene | null} */
  #scene = null;
  /** @type {Map<string, Bar>} */
  #bars = new Map();
  #turn = 0;
  #rows = "";

  constructor() {
    this.axis = make("div", { "class": "axis", "aria-hidden": "true" });
    this.bars = make("ol", { "class": "bars", "aria-label": "Steps of the turn" });
    this.read = make("p", { class: "readout" });
    this.body = make("tbody", {});
    const legend = make("p", { "class": "legend", "aria-hidden": "true" }, ...LEGEND.flatMap(([kind, words]) => [make("span", { class: `key ${kind}` }), make("span", {}, words ?? "")]));
    const heads = ["Step", "Begins at", "Waits", "Takes", "More", "Event"].map((words) => make("th", { scope: "col" }, words));
    this.table = make("div", { "class": "scroll", "tabindex": 0, "role": "group", "aria-label": "The turn's steps as a table" }, make("table", {}, make("caption", {}, "The same in numbers"), make("thead", {}, make("tr", {}, ...heads)), this.body));
    this.element = make("div", { class: "timeline" }, make("div", { class: "sheet chart" }, legend, this.axis, this.bars, this.read), this.table);
    this.timer = setInterval(() => this.#scene?.turn?.status === null && this.update(this.#scene), PACE);
  }

  /** @param {import("./session.js").Scene} scene */
  update(scene) {
    this.#scene = scene;
    const { turn } = scene;
    this.element.hidden = !turn;
    if (!turn) return;
    if (turn.number !== this.#turn) this.#begin(turn.number);
    const now = turn.status === null ? Date.now() : turn.latest;
    const steps = stepsOf(turn, now);
    const start = Math.min(turn.began, ...steps.map(({ begins }) => begins));
    const length = Math.max(1, (turn.ended ?? now) - start);
    this.#mark(length);
    for (const step of steps) this.#bar(step).draw(step, start, length);
    const rows = JSON.stringify(steps);
    if (rows !== this.#rows) this.body.replaceChildren(...steps.map((step) => rowOf(step, start)));
    this.#rows = rows;
    if (!this.read.dataset.step) say(this.read, `The turn ${turn.status === null ? "runs since" : "took"} ${span(length)}. Point at a step for its numbers; press it for its events.`);
  }

  close() {
    clearInterval(this.timer);
  }

  /** @param {number} turn */
  #begin(turn) {
    this.#turn = turn;
    this.#bars.clear();
    this.bars.replaceChildren();
    delete this.read.dataset.step;
  }

  /** @param {number} length */
  #mark(length) {
    const marks = marksOf(length).filter((at) => at <= length * LAST).map((at) => {
      const mark = make("span", {}, span(at));
      mark.style.insetInlineStart = `${(at / length) * 100}%`;
      return mark;
    });
    this.axis.replaceChildren(make("div", { class: "track" }, ...marks));
  }

  /** @param {Step} step */
  #bar({ key }) {
    const known = this.#bars.get(key);
    if (known) return known;
    const bar = new Bar((words) => {
      this.read.dataset.step = key;
      say(this.read, words);
    });
    this.#bars.set(key, bar);
    this.bars.append(bar.element);
    return bar;
  }
}

/** A step's line of the chart. */
class Bar {
  #words = "";
  #seq = 0;

  /** @param {(words: string) => void} told */
  constructor(told) {
    this.name = make("span", { class: "bar-name" });
    this.track = make("span", { class: "track" });
    this.took = make("span", { class: "bar-took" });
    this.button = make(
      "button",
      { type: "button", class: "bar", focus: () => told(this.#words), pointerenter: () => told(this.#words), click: () => go({ ...here(), tab: "events", seq: this.#seq }) },
      this.name, this.track, this.took,
    );
    this.element = make("li", {}, this.button);
  }

  /** @type {(step: Step, start: number, length: number) => void} */
  draw(step, start, length) {
    this.#words = stepWords(step, start);
    this.#seq = step.seq;
    this.button.setAttribute("aria-label", this.#words);
    this.button.className = `bar ${step.kind}`;
    this.button.dataset.state = step.state;
    say(this.name, step.name);
    say(this.took, span((step.waits ?? 0) + (step.takes ?? 0)));
    const place = (/** @type {HTMLElement} */ part, /** @type {number} */ from, /** @type {number} */ to) => {
      part.style.insetInlineStart = `${((from - start) / length) * 100}%`;
      part.style.inlineSize = `${(Math.max(0, to - from) / length) * 100}%`;
      return part;
    };
    const parts = step.parts.filter(({ from, to }) => to > from).map(({ kind, from, to }) => place(make("span", { class: `part ${kind}` }), from, to));
    const ticks = step.ticks.map(({ at }) => place(make("span", { class: "tick" }), at, at));
    this.track.replaceChildren(...parts, ...ticks);
  }
}

/** @type {(step: Step, start: number) => HTMLElement} */
function rowOf({ kind, name, begins, waits, takes, more, seq, state }, start) {
  const time = (/** @type {number | null} */ ms) => make("td", { class: "number" }, ms === null ? "–" : span(ms));
  return make(
    "tr",
    {},
    make("th", { scope: "row", class: kind }, name, state === "failed" && make("span", { class: "badge broken" }, "failed")),
    time(begins - start), time(waits), time(takes),
    make("td", {}, more),
    make("td", { class: "number" }, make("a", { "href": hrefOf({ ...here(), tab: "events", seq }), "aria-label": `Event ${seq}` }, `#${seq}`)),
  );
}
