// @ts-check
/** Something that went wrong, in words, with a way on. */

import { css } from "./styles.js";
import { button, make } from "./dom.js";

export const looks = css`
  .problem { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1rem; padding: .75rem 1rem; border-radius: .75rem;
    background: var(--bad-soft); color: var(--ink); overflow-wrap: anywhere; }
  .problem p { flex: 1 1 14rem; margin: 0; white-space: pre-wrap; }
  .problem small { color: var(--quiet); }
  .problem .ways { display: flex; flex-wrap: wrap; gap: .5rem; }
  .problem button.plain { background: var(--page); }
`;

/** @typedef {{words: string, go: () => void}} Way */

/**
 * @param {string} words
 * @param {Way[]} ways
 * @param {string} [small] For whoever looks it up.
 */
export function problem(words, ways, small) {
  const buttons = ways.map((way) => button(way.words, way.go));
  return make(
    "div",
    { class: "problem", part: "problem" },
    make("p", { dir: "auto" }, words, small && make("br"), small && make("small", {}, small)),
    buttons.length > 0 && make("div", { class: "ways" }, ...buttons),
  );
}
