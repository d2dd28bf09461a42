// @ts-check
/** A tool call, folded: its name, how far it is and how long it took; inside, what went in and what came out. */

import { css } from "./styles.js";
import { icon, make, say } from "./dom.js";
import { duration } from "./texts.js";
import { valueBox } from "./value.js";

export const looks = css`
  .call .name { font-family: var(--mono); font-size: .8125rem; color: var(--ink); }
  .dot { inline-size: .5rem; block-size: .5rem; flex: none; border-radius: 50%; background: var(--faint); }
  .call[data-state="runs"] .dot { background: var(--accent); animation: breathe 1.4s ease-in-out infinite; }
  .call[data-state="done"] .dot { background: var(--good); }
  .call[data-state="failed"] .dot { border-radius: .125rem; background: var(--bad); }
  .bar { inline-size: min(16rem, 100%); block-size: 3px; margin-block-start: .25rem; margin-inline-start: 1.375rem; overflow: hidden; border-radius: 2px; background: var(--line); }
  .bar > div { block-size: 100%; background: var(--accent); transition: inline-size .2s; }
  .inside { display: grid; gap: .625rem; margin-block: .5rem .25rem; padding-inline-start: .875rem; border-inline-start: 2px solid var(--line); }
`;

/** @typedef {import("./transcript.js").Call} Call */

/** Errors by which a call was stopped rather than failed. */
const STOPPED = new Set(["cancelled", "interrupted", "not-started"]);

export class CallView {
  /** What is inside was made of. */
  #inside = "";

  /**
   * @param {Call} call
   * @param {import("./turn.js").Context} context
   */
  constructor(call, context) {
    this.call = call;
    this.context = context;
    this.words = make("span", { class: "words", dir: "auto" });
    this.done = make("div");
    this.bar = make("div", { "class": "bar", "aria-hidden": "true", "hidden": true }, this.done);
    this.inside = make("div", { class: "inside" });
    this.fold = make(
      "details",
      { class: "fold", toggle: () => this.#fill() },
      make("summary", {}, icon("chevron"), make("span", { class: "dot" }), make("span", { class: "name" }, call.name), this.words),
      this.inside,
    );
    this.element = make("div", { class: "call", part: "call" }, this.fold, this.bar);
  }

  update() {
    const { state, progress, name } = this.call;
    const { announcer, isLive } = this.context;
    say(this.words, this.#words());
    const isOver = state === "done" || state === "failed";
    if (isLive && isOver && this.element.dataset.state !== state) announcer.say(`${name} ${this.words.textContent}`);
    this.element.dataset.state = state;
    const share = state === "runs" ? shareOf(progress) : null;
    this.bar.hidden = share === null;
    if (share !== null) this.done.style.inlineSize = `${share * 100}%`;
    this.#fill();
  }

  #words() {
    const { texts } = this.context;
    const { state, progress, began, ended, error } = this.call;
    const said = state === "runs" ? progressWords(progress, texts) : "";
    const how = error && STOPPED.has(error.type) ? texts.calls.stopped : said || texts.calls[state];
    return began !== null && ended !== null ? `${how} · ${duration(ended - began, texts)}` : how;
  }

  /** What is folded is made when it is unfolded. */
  #fill() {
    const { input, output, error, state } = this.call;
    const version = `${state} ${this.fold.open}`;
    if (!this.fold.open || version === this.#inside) return;
    this.#inside = version;
    const { texts } = this.context;
    const boxes = [valueBox(texts.input, input, this.context)];
    if (output !== undefined) boxes.push(valueBox(texts.output, output, this.context));
    if (error) boxes.push(valueBox(texts.error, errorText(error, texts), this.context));
    this.inside.replaceChildren(...boxes);
  }
}

/** @type {(progress: any, texts: import("./texts.js").Texts) => string} */
function progressWords(progress, texts) {
  if (!Number.isFinite(progress?.done)) return typeof progress === "string" ? progress : "";
  const count = texts.progress(progress.done, progress.total ?? null);
  return progress.message ? `${count}, ${progress.message}` : count;
}

/** How much of it is done, from 0 to 1; null where nobody knows. @param {any} progress */
function shareOf(progress) {
  const share = progress?.done / progress?.total;
  return Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : null;
}

/** @type {(error: import("./transcript.js").Failure, texts: import("./texts.js").Texts) => string} */
function errorText({ message, ref }, texts) {
  return ref ? `${message}\n${texts.reference}: ${ref}` : message;
}
