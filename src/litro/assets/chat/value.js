// @ts-check
/** A value as somebody reads it: text as it is, all else as indented JSON; the beginning of it where it is large. */

import { css } from "./styles.js";
import { copyButton } from "./clipboard.js";
import { button, make, take } from "./dom.js";

export const looks = css`
  .value { min-inline-size: 0; }
  .value header { display: flex; align-items: center; justify-content: space-between; gap: .5rem; color: var(--quiet); font-size: .75rem; font-weight: 600; }
  .value pre { max-block-size: 22rem; margin: 0; padding: .625rem .75rem; overflow: auto; border-radius: .5rem; background: var(--sunk);
    font: .8125rem/1.5 var(--mono); white-space: pre-wrap; overflow-wrap: anywhere; }
`;

/** Characters that are shown at once. */
const SHOWN = 4000;

/**
 * @param {string} name
 * @param {unknown} value
 * @param {import("./turn.js").Context} context
 */
export function valueBox(name, value, context) {
  const text = textOf(value) || context.texts.noInput;
  const pre = make("pre", { "tabindex": 0, "role": "group", "aria-label": name, "dir": "auto" }, text.slice(0, SHOWN));
  const box = make(
    "div",
    { class: "value", part: "value" },
    make("header", {}, make("span", {}, name), copyButton(`${context.texts.copy}: ${name}`, () => text, context)),
    pre,
  );
  if (text.length > SHOWN) {
    const more = button(context.texts.showAll(sizeOf(text)), () => {
      pre.textContent = text;
      take(more, pre);
    });
    box.append(more);
  }
  return box;
}

/** @param {unknown} value */
function textOf(value) {
  if (typeof value === "string") return value;
  const isEmpty = value === null || value === undefined || (typeof value === "object" && Object.keys(value).length === 0);
  return isEmpty ? "" : JSON.stringify(value, null, 2);
}

/** @param {string} text */
function sizeOf(text) {
  return text.length < 10_000 ? `${(text.length / 1000).toFixed(1)} kB` : `${Math.round(text.length / 1000)} kB`;
}
