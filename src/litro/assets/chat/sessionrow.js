// @ts-check
/** One session in the list of them: chosen, given another name, or deleted, which is asked once more in its place. */

import { css } from "./styles.js";
import { button, heard, make, say } from "./dom.js";

export const looks = css`
  .session { position: relative; display: flex; flex-wrap: wrap; align-items: center; min-block-size: 3rem; border-radius: .5rem;
    content-visibility: auto; contain-intrinsic-block-size: auto 3rem; }
  .session:hover, .session:focus-within { background: color-mix(in srgb, var(--ink) 6%, transparent); }
  .session.open { background: color-mix(in srgb, var(--accent) 16%, transparent); }
  .session .pick { display: grid; flex: 1; min-inline-size: 0; min-block-size: 3rem; align-content: center; justify-items: start; grid-template-columns: minmax(0, 1fr); padding: .25rem .625rem; border: 0; border-radius: .5rem; background: none; text-align: start; line-height: 1.35; }
  .session .pick:focus-visible { outline-offset: -2px; }
  .session.open .pick { font-weight: 600; }
  .session .title { overflow: hidden; font-size: .9375rem; text-overflow: ellipsis; white-space: nowrap; max-inline-size: 100%; unicode-bidi: isolate; }
  .session small { display: flex; align-items: center; gap: .375rem; color: var(--quiet); font-size: .75rem; font-weight: 400; }
  .session .dot { inline-size: .5rem; block-size: .5rem; border-radius: 50%; background: var(--accent); animation: breathe 1.4s ease-in-out infinite; }
  .session .ways { display: flex; padding-inline-end: .25rem; }
  .session button.quiet:hover { background: color-mix(in srgb, var(--ink) 10%, transparent); }
  @media (hover: hover) { .session:not(:hover, :focus-within, .open) .ways { position: absolute; opacity: 0; inset-inline-end: 0; pointer-events: none; } }
  .session form { display: flex; flex: 1; align-items: center; gap: .125rem; min-inline-size: 0; padding: .25rem; }
  .session input { flex: 1; min-inline-size: 0; block-size: 2.25rem; padding-inline: .5rem; border: 1px solid var(--edge); border-radius: .375rem; background: var(--page); color: inherit; font: inherit; font-size: .9375rem; }
  .session .sure { display: grid; flex: 1; gap: .5rem; padding: .625rem; font-size: .875rem; overflow-wrap: anywhere; }
  .session .sure p { margin: 0; }
  .session .sure > div { display: flex; gap: .5rem; }
  .session button.bad { border-color: var(--bad); color: var(--bad); }
  .session .why { flex-basis: 100%; margin: 0; padding: 0 .625rem .5rem; color: var(--bad); font-size: .8125rem; overflow-wrap: anywhere; }
`;

/** @typedef {import("../client.js").SessionInfo} SessionInfo */

/**
 * @typedef {object} Acts
 * @property {(row: SessionRow) => void} pick
 * @property {(row: SessionRow, title: string) => Promise<void>} rename
 * @property {(row: SessionRow) => Promise<void>} remove
 */

export class SessionRow {
  #title = make("span", { class: "title", dir: "auto" });
  #when = make("span", { dir: "auto" });
  #dot = make("span", { "class": "dot", "hidden": true, "aria-hidden": "true" });
  #running;
  #pick;
  #rename;
  #delete;
  #ways;
  /** What is in its place, while it is renamed or deleted. @type {HTMLElement | null} */
  #instead = null;
  #why = make("p", { class: "why", role: "alert", hidden: true });

