// @ts-check
/** One call by hand as it goes: time, progress, and its result in both channels. */

import { button, make, say } from "../chat/dom.js";
import { lines, path, post, wordsOf } from "./api.js";
import { cardBox } from "./card.js";
import { parsed } from "./fields.js";
import { valueBox } from "./json.js";
import { fold, htmlNote } from "./request.js";
import { progressWords } from "./spans.js";
import { counted, span } from "./words.js";

/** Milliseconds between two looks at the clock. */
const PACE = 100;

export class HandCall {
  #running = new AbortController();
  /** @type {unknown[]} */
  #progress = [];

  /**
   * @param {string} agent
   * @param {string} tool
   */
  constructor(agent, tool) {
    this.where = path`agents/${agent}/tools/${tool}/call`;
    this.state = make("p", { class: "call-state", role: "status" }, "Not called yet.");
    this.clock = make("span", { "class": "number quiet-words", "aria-hidden": "true" });
    this.bar = make("progress", { "aria-label": "Progress", "hidden": true });
    this.cancel = button("Cancel", () => this.stop(), { class: "small" });
    this.cancel.hidden = true;
    this.result = make("div", { class: "outcome" });
    this.element = make(
      "section",
      { "class": "sheet", "aria-labelledby": "result-title" },
      make("div", { class: "row" }, make("h3", { id: "result-title" }, "Result"), this.clock, this.cancel),
      this.state, this.bar, this.result,
    );
  }

  stop() {
    this.#running.abort();
  }

  /** @type {(input: unknown, principal: string) => Promise<void>} */
  async run(input, principal) {
    this.stop();
    const { signal } = (this.#running = new AbortController());
    const began = performance.now();
    this.#begin();
    const timer = setInterval(() => say(this.clock, span(performance.now() - began)), PACE);
    try {
      const body = principal ? { input, principal: parsed(principal) } : { input };
      for await (const line of lines(await post(this.where, body, signal))) if (line) this.#take(line);
    } catch (error) {
      if (signal === this.#running.signal) say(this.state, signal.aborted ? "Cancelled." : wordsOf(error));
    } finally {
      clearInterval(timer);
      if (signal === this.#running.signal) this.#end();
    }
  }

  #begin() {
    this.#progress = [];
    say(this.state, "Running…");
    this.cancel.hidden = false;
    this.bar.hidden = true;
    this.bar.removeAttribute("value");
    this.result.replaceChildren();
  }

  #end() {
    const hadFocus = document.activeElement === this.cancel;
    this.cancel.hidden = true;
    this.bar.hidden = true;
    if (hadFocus) /** @type {HTMLElement | null | undefined} */ (this.element.parentElement?.querySelector("button.main"))?.focus();
  }

  /** @param {any} line */
  #take(line) {
    if ("progress" in line) return this.#move(line.progress);
    if (line.err) return say(this.state, line.err.message);
    if (line.done || line.bye) return;
    say(this.clock, span(line.ms));
    const told = this.#progress.length ? [fold(counted(this.#progress.length, "progress report"), "", "", () => valueBox("Progress", this.#progress, { isPlain: true }))] : [];
    if (line.error) say(this.state, `Failed (${line.error.type}) after ${span(line.ms)}.`);
    else say(this.state, `Done after ${span(line.ms)}.`);
    this.result.replaceChildren(...told, ...channels(line));
  }

  /** @param {any} progress */
  #move(progress) {
    this.#progress.push(progress);
    say(this.state, `Running: ${progressWords(progress)}`);
    this.bar.hidden = false;
    if (!Number.isFinite(progress?.done) || !progress.total) return;
    this.bar.max = progress.total;
    this.bar.value = progress.done;
  }
}

/** @param {any} line @returns {HTMLElement[]} */
function channels({ result, ui, error }) {
  if (error) {
    const { type, message, ref } = error;
    const more = ref ? `\n\nThe server's log has more under ${ref}.` : "";
    return [channel("What the model reads", valueBox("Error for the model", `${type}: ${message}${more}`, { isPlain: true }))];
  }
  if (!ui) return [channel("What the model reads", valueBox("Data for the model", result, { isPlain: true })), channel("What the person sees", make("p", { class: "quiet-words" }, "No card: the tool answers with data alone. A chat shows it inside the folded call."))];
  const data = valueBox("Data for the model", ui.data, { isPlain: true });
  return [channel("What the person sees", cardBox(ui)), channel("What the model reads", data, htmlNote(ui.html, JSON.stringify(ui.data)))];
}

/** @type {(title: string, ...children: Node[]) => HTMLElement} */
function channel(title, ...children) {
  return make("section", { class: "channel" }, make("h4", {}, title), ...children);
}
