// @ts-check
/**
 * The conversation on the page: its turns, drawn at most once a frame, and the place in it that somebody reads.
 *
 * Whoever reads the end stays at the end while it grows; whoever has scrolled away is left alone.
 */

import { css } from "./styles.js";
import { button, make } from "./dom.js";
import { TurnView } from "./turn.js";

export const looks = css`
  .log { display: flex; flex-direction: column; }
  .to-end { z-index: 1; position: absolute; inset-block-end: 100%; inset-inline-start: 50%; translate: -50%; margin-block-end: .75rem; }
  :host(:dir(rtl)) .to-end { translate: 50%; }
  button.to-end { inline-size: 2.25rem; min-block-size: 2.25rem; padding: 0; border: 1px solid var(--line); border-radius: 50%;
    background: var(--page); color: var(--ink); box-shadow: 0 2px 8px #0002; }
  .to-end[hidden] { display: none; }
  .edge { block-size: 1px; }
`;

/** Pixels from the end at which somebody who scrolls down has reached it. */
const NEAR = 80;

/** Milliseconds after which is drawn in a tab that shows no frames. */
const LATEST = 200;

/** @typedef {import("./transcript.js").Turn} Turn */
/** @typedef {import("./transcript.js").Item} Item */

export class Log {
  /** @type {Map<Turn, TurnView>} */
  #views = new Map();
  /** What has changed since it was drawn. @type {Map<Turn, Set<Item>>} */
  #changed = new Map();
  #isDue = false;
  #isAtEnd = true;
  #top = 0;
  /** @type {TurnView | null} */
  #last = null;

  /**
   * @param {HTMLElement} scroller
   * @param {import("./turn.js").Context} context
   * @param {() => Promise<void>} older Is asked for older turns when somebody comes near the first one.
   */
  constructor(scroller, context, older) {
    this.scroller = scroller;
    this.context = context;
    const { texts } = context;
    this.edge = make("div", { "class": "edge", "aria-hidden": "true" });
    this.turns = make("div", {
      ...{ "class": "log", "part": "log", "role": "log", "tabindex": 0 },
      // The announcer speaks, by sentences: this changes with every token.
      ...{ "aria-label": texts.conversation, "aria-live": "off" },
    });
    this.toEndButton = button(texts.toEnd, () => this.#goToEnd(), { icon: "down", isQuiet: true, class: "to-end" });
    this.toEndButton.hidden = true;
    scroller.addEventListener("scroll", () => this.#look(), { passive: true });
    this.resizes = new ResizeObserver(() => this.follow());
    this.resizes.observe(scroller);
    // What somebody unfolds shall stay under the pointer.
    this.turns.addEventListener("click", () => this.#stay());
    const nearing = new IntersectionObserver(([entry]) => entry?.isIntersecting && this.#read(older), {
      root: scroller,
      rootMargin: "1200px 0px",
    });
    nearing.observe(this.edge);
    this.nearing = nearing;
  }

  /** @param {import("./transcript.js").Touched} touched */
  touched({ turn, items = [] }) {
    if (!turn) return;
    const changed = this.#changed.get(turn) ?? new Set();
    for (const item of items) changed.add(item);
    this.#changed.set(turn, changed);
    if (this.#isDue) return;
    this.#isDue = true;
    soon(() => this.draw());
  }

  /** Draws what has changed. */
  draw() {
    this.#isDue = false;
    const changed = [...this.#changed];
    this.#changed.clear();
    for (const [turn, items] of changed) {
      const known = this.#views.get(turn);
      if (known) known.update(items);
      else this.#begin(turn);
      this.#views.get(turn)?.close(turn === this.#last?.turn);
    }
    this.follow();
  }

  /** @param {Turn} turn */
  #begin(turn) {
    const view = new TurnView(turn, this.context);
    this.#views.set(turn, view);
    this.turns.append(view.element);
    this.#last?.close(false);
    this.#last = view;
  }

  /**
   * Shows turns before all others, without a move of what is read.
   * @param {Turn[]} turns
   */
  prepend(turns) {
    const { scroller } = this;
    const first = this.turns.firstElementChild;
    const before = first?.getBoundingClientRect().top ?? 0;
    const views = turns.map((turn) => new TurnView(turn, this.context));
    this.turns.prepend(...views.map((view) => view.element));
    this.#last ??= views.at(-1) ?? null;
    for (const view of views) {
      this.#views.set(view.turn, view);
      view.close(view === this.#last);
    }
    if (this.#isAtEnd) this.toEnd();
    // What follows, such as a height that was only estimated, is compensated by the browser.
    else if (first) scroller.scrollTop += first.getBoundingClientRect().top - before;
  }

  clear() {
    for (const view of this.#views.values()) view.remove();
    this.#views.clear();
    this.#changed.clear();
    this.#last = null;
    this.#isAtEnd = true;
    this.toEndButton.hidden = true;
  }

  /** Something below the turns has grown, or shrunk. */
  follow() {
    if (this.#isAtEnd) this.toEnd();
  }

  toEnd() {
    this.scroller.scrollTop = this.scroller.scrollHeight;
    this.#isAtEnd = true;
    this.toEndButton.hidden = true;
  }

  /**
   * Stays at the end, too, when this grows or shrinks by itself, as a card does that has loaded.
   * @param {Iterable<Element>} elements
   */
  watch(elements) {
    for (const element of elements) this.resizes.observe(element);
  }

  /** Looks again whether older turns are wanted: nothing tells where the first one has come nearer by itself. */
  look() {
    this.nearing.unobserve(this.edge);
    this.nearing.observe(this.edge);
  }

  /** @param {() => Promise<void>} older */
  async #read(older) {
    if (this.#views.size === 0) return;
    await older();
  }

  #goToEnd() {
    this.toEnd();
    this.context.input.focus();
  }

  #stay() {
    this.#isAtEnd = false;
    requestAnimationFrame(() => requestAnimationFrame(() => this.#look()));
  }

  /** Whoever scrolls up leaves the end, however little; whoever comes near it again is back. */
  #look() {
    const { scrollHeight, scrollTop, clientHeight } = this.scroller;
    const left = scrollHeight - scrollTop - clientHeight;
    if (left < 2 || (left < NEAR && scrollTop > this.#top)) this.#isAtEnd = true;
    else if (scrollTop < this.#top) this.#isAtEnd = false;
    this.#top = scrollTop;
    this.toEndButton.hidden = this.#isAtEnd || left < NEAR;
  }
}

/** With the next frame, or soon where none are shown. @param {() => void} draw */
function soon(draw) {
  let isDone = false;
  const once = () => {
    if (!isDone) draw();
    isDone = true;
  };
  requestAnimationFrame(once);
  setTimeout(once, LATEST);
}
