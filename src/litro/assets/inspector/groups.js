// @ts-check
/** Fields that have fields: objects, lists, and values that may be of several kinds. */

import { button, make, take } from "../chat/dom.js";
import { fieldOf, isLeaf, labelled, newId } from "./fields.js";
import { fits, itemOf, nameOf, resolved, startOf, typeOf, variantsOf } from "./schema.js";

/** @typedef {import("./fields.js").Field} Field */
/** @typedef {import("./fields.js").Place} Place */
/** @typedef {import("./schema.js").Schema} Schema */

/** @type {(kind: string, schema: Schema, place: Place) => Field} */
export function compound(kind, schema, place) {
  if (kind === "object") return objectField(schema, place);
  return kind === "array" ? arrayField(schema, place) : variantsField(schema, place);
}

/** @param {Place} place */
function group({ describedBy }) {
  const element = make("div", { "class": "group", "role": "group", "aria-describedby": describedBy, "id": newId() });
  return { element, id: element.id, isGroup: true };
}

/** @type {(schema: Schema, place: Place) => Field} */
function objectField({ properties = {}, required = [], additionalProperties }, place) {
  const made = group(place);
  const known = Object.entries(properties).map(([name, schema]) => property(name, schema, required.includes(name), place));
  const more = typeof additionalProperties === "object" ? pairs(additionalProperties, place) : null;
  /** What no field is for, kept as it was given. @type {Record<string, unknown>} */
  let rest = {};
  made.element.append(...known.map(({ element }) => element), ...(more ? [more.element] : []));
  return {
    ...made,
    value: () => {
      const own = known.filter(({ isSent }) => isSent()).map(({ name, value }) => [name, value()]);
      return Object.fromEntries([...own, ...Object.entries(rest), ...(more?.value() ?? [])].filter(([, value]) => value !== undefined));
    },
    set: (value) => {
      const given = Object(value);
      for (const one of known) one.set(given);
      const others = Object.entries(given).filter(([name]) => !Object.hasOwn(properties, name));
      rest = more ? {} : Object.fromEntries(others);
      more?.set(others);
    },
  };
}

/** A property; one that may be left out has a box that says whether it is sent. @type {(name: string, schema: Schema, isRequired: boolean, place: Place) => {name: string, element: HTMLElement, isSent: () => boolean, value: () => unknown, set: (given: any) => void}} */
function property(name, schema, isRequired, { root, changed }) {
  const box = make("input", { "type": "checkbox", "aria-label": `Send ${name}`, "change": () => toggled() });
  const extra = isRequired ? null : make("label", { class: "check" }, box, make("span", { "aria-hidden": "true" }, "send"));
  const isSent = () => isRequired || box.checked;
  const touched = () => {
    box.checked = true;
    element.classList.remove("unsent");
    changed();
  };
  const holder = make("div", {});
  /** @type {Field | null} */
  let field = null;
  const element = make("div", { class: "property" }, holder);
  const build = () => {
    if (field) return field;
    field = labelled(name, schema, { root, changed: touched, extra });
    holder.replaceChildren(field.element);
    return field;
  };
  // A schema may contain itself: what is not a plain field is made when it is wanted.
  if (isRequired || isLeaf(resolved(schema, root))) build();
  else holder.append(make("div", { class: "field" }, make("div", { class: "field-head" }, make("span", { class: "label" }, name), make("span", { class: "type mono" }, typeOf(resolved(schema, root), root)), extra), hintOf(resolved(schema, root))));
  function toggled() {
    const hadFocus = box === document.activeElement;
    // Whoever wants to send something hardly wants to send null.
    if (box.checked && build().value() === null) build().set(startOf(withoutNull(resolved(schema, root)), root));
    if (hadFocus) box.focus();
    element.classList.toggle("unsent", !isSent());
    changed();
  }
  element.classList.toggle("unsent", !isSent());
  return {
    name,
    element,
    isSent,
    value: () => field?.value(),
    set: (given) => {
      const isGiven = Object.hasOwn(given, name);
      box.checked = isGiven;
      if (isGiven) build().set(given[name]);
      element.classList.toggle("unsent", !isSent());
    },
  };
}

/** The schema without a default, and with what is not null first. @type {(schema: Schema) => Schema} */
function withoutNull({ default: _, ...schema }) {
  const variants = variantsOf(schema).filter(({ type }) => type !== "null");
  return variants.length ? { anyOf: variants } : schema;
}

