// @ts-check
/** What a person said, and the form to say it otherwise. */

import { css } from "./styles.js";
import { button, heard, make } from "./dom.js";
import { grow } from "./growing.js";
import { copyButton } from "./clipboard.js";

export const looks = css`
  .said { display: flex; flex-flow: row-reverse wrap; align-items: center; gap: .25rem; margin-inline-start: 8%; }
  .bubble { max-inline-size: calc(100% - 4.5rem); padding: .625rem 1rem; border-radius: 1.25rem; border-end-end-radius: .375rem;
    background: var(--mine); white-space: pre-wrap; overflow-wrap: anywhere; }
  .said.edits { display: block; margin-inline-start: 0; }
  .edit { display: grid; gap: .5rem; padding: .75rem; border: 1px solid var(--line); border-radius: 1.25rem; background: var(--mine); }
  .edit textarea { max-block-size: 50vh; padding: .25rem; }
  .edit .row { display: flex; flex-wrap: wrap; align-items: center; justify-content: flex-end; gap: .5rem; }
  .edit .note { flex: 1 1 16rem; }
`;

/** @typedef {import("./transcript.js").Said} Said */
/** @typedef {import("./turn.js").Context} Context */

export class SaidView {
  /**
   * @param {Said} said
   * @param {Context} context
   * @param {import("./transcript.js").Turn} turn
   */
  constructor(said, context, turn) {
    this.said = said;
    this.turn = turn;
    this.context = context;
    this.element = make("div", { class: "said", part: "said" });
    this.#show();
  }

  update() {}

  #show() {
    const { texts } = this.context;
    const { text } = this.said;
    const edit = button(texts.edit, () => this.#edit(), { icon: "pencil", isQuiet: true });
    this.element.classList.remove("edits");
    this.element.replaceChildren(
      heard(`${texts.you}: `),
      make("div", { class: "bubble", part: "bubble" }, make("div", { dir: "auto" }, text)),
      make("div", { class: "actions" }, copyButton(texts.copy, () => text, this.context), edit),
    );
    return edit;
  }

  #edit() {
    const { texts } = this.context;
    const area = make("textarea", { "aria-label": texts.editing, "rows": 1, "dir": "auto" });
    area.value = this.said.text;
    const cancel = () => this.#show().focus();
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      const text = area.value.trim();
      if (text) this.context.edit(this.turn, this.said, text);
    };
    const form = make(
      "form",
      { class: "edit", submit, keydown: (/** @type {KeyboardEvent} */ event) => onKey(event, form, cancel) },
      area,
      make(
        "div",
        { class: "row" },
        make("div", { class: "note" }, texts.editNote),
        button(texts.cancel, cancel),
        make("button", { class: "plain chief" }, texts.sendAnew),
      ),
    );
    this.element.classList.add("edits");
    this.element.replaceChildren(form);
    grow(area);
    area.focus();
  }
}

/** @type {(event: KeyboardEvent, form: HTMLFormElement, cancel: () => void) => void} */
function onKey(event, form, cancel) {
  if (event.key === "Escape") cancel();
  const sends = event.key === "Enter" && !event.shiftKey && !event.isComposing && event.target instanceof HTMLTextAreaElement;
  if (event.key !== "Escape" && !sends) return;
  event.preventDefault();
  if (sends) form.requestSubmit();
}
