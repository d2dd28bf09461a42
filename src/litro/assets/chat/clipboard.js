// @ts-check
/** A button that copies text and says that it has. */

import { button, icon, make } from "./dom.js";

/** Milliseconds for which it says so. */
const SHOWN = 2000;

/**
 * @param {string} words What it is called, heard and hinted at.
 * @param {() => string} text
 * @param {{texts: import("./texts.js").Texts, announcer: import("./announcer.js").Announcer}} context
 */
export function copyButton(words, text, { texts, announcer }) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const made = button(words, async () => {
    await copy(text(), made);
    announcer.say(texts.copied);
    made.replaceChildren(icon("check"));
    clearTimeout(timer);
    timer = setTimeout(() => made.replaceChildren(icon("copy")), SHOWN);
  }, { icon: "copy", isQuiet: true });
  return made;
}

/**
 * Pages on plain HTTP have no clipboard of their own; an old way works there.
 * @param {string} text
 * @param {HTMLElement} beside
 */
async function copy(text, beside) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = make("textarea", { "class": "heard", "aria-hidden": "true", "tabindex": -1 });
  area.value = text;
  beside.after(area);
  area.select();
  document.execCommand("copy");
  area.remove();
  beside.focus();
}
