// The page's elements by their ids, and small ways to make others. Text is only ever text.

/**
 * @template {HTMLElement} [T=HTMLElement]
 * @param {string} id
 * @param {new () => T} [type]
 * @returns {T}
 */
export function at(id, type) {
  const found = document.getElementById(id);
  if (!(found instanceof (type ?? HTMLElement))) throw new Error(`the page has no ${id}`);
  return /** @type {T} */ (found);
}

/** @param {string} id */
export const button = (id) => at(id, HTMLButtonElement);

/**
 * @param {string} tag
 * @param {string} text
 * @param {string} [name]
 */
export function element(tag, text, name) {
  const made = document.createElement(tag);
  made.textContent = text;
  if (name !== undefined) made.className = name;
  return made;
}

/**
 * @param {string} text
 * @param {() => void} press
 */
export function action(text, press) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.addEventListener("click", press);
  return made;
}

/** @param {number} bytes */
export function sizeOf(bytes) {
  return bytes < 1024 ? `${bytes} B` : `${(bytes / 1024).toFixed(1)} KiB`;
}
