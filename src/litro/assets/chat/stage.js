// @ts-check
/** What is seen of the chat: its parts, put together in a shadow root, showing one conversation. It says nothing by itself. */

import { Announcer } from "./announcer.js";
import * as answer from "./answer.js";
import * as call from "./call.js";
import * as card from "./card.js";
import * as composer from "./composer.js";
import { make } from "./dom.js";
import { Draft } from "./draft.js";
import { messageOf } from "./failure.js";
import * as header from "./header.js";
import * as log from "./log.js";
import * as notices from "./notices.js";
import * as outbox from "./outbox.js";
import * as problem from "./problem.js";
import * as reasoning from "./reasoning.js";
import * as said from "./said.js";
import * as styles from "./styles.js";
import * as turn from "./turn.js";
import * as value from "./value.js";

/** @typedef {import("./transcript.js").Turn} Turn */
/** @typedef {import("./conversation.js").Conversation} Conversation */
/** @typedef {import("../chat.js").LitroChat} LitroChat */

/**
 * @typedef {object} Acts What the parts ask for.
 * @property {(text: string) => void} send
 * @property {() => void} stop
 * @property {() => void} again
 * @property {() => void} newChat
 * @property {() => Promise<void>} older
 * @property {(text: string) => void} retry
 * @property {(turn: Turn, said: import("./transcript.js").Said, text: string) => void} edit
 */

const PARTS = [styles, header, log, turn, said, answer, reasoning, call, value, card, problem, notices, outbox, composer];

export class Stage {
  /** @type {Conversation | null} */
  #conversation = null;
  /** @type {Draft | null} */
  #draft = null;
  /** @type {Promise<import("./sessions.js").SessionList> | null} */
  #sessions = null;

