// @ts-check
/** Says a turn's message again, as it was or otherwise, in a session of its own that ends where that turn began. */

import { button, make, say } from "../chat/dom.js";
import { go, here } from "./address.js";
import { path, post, wordsOf } from "./api.js";

export class Resend {
  /** @type {import("./turns.js").Turn | null} */
  #turn = null;

  /**
   * @param {string} agent
   * @param {string} session
   */
  constructor(agent, session) {
    this.agent = agent;
    this.session = session;
    this.title = make("h3", {});
    this.text = make("textarea", { "id": "resend-text", "rows": 3, "dir": "auto", "aria-describedby": "resend-hint resend-trouble" });
    this.trouble = make("p", { class: "trouble", id: "resend-trouble", role: "alert" });
    this.send = button("Send it in a new session", () => void this.#send(), { class: "small main" });
    this.element = make(
      "form",
      { class: "sheet resend", hidden: true, submit: (event) => event.preventDefault(), keydown: (event) => this.#key(event) },
      this.title,
      make("label", { for: "resend-text" }, "Message"),
      this.text,
      make("p", { class: "hint", id: "resend-hint" }, "A new session begins with all that was before this turn, in the name of the same person. This one stays as it is."),
      this.trouble,
      make("div", { class: "row start" }, this.send, button("Cancel", () => this.#close(), { class: "small" })),
    );
  }

  /** @param {import("./turns.js").Turn | null} turn */
  open(turn) {
    if (!turn) return;
    this.#turn = turn;
    this.before = document.activeElement;
    say(this.title, `Resend turn ${turn.number}`);
    this.text.value = turn.said[0]?.text ?? "";
    say(this.trouble, "");
    this.element.hidden = false;
    this.text.focus();
  }

  /** @param {KeyboardEvent} event */
  #key({ key, ctrlKey, metaKey }) {
    if (key === "Escape") this.#close();
    if (key === "Enter" && (ctrlKey || metaKey)) void this.#send();
  }

  #close() {
    this.element.hidden = true;
    if (this.before instanceof HTMLElement) this.before.focus();
  }

  async #send() {
    const turn = this.#turn;
    if (!turn) return;
    this.send.disabled = true;
    say(this.trouble, "");
    try {
      const text = this.text.value;
      const body = text === turn.said[0]?.text ? {} : { text };
      const answer = await post(path`sessions/${this.agent}/${this.session}/turns/${turn.number}/resend`, body);
      const { session } = await answer.json();
      this.#close();
      go({ ...here(), agent: this.agent, session, turn: undefined, seq: undefined });
      document.getElementById("view")?.focus();
    } catch (error) {
      say(this.trouble, wordsOf(error));
    } finally {
      this.send.disabled = false;
    }
  }
}
