// @ts-check
/** Where a message is written, sent, and an answer stopped. */

import { css } from "./styles.js";
import { button, icon, make, say } from "./dom.js";
import { grow } from "./growing.js";

export const looks = css`
  .composer { display: flex; flex-wrap: wrap; align-items: flex-end; gap: .5rem; padding: .5rem; border: 1px solid var(--edge); border-radius: 1.5rem;
    background: var(--raised); box-shadow: 0 1px 2px #0000000a, 0 4px 16px #0000000f; }
  .composer:focus-within { border-color: var(--accent); }
  .composer textarea { flex: 1 1 8rem; max-block-size: min(14rem, 40vh); padding: .5rem .75rem; }
  .composer textarea::placeholder { color: var(--quiet); opacity: 1; }
  .composer button { flex: none; inline-size: 2.5rem; block-size: 2.5rem; padding: 0; border: 0; border-radius: 50%; place-items: center; }
  .composer button:not([hidden]) { display: grid; }
  .composer .send { background: var(--accent); color: var(--on-accent); }
  .composer .send[aria-disabled="true"] { background: var(--line); color: var(--quiet); cursor: default; }
  .composer .stop { background: var(--ink); color: var(--page); }
  .composer .stop .icon { fill: currentColor; }
  .status { display: flex; align-items: center; gap: .5rem; min-block-size: 1.5rem; margin: 0; padding-inline: .25rem; color: var(--quiet); font-size: .8125rem; }
  .status.busy::before { content: ""; inline-size: .5rem; block-size: .5rem; border-radius: 50%; background: var(--accent); animation: breathe 1.4s ease-in-out infinite; }
  .hint { margin: .375rem 0 0; color: var(--quiet); font-size: .75rem; text-align: center; }
`;

export class Composer {
  #isClosed = false;

  /**
   * @param {import("./texts.js").Texts} texts
   * @param {{send: (text: string) => void, stop: () => void, written: (text: string) => void}} act
   */
  constructor(texts, act) {
    this.texts = texts;
    this.act = act;
    this.status = make("p", { class: "status", part: "status", role: "status", dir: "auto" });
    this.input = make("textarea", {
      ...{ "id": "input", "rows": 1, "dir": "auto", "autocomplete": "off", "placeholder": texts.placeholder },
      ...{ "aria-label": texts.message, "aria-describedby": "hint", "part": "input", "enterkeyhint": "send" },
      input: () => {
        this.act.written(this.text);
        this.#show();
      },
      keydown: (/** @type {KeyboardEvent} */ event) => this.#onKey(event),
    });
    this.sendButton = make(
      "button",
      { "class": "send", "part": "send", "aria-label": texts.send, "title": texts.send },
      icon("arrow"),
    );
    this.stopButton = button(texts.stop, act.stop, { icon: "stop", isQuiet: true, class: "stop", part: "stop" });
    this.stopButton.hidden = true;
    this.form = make(
      "form",
      { class: "composer", part: "composer", submit: (/** @type {Event} */ event) => this.#onSubmit(event) },
      this.input,
      this.stopButton,
      this.sendButton,
    );
    this.hint = make("p", { class: "hint", id: "hint", dir: "auto" }, texts.hint);
    grow(this.input);
    this.#show();
  }

  focus() {
    this.input.focus();
  }

  /** What is written. */
  get text() {
    return this.input.value;
  }

  set text(text) {
    this.input.value = text;
    this.input.dispatchEvent(new Event("input"));
  }

  /**
   * @param {{isRunning: boolean, isClosed: boolean, status: string}} state `isClosed` where nothing can be sent now.
   */
  show({ isRunning, isClosed, status }) {
    const root = /** @type {ShadowRoot} */ (this.form.getRootNode());
    // A button that goes away must not take the focus along.
    if (!isRunning && root.activeElement === this.stopButton) this.focus();
    this.stopButton.hidden = !isRunning;
    this.#isClosed = isClosed;
    this.status.classList.toggle("busy", isRunning);
    say(this.status, status);
    this.#show();
  }

  #show() {
    // Not `disabled`: a button that has the focus would lose it.
    this.sendButton.ariaDisabled = String(this.#isClosed || !this.text.trim());
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.form.requestSubmit();
  }

  /** @param {Event} event */
  #onSubmit(event) {
    event.preventDefault();
    const text = this.text.trim();
    if (!text || this.#isClosed) return;
    this.text = "";
    this.focus();
    this.act.send(text);
  }
}
