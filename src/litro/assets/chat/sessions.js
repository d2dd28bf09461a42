// @ts-check
/**
 * The list of a principal's sessions with the agent: beside the chat where there is room, over it where there is not.
 *
 * Pages are read as somebody scrolls to them, and all of them while somebody searches. It changes nothing but names, and what
 * somebody deletes; which session is shown is the chat's to say.
 */

import { agentSession, agentSessions } from "../client.js";
import { button, make, say } from "./dom.js";
import { ROOM } from "./header.js";
import { Pages, matches } from "./pages.js";
import { newId } from "./place.js";
import { problem } from "./problem.js";
import * as row from "./sessionrow.js";
import { adopt, css } from "./styles.js";
import { Tabs, hint } from "./tabs.js";

const looks = css`
  .frame:has(> .sessions) { position: relative; }
  .sessions { display: flex; flex: none; flex-direction: column; inline-size: 17.5rem; min-block-size: 0; border-inline-end: 1px solid var(--line); background: var(--sunk); }
  .sessions > header { display: flex; align-items: center; gap: .25rem; min-block-size: 3.25rem; padding-block: .375rem; padding-inline: 1rem .5rem; }
  .sessions h2 { flex: 1; margin: 0; font-size: 1rem; font-weight: 600; }
  .sessions > label { padding: 0 .75rem .5rem; }
  .sessions input[type="search"] { inline-size: 100%; block-size: 2.25rem; padding-inline: .75rem; border: 1px solid var(--edge); border-radius: 1.125rem; background: var(--page); color: inherit; font: inherit; font-size: .9375rem; }
  .sessions .found { margin: 0; padding: 0 1.25rem .375rem; color: var(--quiet); font-size: .8125rem; }
  .sessions .found:empty { display: none; }
  .sessions .pages { flex: 1; min-block-size: 0; padding: 0 .5rem .5rem; overflow: hidden auto; overscroll-behavior: contain; scrollbar-width: thin; scrollbar-color: var(--line) transparent; }
  .sessions ul { display: grid; gap: .125rem; margin: 0; padding: 0; list-style: none; grid-template-columns: minmax(0, 1fr); }
  .sessions .problem { margin: .5rem .25rem; font-size: .875rem; }
  .sessions.over { position: absolute; z-index: 3; inset-block: 0; inset-inline-start: 0; inline-size: min(20rem, 88%); box-shadow: 0 0 2rem #0005; }
  .shade { position: absolute; z-index: 2; inset: 0; background: #0006; }
  @media (max-height: 22rem) { .sessions { overflow-y: auto; } .sessions .pages { flex: none; overflow: visible; } }
`;

/** Milliseconds between two looks at sessions that are being answered. */
const LOOK = 4000;

/** Sessions of a page while somebody searches; else the server says. */
const MANY = 200;

export class SessionList {
  isOpen = false;
  /** @type {Map<string, row.SessionRow>} */
  #rows = new Map();
  #pages = new Pages((cursor) => this.#read(cursor));
  /** The row at which Tab stops. @type {row.SessionRow | null} */
  #stop = null;
  /** What is being read. @type {Promise<void> | null} */
  #reading = null;
  #isStale = false;
  #of;
  /** Whether it opened by itself and nobody has used it: then it goes where there is no more room for it. */
  #isUnasked = false;
  /** What ends with the list being open. */
  #open = new AbortController();
  /** @type {HTMLElement | null} */
  #trouble = null;

