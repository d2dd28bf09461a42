// What somebody has typed, kept for as long as the tab is open: a reload of the page, of a card or of the server loses none of it.

/** A field of JSON: it says what is wrong with what stands in it. */
export class Field {
  #area;
  #trouble;
  #key = "";

  /**
   * @param {HTMLTextAreaElement} area
   * @param {HTMLElement} trouble
   */
  constructor(area, trouble) {
    this.#area = area;
    this.#trouble = trouble;
    area.addEventListener("input", () => this.#keep());
  }

  /**
   * Hold what was typed for this, or else what is suggested.
   * @param {string} key
   * @param {unknown} suggestion
   */
  open(key, suggestion) {
    this.#key = key;
    this.#area.value = recall(key) ?? JSON.stringify(suggestion, null, 2);
    this.#check();
  }

  /** @param {unknown} value */
  fill(value) {
    this.#area.value = JSON.stringify(value, null, 2);
    this.#keep();
  }

  /** The value, or undefined where it is not JSON; then the field says so. */
  get value() {
    return this.#check();
  }

  #keep() {
    remember(this.#key, this.#area.value);
    this.#check();
  }

  #check() {
    try {
      const value = JSON.parse(this.#area.value);
      this.#tell("");
      return value;
    } catch (error) {
      this.#tell(`Not JSON: ${error instanceof Error ? error.message : error}`);
      return undefined;
    }
  }

  /** @param {string} text */
  #tell(text) {
    this.#trouble.textContent = text;
    this.#area.setAttribute("aria-invalid", String(text !== ""));
  }
}

/** @param {string} key */
export function recall(key) {
  return sessionStorage.getItem(`litro-preview ${key}`);
}

/**
 * @param {string} key
 * @param {string} text
 */
export function remember(key, text) {
  try {
    sessionStorage.setItem(`litro-preview ${key}`, text);
  } catch {
    // It is full, or not to be had: then this is not kept.
  }
}
