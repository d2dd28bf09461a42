// @ts-check
/** Elements, made of names, attributes and text. There is no markup in it, so that no text can become any. */

const SVG = "http://www.w3.org/2000/svg";

/** Drawn in a square of 24, with strokes. */
const ICONS = {
  arrow: "M12 19V5M6 11l6-6 6 6",
  back: "M9 14l-5-5 5-5M4 9h10a6 6 0 0 1 0 12h-3",
  check: "M5 12.5l4.5 4.5L19 7.5",
  chevron: "M9 6l6 6-6 6",
  copy: "M9 9h10v11H9zM5 15V4h10",
  cross: "M6 6l12 12M18 6L6 18",
  down: "M12 5v14M6 13l6 6 6-6",
  list: "M4 6h16M4 12h16M4 18h10",
  pencil: "M4 20l1-4L16 5l3 3L8 19zM14 7l3 3",
  plus: "M12 5v14M5 12h14",
  retry: "M20 12a8 8 0 1 1-2.5-5.8M20 3v4h-4",
  trash: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5",
  stop: "M7 7h10v10H7z",
};

/** @typedef {keyof typeof ICONS} Icon */
/** @typedef {Node | string | null | undefined | false} Child */

/**
 * An element. A function among the attributes hears the event of its name, true is an attribute without a value, and what
 * is null, undefined or false is none.
 *
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Record<string, string | number | boolean | null | undefined | ((event: any) => void)>} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value != null) element.setAttribute(key, String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** @param {Icon} name */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  const path = document.createElementNS(SVG, "path");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", "icon");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

/**
 * A button with an icon, and its words: seen, or only heard and hinted at.
 *
 * @param {string} words
 * @param {() => void} press
 * @param {{icon?: Icon, isQuiet?: boolean, class?: string, part?: string, describedBy?: string}} [more] `isQuiet` hides the words.
 */
export function button(words, press, more = {}) {
  const hidden = more.isQuiet ? { "aria-label": words, title: words } : {};
  return make(
    "button",
    { type: "button", class: more.class ?? (more.isQuiet ? "quiet" : "plain"), part: more.part ?? "button", click: press, ...hidden },
    more.icon && icon(more.icon),
    !more.isQuiet && words,
  );
}

/**
 * Words that are heard, not seen.
 * @param {string} words
 */
export function heard(words) {
  return make("span", { class: "heard" }, words);
}

/**
 * Takes a node away. Where it has the focus, `next` gets it, so that a keyboard never starts anew.
 * @param {Element} node
 * @param {{focus(): void} | null} next
 */
export function take(node, next) {
  const root = /** @type {Document | ShadowRoot} */ (node.getRootNode());
  const hadFocus = "activeElement" in root && node.contains(root.activeElement);
  node.remove();
  if (hadFocus) next?.focus();
}

/**
 * Sets an element's text unless it has it: a live region would be read out again.
 * @param {Element} element
 * @param {string} text
 */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
