// @ts-check
/** A tool's input: a form made of its schema, or its raw JSON; what was typed in one is in the other. */

import { make, say } from "../chat/dom.js";
import { fieldOf } from "./fields.js";
import { startOf } from "./schema.js";

export class ToolInput {
  /** @param {import("./schema.js").Schema} schema */
  constructor(schema) {
    this.schema = schema;
    this.field = fieldOf(schema, { root: schema, label: "input", describedBy: null, changed: () => {} });
    this.field.element.setAttribute("aria-label", "Input");
    this.raw = make("textarea", { "class": "mono raw", "rows": 10, "spellcheck": "false", "autocomplete": "off", "aria-label": "Input as JSON", "aria-describedby": "raw-trouble", "hidden": true, "input": () => this.#check() });
    this.trouble = make("p", { class: "trouble", id: "raw-trouble", role: "status" });
    this.box = make("input", { type: "checkbox", role: "switch", change: () => this.#turn() });
    this.toggle = make("label", { class: "check" }, this.box, "Raw JSON");
    const isEmpty = this.field.isGroup && !this.field.element.childElementCount;
    this.empty = make("p", { class: "quiet-words", hidden: !isEmpty }, "It takes no input.");
    this.element = make("div", { class: "input" }, this.empty, this.field.element, this.raw, this.trouble);
  }

  /** What is to be sent; undefined where the raw text is not JSON. @returns {{input: unknown} | undefined} */
  read() {
    if (!this.box.checked) return { input: this.field.value() ?? {} };
    return this.#check() ? { input: JSON.parse(this.raw.value) } : undefined;
  }

  /** @param {unknown} input */
  set(input) {
    this.field.set(input);
    this.raw.value = JSON.stringify(input, null, 2);
    this.#check();
  }

  /** As it was at first. */
  clear() {
    this.set(startOf(this.schema, this.schema));
  }

  #turn() {
    const isRaw = this.box.checked;
    if (isRaw) this.raw.value = JSON.stringify(this.field.value() ?? {}, null, 2);
    else if (this.#check()) this.field.set(JSON.parse(this.raw.value));
    // What is not JSON cannot be in the form: it stays where it is until it is put right.
    const stays = !isRaw && !this.#check();
    this.box.checked = isRaw || stays;
    this.raw.hidden = !this.box.checked;
    this.field.element.hidden = this.box.checked;
    this.empty.hidden = this.box.checked || this.field.element.childElementCount > 0;
    if (this.box.checked) this.#check();
  }

  #check() {
    try {
      JSON.parse(this.raw.value || "null");
      const isEmpty = !this.raw.value.trim();
      say(this.trouble, isEmpty && this.box.checked ? "This is empty; JSON is at least {}." : "");
      this.raw.setAttribute("aria-invalid", String(isEmpty));
      return !isEmpty;
    } catch (error) {
      say(this.trouble, `This is not JSON: ${error instanceof Error ? error.message : error}`);
      this.raw.setAttribute("aria-invalid", "true");
      return false;
    }
  }
}
