// @ts-check
/** The chat beside what is looked at: `<litro-chat>`, loaded when it is first opened. */

import { button, make } from "../chat/dom.js";
import { go, here } from "./address.js";

export class ChatPane {
  #key = "";

  /**
   * @param {HTMLElement} element
   * @param {() => void} changed There may be a new session, or a turn has ended.
   */
  constructor(element, changed) {
    this.element = element;
    this.changed = changed;
    this.title = make("h2", {}, "Chat");
    this.box = make("div", { class: "talk-box" });
    const close = button("Close the chat", () => this.#close(), { icon: "cross", isQuiet: true });
    element.append(make("div", { class: "row" }, this.title, close), this.box);
  }

  /** @param {import("./address.js").At} at */
  show({ agent, session, chat }) {
    const isOpen = Boolean(chat && agent && session);
    this.element.hidden = !isOpen;
    document.body.classList.toggle("talking", isOpen);
    const key = isOpen ? `${agent} ${session}` : "";
    if (key === this.#key) return;
    this.#key = key;
    this.box.replaceChildren();
    if (agent && session && isOpen) void this.#open(agent, session);
  }

  /** @type {(agent: string, session: string) => Promise<void>} */
  async #open(agent, session) {
    const key = this.#key;
    await import("../chat.js");
    if (key !== this.#key) return;
    const chat = document.createElement("litro-chat");
    for (const [name, value] of [["agent", agent], ["session", session]]) chat.setAttribute(name ?? "", value ?? "");
    chat.addEventListener("litro-turn-end", () => this.changed());
    // It opens another session where a message was edited, or a new chat begun.
    chat.addEventListener("litro-session", (event) => this.#moved(agent, /** @type {CustomEvent} */ (event).detail.session));
    this.box.replaceChildren(chat);
  }

  /** @type {(agent: string, session: string) => void} */
  #moved(agent, session) {
    if (here().session === session) return;
    this.#key = `${agent} ${session}`;
    this.changed();
    go({ ...here(), agent, session, turn: undefined, seq: undefined });
  }

  #close() {
    go({ ...here(), chat: undefined });
    document.getElementById("chat-toggle")?.focus();
  }
}
