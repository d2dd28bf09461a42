// @ts-check
/** The side: agents, and the sessions of the one that is looked at. */

import { button, heard, make, say } from "../chat/dom.js";
import { go, hrefOf } from "./address.js";
import { load, wordsOf } from "./api.js";
import { ago, counted } from "./words.js";

/** @typedef {import("./api.js").SessionInfo} SessionInfo */
/** @typedef {import("./address.js").At} At */

/** Milliseconds between looks for sessions that are new, or have begun to run. */
const PACE = 4000;
/** Pages that a search reads by itself. */
const PAGES = 20;

export class Side {
  /** @type {SessionInfo[]} */
  #sessions = [];
  /** @type {string | null} */
  #next = null;
  /** @type {At} */
  #at = {};
  #agents = "";
  #shown = "";
  #reading = 0;

  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
    this.agents = make("ul", { "aria-labelledby": "agents-title" });
    this.new = button("New chat", () => this.#newChat(), { icon: "plus", class: "small new" });
    this.search = make("input", { "type": "search", "placeholder": "Search sessions", "aria-label": "Search sessions", "autocomplete": "off", "spellcheck": "false", "input": () => void this.#searched() });
    this.list = make("ul", { "class": "sessions", "aria-labelledby": "sessions-title" });
    this.note = make("p", { class: "none", role: "status" });
    this.more = button("Load more", () => void this.#more(), { class: "small" });
    this.more.hidden = true;
    element.append(
      make("h2", { id: "agents-title" }, "Agents"),
      this.agents,
      make("div", { class: "row" }, make("h2", { id: "sessions-title" }, "Sessions"), this.new),
      this.search,
      this.list,
      this.note,
      this.more,
    );
    setInterval(() => document.hidden || this.refresh(), PACE);
  }

  /** @type {(project: import("./api.js").Project, at: At) => void} */
  show({ agents }, at) {
    const isOther = at.agent !== this.#at.agent;
    this.#at = at;
    this.new.hidden = !at.agent;
    const wanted = JSON.stringify([agents.map(({ name, status }) => [name, status]), at.agent, at.session, at.tool]);
    if (wanted !== this.#agents) this.#keepFocus(() => this.agents.replaceChildren(...agents.map((agent) => agentItem(agent, at))));
    this.#agents = wanted;
    if (isOther) {
      this.#sessions = [];
      this.#next = null;
      void this.refresh();
    }
    this.#draw();
  }

  /** Looks at the newest sessions again; those that were read before stay. */
  async refresh() {
    const reading = (this.#reading += 1);
    const { agent } = this.#at;
    if (!agent) return;
    try {
      const page = await load(query(agent, null));
      if (reading !== this.#reading) return;
      const fresh = new Set(page.sessions.map((/** @type {SessionInfo} */ { session }) => session));
      const older = this.#sessions.filter(({ session }) => !fresh.has(session));
      // Where everything fits into one page, what is not in it is gone.
      this.#sessions = page.next ? [...page.sessions, ...older] : page.sessions;
      if (!older.length || !page.next) this.#next = page.next;
      this.#draw();
    } catch (error) {
      say(this.note, wordsOf(error));
    }
  }

  async #more() {
    const { agent } = this.#at;
    if (!agent || !this.#next) return;
    const page = await load(query(agent, this.#next));
    if (agent !== this.#at.agent) return;
    this.#next = page.next;
    const known = new Set(this.#sessions.map(({ session }) => session));
    this.#sessions.push(...page.sessions.filter((/** @type {SessionInfo} */ { session }) => !known.has(session)));
    this.#draw();
  }

  /** A search is in all of them, so it reads on. */
  async #searched() {
    this.#draw();
    for (let pages = 0; pages < PAGES && this.#next && this.search.value; pages += 1) await this.#more();
  }

  #draw() {
    const words = this.search.value.trim().toLowerCase();
    const found = this.#sessions.filter(({ session, title, owner }) => `${session} ${title ?? ""} ${owner ?? ""}`.toLowerCase().includes(words));
    const wanted = JSON.stringify([found, this.#at.session, Math.floor(Date.now() / 60_000)]);
    if (wanted !== this.#shown) this.#keepFocus(() => this.list.replaceChildren(...found.map((one) => sessionItem(one, this.#at))));
    this.#shown = wanted;
    this.more.hidden = !this.#next;
    say(this.note, found.length ? "" : words ? "No session is like this." : "None yet. Start one with New chat.");
  }

  /** @param {() => void} change */
  #keepFocus(change) {
    const focused = document.activeElement;
    const href = this.element.contains(focused) ? focused?.getAttribute("data-key") : null;
    change();
    if (href) /** @type {HTMLElement | null} */ (this.element.querySelector(`[data-key="${CSS.escape(href)}"]`))?.focus();
  }

  #newChat() {
    const session = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0")).join("");
    go({ agent: this.#at.agent, session, chat: true });
  }
}

/** @type {(agent: string, cursor: string | null) => string} */
function query(agent, cursor) {
  return `sessions?${new URLSearchParams({ agent, limit: "50", ...(cursor ? { cursor } : {}) })}`;
}

/** @type {(agent: import("./api.js").AgentInfo, at: At) => HTMLElement} */
function agentItem({ name, status }, at) {
  const isHere = name === at.agent;
  const current = isHere ? (at.session || at.tool ? "true" : "page") : null;
  return make("li", {}, make(
    "a",
    { "href": hrefOf({ agent: name }), "aria-current": current, "data-key": `agent ${name}` },
    make("span", { class: "name" }, name),
    status !== "ok" && make("span", { class: `badge ${status}` }, status),
  ));
}

/** @type {(info: SessionInfo, at: At) => HTMLElement} */
function sessionItem({ agent, session, title, owner, updated, tail, running }, at) {
  const isLive = running !== null;
  return make("li", {}, make(
    "a",
    { "href": hrefOf({ agent, session, tab: at.tab, chat: at.chat }), "aria-current": session === at.session ? "page" : null, "data-key": `session ${session}` },
    make("span", { class: title ? "name" : "name mono" }, title ?? session),
    isLive && make("span", { class: "live" }, heard("running")),
    make("span", { class: "more" }, [owner, counted(tail, "event"), ago(updated)].filter(Boolean).join(" · ")),
  ));
}
