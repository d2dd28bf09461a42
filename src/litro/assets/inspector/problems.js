// @ts-check
/** What is wrong in the project, with the lines where it is. */

import { make } from "../chat/dom.js";

/**
 * @param {readonly import("./api.js").Problem[]} problems
 * @param {string} title
 */
export function problemList(problems, title) {
  return make("section", { "class": "sheet problems", "aria-label": title }, make("h3", {}, title), ...problems.map(problemItem));
}

/** @param {import("./api.js").Problem} problem */
function problemItem({ place, text, detail }) {
  return make(
    "article",
    {},
    make("h4", {}, place),
    make("p", {}, text),
    detail && make("pre", { "tabindex": 0, "role": "group", "aria-label": `Lines of ${place}` }, ...linesOf(detail)),
  );
}

/** The lines; the one at fault, which the server marks, stands out. @param {string} detail */
function linesOf(detail) {
  return detail.split(/(?<=\n)/).map((line) => (/^\s*>/.test(line) ? make("mark", {}, line) : line));
}