  /**
   * @param {import("../chat.js").LitroChat} chat
   * @param {(how: {isChosen: boolean, givesFocus: boolean}) => void} [closed] Is told that it has closed, whether a session was chosen
   *   in it, and whether the focus is to go elsewhere.
   */
  constructor(chat, closed = () => {}) {
    this.chat = chat;
    this.#of = this.#name;
    this.closed = closed;
    const { texts } = chat;
    this.texts = texts;
    this.search = make("input", { "type": "search", "aria-label": texts.searchChats, "placeholder": texts.searchChats, "autocomplete": "off", "input": () => this.#find() });
    this.found = make("p", { class: "found", role: "status" });
    this.list = make("ul", { "role": "list", "aria-label": texts.sessions });
    this.edge = make("div", { "class": "edge", "aria-hidden": "true" });
    this.scroller = make("div", { class: "pages" }, this.list, this.edge);
    const close = button(texts.closeChats, () => this.close(), { icon: "cross", isQuiet: true });
    this.newChat = button(texts.newChat, () => this.#begin(), { icon: "plus", isQuiet: true });
    const head = make("header", {}, make("h2", {}, texts.sessions), this.newChat, close);
    const hear = { keydown: (/** @type {KeyboardEvent} */ event) => this.#key(event) };
    this.element = make("section", { "class": "sessions", "part": "sessions", "aria-label": texts.sessions, "hidden": true, ...hear }, head, make("label", {}, this.search), this.found, this.scroller);
    this.shade = make("div", { class: "shade", click: () => this.close() });
    this.list.addEventListener("focusin", (event) => this.#stopAt(this.#rowOf(event.target)));
    adopt(chat.shadowRoot, row.looks, looks);
  }

  /** Shows or hides it; whether it is shown now. */
  toggle() {
    if (this.isOpen) this.close();
    else this.open();
    return this.isOpen;
  }

  /** @param {{isFocused?: boolean}} [how] */
  open({ isFocused = true } = {}) {
    if (this.isOpen) return;
    this.isOpen = true;
    this.#isUnasked = !isFocused;
    this.element.hidden = false;
    const { signal } = (this.#open = new AbortController());
    this.#hear(signal);
    this.#fit();
    if (isFocused) this.search.focus();
    void this.refresh();
  }

  /** @param {boolean} [isChosen] */
  close(isChosen = false) {
    if (!this.isOpen) return;
    // Whoever did not ask for it may be writing by now.
    const givesFocus = !this.#isUnasked;
    this.isOpen = false;
    this.#open.abort();
    this.element.hidden = true;
    this.#fit();
    this.closed({ isChosen, givesFocus });
  }

  /** Reads again what may have changed. */
  async refresh() {
    this.#isStale = true;
    while (this.#isStale && this.isOpen) {
      if (this.#reading) await this.#reading;
      else {
        this.#isStale = false;
        await this.#load(() => this.#pages.refresh());
      }
    }
  }

  /** @param {AbortSignal} signal */
  #hear(signal) {
    const { chat } = this;
    const refresh = () => document.hidden || void this.refresh();
    this.element.addEventListener("focusin", () => (this.#isUnasked = false), { signal });
    chat.addEventListener("litro-turn-end", refresh, { signal });
    chat.addEventListener("litro-session", () => this.#changed(), { signal });
    document.addEventListener("visibilitychange", refresh, { signal });
    const tabs = new Tabs(this.#name, refresh);
    const sizes = new ResizeObserver(() => (this.#isUnasked && chat.clientWidth < ROOM ? this.close() : this.#fit()));
    sizes.observe(chat);
    const edges = new IntersectionObserver(([entry]) => entry?.isIntersecting && void this.#more(), { root: this.scroller, rootMargin: "400px" });
    edges.observe(this.edge);
    const looks = setInterval(() => this.#look(), LOOK);
    signal.addEventListener("abort", () => {
      tabs.close();
      sizes.disconnect();
      edges.disconnect();
      clearInterval(looks);
    });
  }

  /** Whose sessions these are, as other tabs are told. */
  get #name() {
    return `${this.chat.base} ${this.chat.agent}`;
  }

  /** The chat shows another session, or has another agent. */
  #changed() {
    if (this.#of === this.#name) return this.#draw();
    this.#of = this.#name;
    this.#pages = new Pages((cursor) => this.#read(cursor));
    this.#draw();
    void this.refresh();
  }

  #look() {
    if (!this.chat.isConnected) this.close();
    else if (this.#pages.isAnyRunning && !document.hidden) void this.refresh();
  }

  /** Beside the chat, or over it: then nothing else can be used meanwhile. */
  #fit() {
    const isOver = this.isOpen && this.chat.clientWidth < ROOM;
    this.element.classList.toggle("over", isOver);
    this.element.role = isOver ? "dialog" : null;
    // Beside the chat, its own button for that is in sight.
    this.newChat.hidden = !isOver;
    this.element.ariaModal = isOver ? "true" : null;
    const { parentElement } = this.element;
    for (const sibling of parentElement?.children ?? []) {
      if (sibling instanceof HTMLElement && sibling !== this.element && sibling !== this.shade) sibling.inert = isOver;
    }
    if (isOver) this.element.after(this.shade);
    else this.shade.remove();
  }

  /** @param {string | null} cursor */
  #read(cursor) {
    const { chat } = this;
    return agentSessions(chat.agent, { ...chat.options, cursor, limit: this.#words ? MANY : undefined });
  }

  get #words() {
    return this.search.value.trim();
  }

  /** Reads one page at a time. @param {() => Promise<void>} read */
  #load(read) {
    const { signal } = this.#open;
    this.#reading ??= read()
      .then(() => this.#fail(null))
      .catch((error) => {
        if (!signal.aborted) this.#fail(error);
      })
      .finally(() => {
        this.#reading = null;
        this.#draw();
      });
    return this.#reading;
  }

  async #more() {
    if (this.#pages.isWhole || this.#trouble || !this.isOpen) return;
    await this.#load(() => this.#pages.more());
    // As long as its end is in sight, or somebody searches, there is no end yet.
    if (this.#words || this.#isEndNear()) await this.#more();
  }

  #isEndNear() {
    const { scrollHeight, scrollTop, clientHeight } = this.scroller;
    return clientHeight > 0 && scrollHeight - scrollTop - clientHeight < 400;
  }

  #find() {
    this.#draw();
    void this.#more();
  }

  /** @param {unknown} error */
  #fail(error) {
    this.#trouble?.remove();
    this.#trouble = null;
    if (error === null) return;
    const words = this.texts.notListed(error instanceof Error ? error.message : String(error));
    const again = { words: this.texts.tryAgain, go: () => void this.#again() };
    this.#trouble = problem(words, [again]);
    this.#trouble.role = "alert";
    this.scroller.append(this.#trouble);
  }

  async #again() {
    if (this.#trouble?.matches(":focus-within")) this.search.focus();
    this.#fail(null);
    await this.refresh();
    await this.#more();
  }

  /** Shows what is known, of it what is searched. */
  #draw() {
    const words = this.#words;
    const all = this.#pages.sessions;
    const root = /** @type {ShadowRoot | Document} */ (this.element.getRootNode());
    const focused = "activeElement" in root ? root.activeElement : null;
    const shown = all.map((info) => this.#rowFor(info)).filter((row) => row.isBusy || !words || matches(row.title, words));
    const ids = new Set(all.map(({ session }) => session));
    for (const [id, row] of this.#rows) if (!ids.has(id)) this.#forget(row);
    const wanted = new Set(shown);
    for (const row of this.#rows.values()) if (!wanted.has(row)) row.element.remove();
    let at = this.list.firstElementChild;
    for (const { element } of shown) {
      if (element === at) at = at.nextElementSibling;
      else this.list.insertBefore(element, at);
    }
    // What is moved loses the focus.
    if (focused instanceof HTMLElement && this.list.contains(focused)) focused.focus({ preventScroll: true });
    if (!this.#stop || !wanted.has(this.#stop)) this.#stopAt(shown.find((row) => row.id === this.chat.session) ?? shown[0] ?? null);
    this.#say(shown.length, all.length);
  }

  /** @type {(shown: number, all: number) => void} */
  #say(shown, all) {
    const { texts } = this;
    const isWhole = this.#pages.isWhole;
    if (!this.#words) return say(this.found, isWhole && all === 0 ? texts.noChats : "");
    say(this.found, isWhole || this.#trouble ? texts.foundChats(shown) : texts.searching);
  }

  /** @param {import("../client.js").SessionInfo} info */
  #rowFor(info) {
    const known = this.#rows.get(info.session);
    const made = known ?? new row.SessionRow(info, this.texts, {
      pick: (row) => this.#pick(row),
      rename: (row, title) => this.#rename(row, title),
      remove: (row) => this.#remove(row),
    });
    if (!known) this.#rows.set(info.session, made);
    made.show(info, info.session === this.chat.session, told(info.updated, this.chat.lang));
    return made;
  }

  /** Takes a row away; the next one has its focus. @param {row.SessionRow} row */
  #forget(row) {
    const hadFocus = row.element.matches(":focus-within");
    const beside = row.element.nextElementSibling ?? row.element.previousElementSibling;
    const next = this.#rowOf(beside);
    this.#rows.delete(row.id);
    row.element.remove();
    if (this.#stop === row) this.#stopAt(next);
    if (hadFocus) (next ?? this.search).focus();
  }

  /** @param {row.SessionRow} row */
  #pick(row) {
    const isOver = this.element.classList.contains("over");
    this.chat.open(row.id);
    this.#draw();
    if (isOver) this.close(true);
  }

  #begin() {
    this.close(true);
    this.chat.newChat();
  }

  /** @type {(row: row.SessionRow, title: string) => Promise<void>} */
  async #rename(row, title) {
    const { chat } = this;
    this.#pages.rename(row.id, await agentSession(chat.agent, row.id, chat.options).rename(title));
    hint(this.#name);
    this.#draw();
  }

  /** @param {row.SessionRow} row */
  async #remove(row) {
    const { chat } = this;
    const isShown = row.id === chat.session;
    try {
      await agentSession(chat.agent, row.id, chat.options).delete();
    } catch (error) {
      // Somebody was quicker.
      if (!(error instanceof Error && "type" in error && error.type === "unknown-session")) throw error;
    }
    this.#pages.delete(row.id);
    hint(this.#name);
    this.#draw();
    if (!isShown) return;
    this.chat.open(newId());
    this.#draw();
  }

  /** @param {EventTarget | null} target */
  #rowOf(target) {
    const element = target instanceof Element ? target.closest(".session") : null;
    return [...this.#rows.values()].find((row) => row.element === element) ?? null;
  }

  /** @param {row.SessionRow | null} row */
  #stopAt(row) {
    if (this.#stop) this.#stop.isStop = false;
    this.#stop = row;
    if (row) row.isStop = true;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.isComposing) return;
    const row = this.#rowOf(event.target);
    if (event.key === "Escape") this.#escape(event, row);
    else if (event.key === "ArrowDown" && event.target === this.search) this.#goTo(event, this.list.firstElementChild);
    else if (row && !row.isBusy) this.#keyInRow(event, row);
  }

  /** @type {(event: KeyboardEvent, row: row.SessionRow | null) => void} */
  #escape(event, row) {
    event.preventDefault();
    event.stopPropagation();
    if (row?.isBusy) row.cancel();
    else if (this.#words) {
      this.search.value = "";
      this.search.focus();
      this.#draw();
    } else this.close();
  }

  /** @type {(event: KeyboardEvent, row: row.SessionRow) => void} */
  #keyInRow(event, row) {
    const { element } = row;
    if (event.key === "ArrowDown") this.#goTo(event, element.nextElementSibling);
    else if (event.key === "ArrowUp") this.#goTo(event, element.previousElementSibling ?? this.search);
    else if (event.key === "Home") this.#goTo(event, this.list.firstElementChild);
    else if (event.key === "End") this.#goTo(event, this.list.lastElementChild);
    else if (event.key === "F2") this.#do(event, () => row.rename());
    else if (event.key === "Delete") this.#do(event, () => row.confirm());
  }

  /** @type {(event: KeyboardEvent, element: Element | null) => void} */
  #goTo(event, element) {
    this.#do(event, () => (element === this.search ? this.search : this.#rowOf(element))?.focus());
  }

  /** @type {(event: KeyboardEvent, go: () => void) => void} */
  #do(event, go) {
    event.preventDefault();
    go();
  }
}

/** When something was, as short as it can be told. @type {(ms: number, language: string) => string} */
function told(ms, language) {
  const then = new Date(ms);
  const now = new Date();
  const isToday = then.toDateString() === now.toDateString();
  const isThisYear = then.getFullYear() === now.getFullYear();
  /** @type {Intl.DateTimeFormatOptions} */
  const how = isToday ? { timeStyle: "short" } : isThisYear ? { day: "numeric", month: "short" } : { dateStyle: "medium" };
  return new Intl.DateTimeFormat(language || undefined, how).format(then);
}
