// @ts-check
/**
 * Fields of a form, made of a JSON Schema: one for each kind of value.
 *
 * They help, they do not judge: what was typed is sent as it is, and the server says what is wrong with it.
 */

import { make } from "../chat/dom.js";
import { compound } from "./groups.js";
import { kindOf, limitsOf, resolved, startOf, typeOf } from "./schema.js";

/** @typedef {import("./schema.js").Schema} Schema */
/**
 * @typedef {object} Field
 * @property {HTMLElement} element
 * @property {string} id What a label is for.
 * @property {boolean} isGroup Whether it has fields of its own, so that it is labelled as a group.
 * @property {() => unknown} value Undefined where nothing was typed.
 * @property {(value: unknown) => void} set
 */
/** Where a field stands. @typedef {{root: Schema, label: string, describedBy: string | null, changed: () => void}} Place */

/** Characters from which on a text has more than one line. */
const LONG = 120;

let last = 0;

/** An id that nothing in the page has. */
export function newId() {
  last += 1;
  return `field-${last}`;
}

/** @type {(schema: Schema, place: Place) => Field} */
export function fieldOf(schema, place) {
  const found = resolved(schema, place.root);
  const kind = kindOf(found);
  const field = LEAVES[kind]?.(found, place) ?? compound(kind, found, place);
  field.set(startOf(found, place.root));
  return field;
}

/** Whether its fields may be made at once: a schema may contain itself. @param {Schema} schema */
export function isLeaf(schema) {
  return kindOf(schema) in LEAVES;
}

/** @type {Record<string, (schema: Schema, place: Place) => Field>} */
const LEAVES = {
  "fixed": ({ const: value }) => {
    const element = make("code", {}, JSON.stringify(value));
    return { ...of(element), value: () => value, set() {} };
  },
  "null": () => ({ ...of(make("code", {}, "null")), value: () => null, set() {} }),
  "boolean": (_, place) => {
    const element = make("select", { "change": place.changed, "aria-describedby": place.describedBy }, ...["true", "false"].map((one) => make("option", {}, one)));
    return { ...of(element), value: () => element.value === "true", set: (value) => (element.value = String(Boolean(value))) };
  },
  "choice": ({ enum: choices }, place) => {
    const options = choices.map((/** @type {unknown} */ one) => make("option", { value: JSON.stringify(one) }, typeof one === "string" ? one : JSON.stringify(one)));
    const element = make("select", { "change": place.changed, "aria-describedby": place.describedBy }, ...options);
    const set = (/** @type {unknown} */ value) => {
      const text = JSON.stringify(value) ?? "null";
      if (![...element.options].some((option) => option.value === text)) element.append(make("option", { value: text }, text));
      element.value = text;
    };
    return { ...of(element), value: () => JSON.parse(element.value), set };
  },
  "string": (schema, place) => {
    const { maxLength = 0, format } = schema;
    const attributes = { "input": place.changed, "dir": "auto", "spellcheck": "false", "autocomplete": "off", "aria-describedby": place.describedBy };
    if (format === "date") return text(make("input", { type: "date", ...attributes }));
    const isShort = "maxLength" in schema && maxLength <= LONG;
    const element = isShort ? make("input", { type: "text", ...attributes }) : make("textarea", { rows: 1, ...attributes });
    return text(element);
  },
  "integer": numberField,
  "number": numberField,
  "any": (_, place) => {
    const element = make("textarea", { "rows": 2, "class": "mono", "spellcheck": "false", "placeholder": "JSON", "input": place.changed, "aria-describedby": place.describedBy });
    return { ...of(element), value: () => parsed(element.value), set: (value) => (element.value = value === undefined ? "" : JSON.stringify(value, null, 2)) };
  },
};

/** @type {(schema: Schema, place: Place) => Field} */
function numberField(schema, place) {
  const element = make("input", { "inputmode": schema.type === "integer" ? "numeric" : "decimal", "class": "mono", "autocomplete": "off", "placeholder": limitsOf(schema), "input": place.changed, "aria-describedby": place.describedBy });
  // What is no number is sent as text, and refused in the server's words.
  const value = () => (element.value.trim() === "" ? undefined : Number.isNaN(Number(element.value)) ? element.value : Number(element.value));
  return { ...of(element), value, set: (given) => (element.value = given === undefined || given === null ? "" : String(given)) };
}

/** @param {HTMLInputElement | HTMLTextAreaElement} element @returns {Field} */
function text(element) {
  return { ...of(element), value: () => element.value, set: (value) => (element.value = typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value)) };
}

/** @param {HTMLElement} element */
function of(element) {
  element.id = newId();
  return { element, id: element.id, isGroup: false };
}

/** What was typed as JSON; as text where it is none. @param {string} typed */
export function parsed(typed) {
  if (!typed.trim()) return undefined;
  try {
    return JSON.parse(typed);
  } catch {
    return typed;
  }
}

/**
 * A field with its label, what it is for and what it takes.
 * @type {(name: string, schema: Schema, place: {root: Schema, changed: () => void, extra?: HTMLElement | null}) => Field}
 */
export function labelled(name, schema, { root, changed, extra = null }) {
  const found = resolved(schema, root);
  const words = [found.description, limitsOf(found)].filter(Boolean).join(" · ");
  const hint = words ? newId() : null;
  const field = fieldOf(schema, { root, label: name, describedBy: hint, changed });
  const title = field.isGroup ? make("span", { class: "label", id: `${field.id}-label` }, name) : make("label", { class: "label", for: field.id }, name);
  if (field.isGroup) field.element.setAttribute("aria-labelledby", `${field.id}-label`);
  const head = make("div", { class: "field-head" }, title, make("span", { class: "type mono" }, typeOf(found, root)), extra);
  return { ...field, element: make("div", { class: "field" }, head, field.element, hint && make("p", { class: "hint", id: hint }, words)) };
}
