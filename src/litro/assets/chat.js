// @ts-check
/**
 * `<litro-chat agent="demo">`: a chat with one agent, ready to use.
 *
 * It is an example of a page on `client.js`, too: what it shows comes from the session's events alone. Here a session is
 * opened, spoken in and left; how it is heard is in `chat/conversation.js`, how it is shown in `chat/stage.js` and its parts.
 */

import { Conversation } from "./chat/conversation.js";
import { messageOf } from "./chat/failure.js";
import { Place, newId } from "./chat/place.js";
import { Stage } from "./chat/stage.js";
import { Tabs, hint } from "./chat/tabs.js";
import { ENGLISH } from "./chat/texts.js";
import { mount } from "./hydrate.js";
// What those import, said here so that a browser asks for all of it at once and not level by level.
import "./chat/announcer.js";
import "./chat/answer.js";
import "./chat/call.js";
import "./chat/card.js";
import "./chat/clipboard.js";
import "./chat/composer.js";
import "./chat/dom.js";
import "./chat/draft.js";
import "./chat/growing.js";
import "./chat/header.js";
import "./chat/log.js";
import "./chat/notices.js";
import "./chat/outbox.js";
import "./chat/problem.js";
import "./chat/reasoning.js";
import "./chat/said.js";
import "./chat/sending.js";
import "./chat/styles.js";
import "./chat/transcript.js";
import "./chat/turn.js";
import "./chat/value.js";
import "./client.js";

/** @typedef {import("./chat/transcript.js").Turn} Turn */
/** @typedef {import("./chat/transcript.js").Said} Said */
/** @typedef {import("./chat/transcript.js").Touched} Touched */
/** @typedef {import("./chat/texts.js").Texts} Texts */
/** @typedef {import("./client.js").OnBusy} OnBusy */

export class LitroChat extends HTMLElement {
  static observedAttributes = ["agent", "base", "session", "heading", "sessions"];

  /** @type {Partial<Texts>} */
  #texts = {};
  /** @type {import("./client.js").SessionOptions} */
  #options = {};
  /** @type {Stage | null} */
  #stage = null;
  /** @type {Conversation | null} */
  #conversation = null;
  /** @type {Tabs | null} */
  #tabs = null;
  #connection = new AbortController();

  /** The agent's name. */
  get agent() {
    return this.getAttribute("agent") ?? "";
  }

  /** Where Litro is mounted. */
  get base() {
    return mount(this.getAttribute("base") ?? undefined).href;
  }

  /** The id of the session that is shown. */
  get session() {
    return this.#conversation?.id ?? null;
  }

  /** What becomes of a message while a turn runs. @returns {OnBusy} */
  get onBusy() {
    const said = this.getAttribute("on-busy");
    return said === "steer" || said === "reject" ? said : "queue";
  }