/** @param {Schema} schema */
function hintOf({ description }) {
  return typeof description === "string" ? make("p", { class: "hint" }, description) : null;
}

/** Names of one's own, each with a value. @type {(schema: Schema, place: Place) => {element: HTMLElement, value: () => [string, unknown][], set: (pairs: [string, unknown][]) => void}} */
function pairs(schema, { root, label, changed }) {
  const list = make("ul", { class: "items" });
  /** @type {{name: HTMLInputElement, field: Field, item: HTMLElement}[]} */
  let all = [];
  const add = (/** @type {string} */ given, /** @type {unknown} */ value) => {
    const name = make("input", { "class": "mono", "aria-label": `Name of an entry of ${label}`, "value": given, "input": changed });
    const field = fieldOf(schema, { root, label: `${label} entry`, describedBy: null, changed });
    name.value = given;
    field.set(value);
    if (!field.isGroup) field.element.setAttribute("aria-label", `Value of ${given || "the entry"}`);
    const one = { name, field, item: make("li", { class: "pair" }, name, field.element) };
    one.item.append(removal("Remove the entry", () => {
      all = all.filter((other) => other !== one);
      take(one.item, plus);
      changed();
    }));
    all.push(one);
    list.append(one.item);
  };
  const plus = button("Add an entry", () => {
    add("", startOf(schema, root));
    all.at(-1)?.name.focus();
    changed();
  }, { icon: "plus", class: "small" });
  return {
    element: make("div", { class: "pairs" }, list, plus),
    value: () => all.map(({ name, field }) => [name.value, field.value()]),
    set: (given) => {
      all = [];
      list.replaceChildren();
      for (const [name, value] of given) add(name, value);
    },
  };
}

/** @type {(schema: Schema, place: Place) => Field} */
function arrayField(schema, place) {
  const { root, label, changed } = place;
  const made = group(place);
  const list = make("ol", { class: "items" });
  /** @type {{field: Field, item: HTMLElement}[]} */
  let all = [];
  const add = (/** @type {unknown} */ value) => {
    const at = all.length;
    const field = fieldOf(itemOf(schema, at), { root, label: `${label} ${at + 1}`, describedBy: null, changed });
    field.element.setAttribute("aria-label", `${label} ${at + 1}`);
    field.set(value);
    const one = { field, item: make("li", {}, field.element) };
    one.item.append(removal(`Remove item ${at + 1} of ${label}`, () => {
      all = all.filter((other) => other !== one);
      take(one.item, plus);
      changed();
    }));
    all.push(one);
    list.append(one.item);
  };
  const plus = button(`Add an item to ${label}`, () => {
    add(startOf(itemOf(schema, all.length), root));
    document.getElementById(all.at(-1)?.field.id ?? "")?.focus();
    changed();
  }, { icon: "plus", class: "small" });
  made.element.append(list, plus);
  return {
    ...made,
    value: () => all.map(({ field }) => field.value() ?? null),
    set: (value) => {
      all = [];
      list.replaceChildren();
      for (const one of Array.isArray(value) ? value : []) add(one);
    },
  };
}

/** @type {(words: string, press: () => void) => HTMLButtonElement} */
function removal(words, press) {
  return button(words, press, { icon: "cross", isQuiet: true });
}

/** @type {(schema: Schema, place: Place) => Field} */
function variantsField(schema, place) {
  const { root, label, changed } = place;
  const made = group(place);
  const variants = variantsOf(schema);
  const holder = make("div", {});
  const choice = make("select", { "aria-label": `Kind of ${label}`, "change": () => {
    build(Number(choice.value));
    changed();
  } }, ...variants.map((variant, at) => make("option", { value: at }, nameOf(variant, root))));
  /** @type {Field | null} */
  let field = null;
  const build = (/** @type {number} */ at) => {
    choice.value = String(at);
    field = fieldOf(variants[at] ?? {}, { ...place, label });
    if (!field.isGroup) field.element.setAttribute("aria-label", label);
    holder.replaceChildren(field.element);
    return field;
  };
  made.element.classList.add("variants");
  made.element.append(choice, holder);
  return {
    ...made,
    value: () => field?.value(),
    set: (value) => build(Math.max(0, variants.findIndex((variant) => fits(value, variant, root)))).set(value),
  };
}
