// @ts-check
/** A list of which only what is seen is in the page, whatever its length. The arrows choose. */

import { make } from "../chat/dom.js";
import { brief } from "./words.js";

/** @typedef {import("../client.js").AgentEvent} AgentEvent */

/** Rows that are made beyond those that are seen. */
const MORE = 12;
/** A row's height in rem, as the style has it. */
const ROW = 1.625;
/** Pixels from the end that are still the end. */
const NEAR = 8;

export class EventList {
  /** @type {AgentEvent[]} */
  #events = [];
  #chosen = 0;
  #isOurs = false;
  #drawn = "";

  /** @param {{chosen: (event: AgentEvent) => void, left: () => void, reached: () => void}} told */
  constructor(told) {
    this.told = told;
    this.rows = make("div", { class: "rows", role: "presentation" });
    this.space = make("div", { class: "space", role: "presentation" }, this.rows);
    this.element = make(
      "div",
      { "class": "list", "role": "listbox", "tabindex": 0, "aria-label": "Events", "scroll": () => this.#scrolled(), "keydown": (event) => this.#key(event), "click": (event) => this.#click(event) },
      this.space,
    );
    new ResizeObserver(() => this.#draw()).observe(this.element);
  }

  get #height() {
    return ROW * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  }

  /** @param {AgentEvent[]} events */
  show(events) {
    this.#events = events;
    this.#drawn = "";
    this.#draw();
  }

  toEnd() {
    this.#isOurs = true;
    this.#draw();
    this.element.scrollTop = this.element.scrollHeight;
    this.#draw();
  }

  /** Chooses an event, and brings it into view. @param {number} seq */
  choose(seq) {
    this.#chosen = seq;
    const at = this.#events.findIndex((event) => event.seq === seq);
    const { scrollTop, clientHeight } = this.element;
    const top = at * this.#height;
    if (top < scrollTop || top + this.#height > scrollTop + clientHeight) {
      this.#isOurs = true;
      this.element.scrollTop = top - clientHeight / 2;
    }
    this.#drawn = "";
    this.#draw();
  }

  #scrolled() {
    this.#draw();
    const { scrollTop, clientHeight, scrollHeight } = this.element;
    const isAtEnd = scrollTop + clientHeight >= scrollHeight - NEAR;
    // Only somebody who scrolls away stops what follows.
    if (!this.#isOurs) isAtEnd ? this.told.reached() : this.told.left();
    this.#isOurs = false;
  }

  #draw() {
    const height = this.#height;
    const { scrollTop, clientHeight } = this.element;
    const first = Math.max(0, Math.floor(scrollTop / height) - MORE);
    const last = Math.min(this.#events.length, Math.ceil((scrollTop + clientHeight) / height) + MORE);
    this.space.style.blockSize = `${this.#events.length * height}px`;
    const drawn = `${first} ${last} ${this.#events.length}`;
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    this.rows.style.translate = `0 ${first * height}px`;
    this.rows.replaceChildren(...this.#events.slice(first, last).map((event, at) => this.#row(event, first + at)));
    const isSeen = this.#events.slice(first, last).some(({ seq }) => seq === this.#chosen);
    if (isSeen) this.element.setAttribute("aria-activedescendant", `event-${this.#chosen}`);
    else this.element.removeAttribute("aria-activedescendant");
  }

  /** @type {(event: AgentEvent, at: number) => HTMLElement} */
  #row(event, at) {
    const { seq, ts, turn, round, kind, call } = event;
    const options = { "role": "option", "id": `event-${seq}`, "data-at": at, "aria-selected": String(seq === this.#chosen), "aria-setsize": this.#events.length, "aria-posinset": at + 1 };
    const since = at ? ts - (this.#events[at - 1]?.ts ?? ts) : 0;
    return make(
      "div",
      { class: `event kind-${kind}`, ...options },
      make("span", { class: "seq" }, String(seq)),
      make("span", { class: "since" }, since ? `+${since}` : ""),
      make("span", { class: "place" }, `${turn || "–"}${round ? `.${round}` : ""}`),
      make("span", { class: "kind" }, kind),
      make("span", { class: "about" }, [call, brief(aboutOf(event), 300)].filter(Boolean).join("  ")),
    );
  }

  /** @param {MouseEvent} event */
  #click({ target }) {
    const row = target instanceof Element ? target.closest("[data-at]") : null;
    if (row) this.#take(Number(row.getAttribute("data-at")));
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const at = this.#events.findIndex(({ seq }) => seq === this.#chosen);
    const page = Math.max(1, Math.floor(this.element.clientHeight / this.#height) - 1);
    const last = this.#events.length - 1;
    // The first step goes to what is in sight, not to the beginning.
    const from = at < 0 ? Math.ceil(this.element.scrollTop / this.#height) - 1 : at;
    const to = { ArrowDown: from + 1, ArrowUp: from - 1, PageDown: from + page, PageUp: from - page, Home: 0, End: last }[event.key];
    if (to === undefined || last < 0) return;
    event.preventDefault();
    this.#take(Math.min(last, Math.max(0, to)));
  }

  /** @param {number} at */
  #take(at) {
    const event = this.#events[at];
    if (!event) return;
    this.told.left();
    this.choose(event.seq);
    this.told.chosen(event);
  }
}

/** @param {AgentEvent} event */
function aboutOf({ kind, payload }) {
  if (kind === "message") return `${payload.role}: ${payload.text || `calls ${(payload.calls ?? []).length} ${payload.calls?.length === 1 ? "tool" : "tools"}`}`;
  if (kind === "tool-call") return `${payload.name}(${JSON.stringify(payload.input)})`;
  if (kind === "ui") return `data ${JSON.stringify(payload.data)}, html ${payload.html}`;
  if (kind === "error" || kind === "tool-error") return `${payload.type}: ${payload.message}`;
  if (kind === "turn-end") return payload.status;
  return typeof payload?.text === "string" ? payload.text : JSON.stringify(payload).slice(0, 400);
}