  /**
   * @param {SessionInfo} info
   * @param {import("./texts.js").Texts} texts
   * @param {Acts} act
   */
  constructor(info, texts, act) {
    this.info = info;
    this.texts = texts;
    this.act = act;
    this.#running = heard(`, ${texts.answering}`);
    this.#pick = make("button", { type: "button", class: "pick", click: () => act.pick(this) }, this.#title, make("small", {}, this.#dot, this.#when, this.#running));
    this.#rename = button(texts.rename, () => this.rename(), { icon: "pencil", isQuiet: true });
    this.#delete = button(texts.delete, () => this.confirm(), { icon: "trash", isQuiet: true });
    this.#ways = make("div", { class: "ways" }, this.#rename, this.#delete);
    this.element = make("li", { class: "session", part: "session" }, this.#pick, this.#ways, this.#why);
    this.isStop = false;
  }

  get id() {
    return this.info.session;
  }

  get title() {
    return this.info.title || this.texts.untitled;
  }

  /** Whether it is being renamed or deleted. */
  get isBusy() {
    return this.#instead !== null;
  }

  /** Whether the Tab key stops here: it does at one row of the list. @param {boolean} isStop */
  set isStop(isStop) {
    for (const part of [this.#pick, this.#rename, this.#delete]) part.tabIndex = isStop ? 0 : -1;
  }

  /** @type {(info: SessionInfo, isOpen: boolean, when: string) => void} */
  show(info, isOpen, when) {
    this.info = info;
    const { title, texts } = this;
    say(this.#title, title);
    say(this.#when, when);
    this.#dot.hidden = this.#running.hidden = info.running === null;
    this.element.classList.toggle("open", isOpen);
    this.#pick.ariaCurrent = isOpen ? "true" : null;
    for (const [part, words] of /** @type {const} */ ([[this.#rename, texts.rename], [this.#delete, texts.delete]])) {
      part.ariaLabel = `${words}: ${title}`;
    }
  }

  focus() {
    const instead = /** @type {HTMLElement | null | undefined} */ (this.#instead?.querySelector("input, button"));
    (instead ?? this.#pick).focus();
  }

  rename() {
    const { texts } = this;
    const input = make("input", { "aria-label": texts.chatName, "maxlength": 120, "dir": "auto", "autocomplete": "off" });
    input.value = this.info.title ?? "";
    const save = button(texts.save, () => void this.#save(input), { icon: "check", isQuiet: true });
    const cancel = button(texts.cancel, () => this.cancel(), { icon: "cross", isQuiet: true });
    const form = make("form", {}, input, save, cancel);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#save(input);
    });
    this.#replace(form);
    input.focus();
    input.select();
  }

  /** Asks whether it shall be deleted. */
  confirm() {
    const { texts } = this;
    const words = make("p", { id: `sure-${this.id}` }, texts.deleteSure(this.title));
    const remove = button(texts.delete, () => void this.#remove(), { class: "plain bad" });
    const cancel = button(texts.cancel, () => this.cancel());
    this.#replace(make("div", { "class": "sure", "role": "group", "aria-labelledby": words.id }, words, make("div", {}, cancel, remove)));
    cancel.focus();
  }

  /** Is as it was. */
  cancel() {
    const hadFocus = this.#instead?.matches(":focus-within");
    this.#instead?.remove();
    this.#instead = null;
    this.#pick.hidden = this.#ways.hidden = false;
    this.#tell("");
    if (hadFocus) this.#pick.focus();
  }

  /** @param {HTMLElement} instead */
  #replace(instead) {
    this.#instead?.remove();
    this.#instead = instead;
    this.#pick.hidden = this.#ways.hidden = true;
    this.#tell("");
    this.element.prepend(instead);
  }

  /** @param {HTMLInputElement} input */
  async #save(input) {
    const title = input.value.trim();
    if (!title || title === this.info.title) return this.cancel();
    try {
      await this.act.rename(this, title);
      this.cancel();
    } catch (error) {
      this.#tell(this.texts.notRenamed(error instanceof Error ? error.message : String(error)));
    }
  }

  async #remove() {
    try {
      await this.act.remove(this);
    } catch (error) {
      this.#tell(this.texts.notDeleted(error instanceof Error ? error.message : String(error)));
    }
  }

  /** @param {string} why */
  #tell(why) {
    say(this.#why, why);
    this.#why.hidden = why === "";
  }
}
