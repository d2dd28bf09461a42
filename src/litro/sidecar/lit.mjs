// The Lit adapter: a template as JSON becomes what Lit's own tagged template would have made of it, and @lit-labs/ssr renders that.

import { vendored } from "./vendored.mjs";

/** @typedef {{ s: string[], v: unknown[] }} Template */

const { render: ssr } = await vendored("@lit-labs/ssr");
const { collectResultSync } = await vendored("@lit-labs/ssr/lib/render-result.js");

/** Templates that are kept parsed. Lit knows one by the identity of its strings, so equal strings have to be one array. */
const KEPT = 1000;

/** @type {Map<string, TemplateStringsArray>} */
const known = new Map();

/** @param {Template} template */
export function render(template) {
  return collectResultSync(ssr(result(template)));
}

/** @param {Template} template */
function result({ s, v }) {
  return { ["_$litType$"]: 1, strings: stringsOf(s), values: v.map(revived) };
}

/**
 * A value between tags is a scalar, a list, or `{t}`: a template. Any other value is `{j}`, and stays what it is: data that looks
 * like a template is data.
 *
 * @param {any} value
 * @returns {unknown}
 */
function revived(value) {
  if (Array.isArray(value)) return value.map(revived);
  if (value === null || typeof value !== "object") return value;
  return "j" in value ? value.j : result(value.t);
}

/** @param {string[]} strings */
function stringsOf(strings) {
  const key = JSON.stringify(strings);
  const found = known.get(key);
  if (found) {
    // The least recently used one is the first.
    known.delete(key);
    known.set(key, found);
    return found;
  }
  const made = Object.assign(strings, { raw: strings });
  known.set(key, made);
  if (known.size > KEPT) known.delete(/** @type {string} */ (known.keys().next().value));
  return made;
}