  /** The element's words, English where they were not set. Set them before it is in the page. @returns {Texts} */
  get texts() {
    return { ...ENGLISH, ...this.#texts };
  }

  /** @param {Partial<Texts>} texts */
  set texts(texts) {
    this.#texts = texts;
  }

  /** More for each request, such as headers: the options of `agentSession`. */
  get options() {
    return { ...this.#options, base: this.base };
  }

  set options(options) {
    this.#options = options;
    if (this.isConnected) this.#reopen();
  }

  connectedCallback() {
    this.#takeEarly();
    this.#stage ??= new Stage(this, {
      send: (text) => void this.send(text),
      stop: () => void this.#stop(),
      again: () => void this.#conversation?.again(),
      newChat: () => this.newChat(),
      older: () => this.#older(),
      retry: (text) => void this.send(text),
      edit: (turn, said, text) => void this.#edit(turn, said, text),
    });
    const { signal } = (this.#connection = new AbortController());
    addEventListener("hashchange", () => this.#place.isInAddress && this.#show(this.#place.find()), { signal });
    addEventListener("online", () => void this.#conversation?.again(), { signal });
    addEventListener("offline", () => this.#stage?.show(), { signal });
    // Another device may have gone on with the conversation: in a tab that was never hidden, whoever comes back to it touches it.
    addEventListener("focus", () => this.#conversation?.state === "idle" && void this.#conversation.hear(), { signal });
    // A connection may have died asleep, too.
    document.addEventListener("visibilitychange", () => document.hidden || this.#conversation?.again(), { signal });
    this.#reopen();
    const { activeElement } = document;
    if (this.autofocus && (activeElement === null || activeElement === document.body)) this.#stage.focus();
  }

  disconnectedCallback() {
    this.#connection.abort();
    this.#leave();
  }

  /** @type {(name: string, before: string | null, now: string | null) => void} */
  attributeChangedCallback(name, before, now) {
    if (!this.#stage || !this.isConnected || before === now) return;
    if (name === "agent" || name === "base") this.#reopen();
    else if (name === "session") this.#show(this.#place.find());
    else this.#stage.head();
  }

  /**
   * Says something in the session.
   * @param {string} text
   */
  async send(text) {
    if (text.trim()) await this.#conversation?.sending.say(text, this.onBusy);
  }

  /** Begins a new session. */
  newChat() {
    this.open(newId());
    this.#stage?.focus();
  }

  /**
   * Shows another session.
   * @param {string} id
   */
  open(id) {
    if (id === this.session) return;
    this.#place.go(id);
    this.#show(id);
  }

  /** Properties that were set before the element's class was there. */
  #takeEarly() {
    for (const name of /** @type {const} */ (["texts", "options"])) {
      if (!Object.hasOwn(this, name)) continue;
      const value = this[name];
      Reflect.deleteProperty(this, name);
      Reflect.set(this, name, value);
    }
  }

  get #place() {
    return new Place(this, `litro-chat ${this.base} ${this.agent}`);
  }

  #reopen() {
    this.#leave();
    this.#show(this.#place.find());
  }

  #leave() {
    this.#conversation?.close();
    this.#tabs?.close();
    this.#conversation = null;
    this.#tabs = null;
  }

  /** @param {string} id */
  #show(id) {
    if (!this.agent) return console.error('Litro: <litro-chat> has no agent. Name one: <litro-chat agent="demo">.');
    if (!this.#stage || id === this.session) return;
    this.#leave();
    const conversation = new Conversation(this.agent, id, this.options, {
      opened: () => this.#opened(conversation),
      touched: (touched) => this.#touched(touched),
      changed: () => this.#stage?.show(),
      failed: ({ type, message, status, ref }) => this.#tell("litro-error", { type, message, status, ref }),
      accepted: () => this.#hint(),
    });
    this.#conversation = conversation;
    // A tab that nobody sees would keep one of the browser's few connections.
    this.#tabs = new Tabs(`${this.base} ${this.agent} ${id}`, () => document.hidden || void conversation.hear());
    this.#stage.begin(conversation);
    this.#tell("litro-session", { session: id });
    void conversation.open();
  }

  /** Tells other tabs, and lists of sessions, that there is more. */
  #hint() {
    this.#tabs?.hint();
    hint(`${this.base} ${this.agent}`);
  }

  /** @param {Conversation} conversation */
  async #opened(conversation) {
    if (conversation === this.#conversation) await this.#stage?.opened();
  }

  /** @param {Touched} touched */
  #touched(touched) {
    this.#stage?.touched(touched);
    const { turn } = touched;
    if (!turn?.status || !this.#stage?.isLive) return;
    hint(`${this.base} ${this.agent}`);
    this.#tell("litro-turn-end", { turn: turn.number, status: turn.status });
    const errors = turn.items.filter((item) => item.kind === "error");
    for (const { error } of errors) this.#tell("litro-error", error);
  }

  async #older() {
    const conversation = this.#conversation;
    if (!conversation?.hasOlder) return;
    try {
      const turns = await conversation.older();
      if (conversation === this.#conversation) this.#stage?.older(turns);
    } catch (error) {
      if (conversation === this.#conversation) this.#stage?.failed(messageOf(error));
    }
  }

  async #stop() {
    try {
      await this.#conversation?.stop();
    } catch (error) {
      this.#stage?.failed(this.texts.notStopped(messageOf(error)));
    }
  }

  /**
   * Goes on from before the turn, in a session of its own, with what was said in it said otherwise.
   * @type {(turn: Turn, said: Said, text: string) => Promise<void>}
   */
  async #edit(turn, said, text) {
    const before = this.#conversation;
    if (!before) return;
    try {
      const id = (await before.forkBefore(turn)) ?? newId();
      const words = turn.items.flatMap((item) => (item === said ? text : item.kind === "said" ? item.text : []));
      this.open(id);
      this.#stage?.note(this.texts.forked, { words: this.texts.openEarlier, go: () => this.open(before.id) });
      this.#stage?.focus();
      await this.send(words.join("\n\n"));
    } catch (error) {
      this.#stage?.failed(this.texts.notForked(messageOf(error)));
    }
  }

  /** @type {(name: string, detail: object) => void} */
  #tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }
}

if (!customElements.get("litro-chat")) customElements.define("litro-chat", LitroChat);
