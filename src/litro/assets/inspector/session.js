// @ts-check
/** A session: its facts, the turn that is looked at, and one of three panes about it. */

import { button, make, say } from "../chat/dom.js";
import { go, here, TABS } from "./address.js";
import { ChannelsPane } from "./channels.js";
import { EventsPane } from "./events.js";
import { Feed } from "./feed.js";
import { copying } from "./json.js";
import { Resend } from "./resend.js";
import { Tabs } from "./tabs.js";
import { TimelinePane } from "./timeline.js";
import { TurnPicker } from "./turn-picker.js";
import { Turns } from "./turns.js";
import { brief, counted, tokens } from "./words.js";

/** @typedef {import("./address.js").At} At */
/** What a pane shows. @typedef {{agent: string, session: string, turns: Turns, turn: import("./turns.js").Turn | null, feed: Feed, at: At}} Scene */
/** @typedef {{element: HTMLElement, update: (scene: Scene) => void, close?: () => void}} Pane */

const WORDS = { channels: "Two channels", timeline: "Timeline", events: "Events" };
const PANES = { channels: ChannelsPane, timeline: TimelinePane, events: EventsPane };

/** @type {Record<string, string>} */
const STATES = { opening: "Opening…", absent: "Nothing has been said in this session yet. Open the chat to begin.", deleted: "This session was deleted." };

export class SessionView {
  /** @type {At} */
  #at = {};
  #turns = new Turns();
  /** @type {Pane | null} */
  #pane = null;
  #tab = "";

  /**
   * @param {string} agent
   * @param {string} session
   */
  constructor(agent, session) {
    this.agent = agent;
    this.session = session;
    this.feed = new Feed(agent, session, () => this.#draw());
    this.title = make("h2", {}, session);
    this.state = make("span", { class: "badge state" });
    this.facts = make("span", { class: "facts-line" });
    this.chat = button("Chat", () => go({ ...here(), chat: here().chat ? undefined : true }), { class: "small" });
    this.chat.id = "chat-toggle";
    this.resend = new Resend(agent, session);
    this.resendButton = button("Resend the turn…", () => this.resend.open(this.#turn), { icon: "retry", class: "small" });
    this.picker = new TurnPicker();
    this.tabs = new Tabs("Views of the session", TABS.map((id) => ({ id, words: WORDS[id] })), (id) => go({ ...here(), tab: /** @type {any} */ (id), seq: undefined }));
    this.note = make("p", { class: "note", role: "status" });
    this.element = make(
      "div",
      { class: "session" },
      make("div", { class: "title" }, this.title, this.state, make("div", { class: "actions" }, this.resendButton, this.chat)),
      make("p", { class: "mono under" }, session, copying("Copy the session's id", () => session), this.facts),
      this.resend.element,
      make("div", { class: "row bar" }, this.tabs.element, this.picker.element),
      this.note,
      this.tabs.panel,
    );
    this.feed.start();
  }

  /** @param {At} at */
  show(at) {
    this.#at = at;
    this.#draw();
  }

  pause() {
    this.feed.stop();
  }

  resume() {
    this.feed.start();
  }

  close() {
    this.feed.stop();
    this.#pane?.close?.();
  }

  get #turn() {
    const { turn } = this.#at;
    return (turn && this.#turns.all.get(turn)) || this.#turns.newest || null;
  }

  #draw() {
    this.#turns.read(this.feed.events);
    const turn = this.#turn;
    this.#head();
    this.picker.show(this.#turns, turn, this.#at);
    const tab = this.#at.tab ?? "channels";
    this.tabs.show(tab);
    this.tabs.element.hidden = this.feed.state === "absent";
    if (tab !== this.#tab) this.#open(tab);
    this.#pane?.update({ agent: this.agent, session: this.session, turns: this.#turns, turn, feed: this.feed, at: this.#at });
  }

  /** @param {import("./address.js").Tab} tab */
  #open(tab) {
    this.#tab = tab;
    this.#pane?.close?.();
    this.#pane = new PANES[tab]();
    this.tabs.panel.replaceChildren(this.#pane.element);
  }

  #head() {
    const { state, trouble, events } = this.feed;
    const { newest, all, title, usage, waiting } = this.#turns;
    const first = all.values().next().value?.said[0]?.text;
    say(this.title, title ?? (first ? brief(first) : "New session"));
    const isRunning = newest?.status === null;
    const status = isRunning ? "running" : (newest?.status ?? "");
    say(this.state, status);
    this.state.dataset.status = status;
    this.state.hidden = !status;
    const owner = newest?.by ? `of ${newest.by}` : "";
    say(this.facts, [owner, counted(all.size, "turn"), counted(events.length, "event"), waiting ? `${counted(waiting, "message")} in the queue` : "", tokens(usage)].filter(Boolean).join(" · "));
    say(this.note, STATES[state] ?? (state === "away" ? trouble : ""));
    this.note.hidden = !this.note.textContent;
    this.chat.setAttribute("aria-pressed", String(Boolean(this.#at.chat)));
    this.resendButton.disabled = !this.#turn?.status;
  }
}