  /**
   * @param {LitroChat} chat
   * @param {Acts} act
   */
  constructor(chat, act) {
    this.chat = chat;
    this.act = act;
    const { texts } = chat;
    this.texts = texts;
    this.announcer = new Announcer(texts);
    this.composer = new composer.Composer(texts, {
      send: (text) => this.#send(text),
      stop: act.stop,
      written: (text) => this.#draft && (this.#draft.text = text),
    });
    /** @type {turn.Context} */
    this.context = {
      ...{ texts, announcer: this.announcer, host: chat, base: chat.base, input: this.composer, isLive: false },
      images: chat.getAttribute("images") ?? "none",
      retry: (of) => {
        this.composer.focus();
        act.retry(turn.questionOf(of));
      },
      edit: act.edit,
    };
    this.header = new header.Header(texts, { newChat: act.newChat, sessions: () => void this.#useSessions((list) => list.toggle()) });
    this.notices = new notices.Notices(this.context);
    this.outbox = new outbox.Outbox(this.context, { edit: (text) => this.#edit(text), failed: (words) => this.failed(words) });
    this.empty = make(
      "div",
      { class: "empty", part: "empty", hidden: true },
      make("slot", { name: "empty" }, make("h2", {}, texts.empty)),
      make("div", { class: "suggestions" }, make("slot", { name: "suggestion", click: (/** @type {Event} */ event) => this.#suggest(event) })),
    );
    this.scroller = make("div", { class: "scroller" });
    this.log = new log.Log(this.scroller, this.context, () => act.older());
    this.frame = make("div", { class: "frame" }, this.#main());
    const root = chat.attachShadow({ mode: "open" });
    styles.adopt(root, ...PARTS.map((part) => part.looks));
    root.append(this.frame);
    this.head();
  }

  #main() {
    const { composer, log } = this;
    const talk = [log.edge, this.empty, log.turns, this.outbox.element, this.notices.element];
    const foot = [log.toEndButton, composer.status, composer.form, composer.hint];
    this.scroller.append(
      make("div", { class: "column talk" }, ...talk),
      make("div", { class: "foot", part: "foot" }, make("div", { class: "column" }, ...foot)),
    );
    log.watch(this.scroller.children);
    return make("div", { class: "main" }, this.header.element, this.scroller, this.announcer.element);
  }

  get isLive() {
    return this.context.isLive;
  }

  focus() {
    this.composer.focus();
  }

  /** Shows what the header says. */
  head() {
    const { chat } = this;
    const hasSessions = chat.hasAttribute("sessions");
    this.header.show({ heading: chat.getAttribute("heading") ?? "", hasSessions });
    if (hasSessions && !this.#sessions && chat.clientWidth >= header.ROOM) void this.#useSessions((list) => list.open({ isFocused: false }));
    if (!hasSessions) void this.#sessions?.then((list) => list.close());
  }

  /** Shows another conversation, of which nothing is known yet. @param {Conversation} conversation */
  begin(conversation) {
    this.#conversation = conversation;
    this.context.isLive = false;
    this.context.base = this.chat.base;
    this.context.images = this.chat.getAttribute("images") ?? "none";
    this.announcer.clear();
    this.#draft = new Draft(`${this.chat.base} ${this.chat.agent} ${conversation.id}`);
    this.composer.text = this.#draft.text;
    this.log.clear();
    this.notices.clear();
    this.show();
  }

  /** The conversation's end was read: shows it at once, and all that follows as it comes. */
  async opened() {
    const conversation = this.#conversation;
    const turns = conversation?.transcript.turns ?? [];
    // Else its Markdown would be seen as it was written, for a moment.
    if (turns.length > 0) await answer.loadMarkdown();
    if (conversation !== this.#conversation) return;
    this.log.prepend(turns);
    this.log.toEnd();
    this.log.look();
    this.context.isLive = true;
    this.show();
  }

  /** @param {import("./transcript.js").Touched} touched */
  touched(touched) {
    // While the rest is on its way.
    if (touched.turn) void answer.loadMarkdown();
    if (!this.isLive) return;
    this.log.touched(touched);
    if (touched.waiting || touched.items?.some(({ kind }) => kind === "said")) this.#showOutbox();
  }

  /** @param {Turn[]} turns */
  older(turns) {
    this.context.isLive = false;
    this.log.prepend(turns);
    this.context.isLive = true;
    this.log.look();
  }

  /** Shows the conversation's state. */
  show() {
    const conversation = this.#conversation;
    if (!conversation) return;
    const { isRunning, state } = conversation;
    const isClosed = state === "gone" || (isRunning && this.chat.onBusy === "reject");
    this.composer.show({ isRunning, isClosed, status: this.#statusOf(conversation) });
    this.#showOutbox();
    this.#showTrouble(conversation);
  }

  /** @param {string} words */
  failed(words) {
    this.notices.failed(words);
    this.log.toEnd();
  }

  /** @type {(words: string, way: import("./problem.js").Way) => void} */
  note(words, way) {
    this.notices.note(words, way);
  }

  /** @param {Conversation} conversation */
  #statusOf({ isRunning, isStopping, state }) {
    const { texts } = this;
    if (state === "lost" || state === "gone") return "";
    if (!navigator.onLine) return texts.offline;
    if (state === "retrying") return texts.retrying;
    if (isStopping) return texts.stopping;
    return isRunning ? texts.working : "";
  }

  /** @param {Conversation} conversation */
  #showTrouble({ state, trouble }) {
    const { texts } = this;
    if (state === "gone") {
      return this.notices.trouble(texts.gone, [{ words: texts.startNew, go: this.act.newChat }]);
    }
    if (state !== "lost" || !trouble) return this.notices.trouble(null);
    const small = trouble.ref && `${texts.reference}: ${trouble.ref}`;
    return this.notices.trouble(trouble.message, [{ words: texts.tryAgain, go: this.act.again }], small);
  }

  #showOutbox() {
    const conversation = this.#conversation;
    if (!conversation) return;
    this.outbox.show(conversation);
    const isEmpty = conversation.transcript.turns.length === 0 && this.outbox.isEmpty;
    this.empty.hidden = !(this.isLive && isEmpty && !conversation.trouble);
    this.log.follow();
  }

  /** @param {string} text */
  #send(text) {
    this.act.send(text);
    this.log.toEnd();
  }

  /** Gives back what could not be sent. @param {string} text */
  #edit(text) {
    this.composer.text = this.composer.text ? `${text}\n\n${this.composer.text}` : text;
    this.composer.focus();
  }

  /** @param {Event} event */
  #suggest(event) {
    const chosen = event.target instanceof Element && event.target.closest("[slot='suggestion']");
    if (!chosen) return;
    this.composer.focus();
    this.#send(chosen.textContent?.trim() ?? "");
  }

  /** The list of sessions is loaded when it is first asked for. @param {(list: import("./sessions.js").SessionList) => void} use */
  async #useSessions(use) {
    this.#sessions ??= import("./sessions.js").then(({ SessionList }) => {
      const list = new SessionList(this.chat, (how) => this.#sessionsClosed(how));
      this.frame.prepend(list.element);
      return list;
    });
    try {
      const list = await this.#sessions;
      use(list);
      this.header.sessions.ariaExpanded = String(list.isOpen);
    } catch (error) {
      this.#sessions = null;
      this.failed(messageOf(error));
    }
  }

  /** @param {{isChosen: boolean, givesFocus: boolean}} how A session that was chosen is to be spoken in. */
  #sessionsClosed({ isChosen, givesFocus }) {
    this.header.sessions.ariaExpanded = "false";
    if (isChosen) this.composer.focus();
    else if (givesFocus) this.header.sessions.focus();
  }
}
