// @ts-check
/** The log as it grows: filters, a list of which only what is seen is in the page, and the event that is looked at. */

import { button, make, say } from "../chat/dom.js";
import { go, here, hrefOf } from "./address.js";
import { copying, valueBox } from "./json.js";
import { EventList } from "./event-list.js";
import { count, exact } from "./words.js";

/** @typedef {import("../client.js").AgentEvent} AgentEvent */

/** Kinds that are left out, for as long as the page is open. @type {Set<string>} */
const hidden = new Set();

export class EventsPane {
  /** @type {AgentEvent[]} */
  #all = [];
  /** @type {AgentEvent[]} */
  #found = [];
  /** @type {Map<string, number>} */
  #kinds = new Map();
  #read = 0;
  #seq = 0;

  constructor() {
    this.kinds = make("div", { "class": "kinds", "role": "group", "aria-label": "Kinds of events" });
    this.search = make("input", { "type": "search", "placeholder": "Filter by text", "aria-label": "Filter by text", "autocomplete": "off", "spellcheck": "false", "input": () => this.#filter() });
    this.follow = make("input", { type: "checkbox", checked: true, change: () => this.follow.checked && this.list.toEnd() });
    this.count = make("span", { class: "quiet-words", role: "status" });
    this.detail = make("div", { "class": "detail sheet", "role": "region", "aria-label": "The chosen event" });
    this.list = new EventList({
      chosen: (event) => this.#choose(event),
      left: () => (this.follow.checked = false),
      reached: () => (this.follow.checked = true),
    });
    this.element = make(
      "div",
      { class: "events" },
      make("div", { class: "row bar" }, this.search, make("label", { class: "check" }, this.follow, "Follow"), button("Copy as NDJSON", () => void this.#copyAll(), { icon: "copy", class: "small" }), this.count),
      this.kinds,
      make("div", { class: "log" }, this.list.element, this.detail),
    );
    this.#show(null);
  }

  /** @param {import("./session.js").Scene} scene */
  update({ feed, at }) {
    const isFirst = this.#read === 0;
    this.#all = feed.events;
    const fresh = this.#all.slice(this.#read);
    this.#read = this.#all.length;
    if (fresh.length) this.#take(fresh);
    if (at.seq && at.seq !== this.#seq) this.#goTo(at.seq);
    else if (this.follow.checked && (fresh.length || isFirst)) this.list.toEnd();
  }

  /** @param {AgentEvent[]} fresh */
  #take(fresh) {
    const known = this.#kinds.size;
    for (const { kind } of fresh) this.#kinds.set(kind, (this.#kinds.get(kind) ?? 0) + 1);
    if (this.#kinds.size === known) for (const chip of this.kinds.children) say(/** @type {Element} */ (chip.lastElementChild), count(this.#kinds.get(chip.getAttribute("data-kind") ?? "") ?? 0));
    else this.kinds.replaceChildren(...[...this.#kinds].map(([kind, times]) => this.#chip(kind, times)));
    for (const event of fresh) if (this.#fits(event)) this.#found.push(event);
    this.#listed();
  }

  /** @type {(kind: string, times: number) => HTMLElement} */
  #chip(kind, times) {
    const chip = make("button", { "type": "button", "class": `chip kind-${kind}`, "data-kind": kind, "aria-pressed": String(!hidden.has(kind)), "click": () => {
      if (!hidden.delete(kind)) hidden.add(kind);
      chip.setAttribute("aria-pressed", String(!hidden.has(kind)));
      this.#filter();
    } }, kind, " ", make("span", {}, count(times)));
    return chip;
  }

  #filter() {
    this.#found = this.#all.filter((event) => this.#fits(event));
    this.#listed();
    if (this.follow.checked) this.list.toEnd();
  }

  /** @param {AgentEvent} event */
  #fits(event) {
    if (hidden.has(event.kind)) return false;
    const words = this.search.value.trim().toLowerCase();
    return !words || JSON.stringify(event).toLowerCase().includes(words);
  }

  #listed() {
    this.list.show(this.#found);
    const all = count(this.#all.length);
    say(this.count, this.#found.length === this.#all.length ? `${all} events` : `${count(this.#found.length)} of ${all} events`);
  }

  /** To an event of the address, once it is here. @param {number} seq */
  #goTo(seq) {
    const event = this.#all.find((one) => one.seq === seq);
    if (!event) return;
    this.follow.checked = false;
    if (!this.#fits(event)) {
      hidden.delete(event.kind);
      this.search.value = "";
      this.#filter();
      this.kinds.querySelector(`[data-kind="${event.kind}"]`)?.setAttribute("aria-pressed", "true");
    }
    this.list.choose(seq);
    this.#show(event);
  }

  /** @param {AgentEvent} event */
  #choose(event) {
    this.#show(event);
    go({ ...here(), tab: "events", seq: event.seq }, { isSmall: true });
  }

  /** @param {AgentEvent | null} event */
  #show(event) {
    this.#seq = event?.seq ?? 0;
    if (!event) return this.detail.replaceChildren(make("p", { class: "quiet-words" }, "Choose an event to see all of it."));
    const { seq, ts, turn, kind } = event;
    this.detail.replaceChildren(
      make("div", { class: "title" }, make("h3", {}, `#${seq} ${kind}`), copying("Copy a link to the event", () => location.href)),
      make("p", { class: "quiet-words" }, exact(ts), turn ? make("span", {}, " · ", make("a", { href: hrefOf({ ...here(), tab: "channels", turn, seq: undefined }) }, `turn ${turn}`)) : null),
      valueBox("Event", event, { isPlain: true }),
    );
  }

  /** What is listed, a line each, as the log has it. */
  async #copyAll() {
    await navigator.clipboard?.writeText(this.#found.map((event) => `${JSON.stringify(event)}\n`).join(""));
    say(this.count, `${count(this.#found.length)} events copied`);
  }
}
