// How the host looks, as somebody chooses it: theme, locale, display mode, width and CSS variables. It is kept, and each change told.

import { at } from "./page.js";
import { MODES } from "./stage.js";
import { variablesOf } from "./themes.js";
import { Field, recall, remember } from "./typed.js";

/** @typedef {import("./stage.js").Mode} Mode */
/** @typedef {Record<string, any>} Json */

export class Look {
  #form = at("look", HTMLFormElement);
  #mode = at("mode", HTMLSelectElement);
  #width = at("width", HTMLInputElement);
  #locale = at("locale", HTMLInputElement);
  #variables = new Field(at("variables", HTMLTextAreaElement), at("variables-trouble"));

  /** @param {(changed: string) => void} tell */
  constructor(tell) {
    const kept = JSON.parse(recall("look") ?? "{}");
    this.theme = kept.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    this.#locale.value = kept.locale ?? navigator.language;
    this.#width.value = kept.width ?? "480";
    this.offer(["inline"]);
    this.#follow();
    this.#form.addEventListener("submit", (event) => event.preventDefault());
    this.#form.addEventListener("input", (event) => {
      const { name } = /** @type {HTMLInputElement} */ (event.target);
      if (name === "locale") return;
      this.#follow();
      tell(name);
    });
    // Half a locale is none.
    this.#locale.addEventListener("change", () => {
      this.#follow();
      tell("locale");
    });
    at("variables").addEventListener("change", () => tell("variables"));
  }

  get theme() {
    return String(new FormData(this.#form).get("theme"));
  }

  set theme(theme) {
    for (const radio of this.#form.querySelectorAll("input[name=theme]")) {
      if (radio instanceof HTMLInputElement) radio.checked = radio.value === theme;
    }
  }

  get width() {
    return Number(this.#width.value);
  }

  /** @returns {Mode} */
  get mode() {
    return /** @type {Mode} */ (this.#mode.value);
  }

  set mode(mode) {
    this.#mode.value = mode;
  }

  /** @param {readonly string[]} modes Those that the app can have. */
  offer(modes) {
    for (const option of this.#mode.options) option.disabled = !modes.includes(option.value);
    if (!modes.includes(this.mode)) this.mode = MODES.find((mode) => modes.includes(mode)) ?? "inline";
  }

  /** What the host tells of it. */
  get context() {
    return {
      theme: this.theme,
      locale: localeOf(this.#locale.value),
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      displayMode: this.mode,
      availableDisplayModes: [...MODES],
      styles: { variables: this.#variables.value ?? variablesOf(this.#shade) },
      userAgent: "litro-preview",
      platform: "web",
      deviceCapabilities: { touch: navigator.maxTouchPoints > 0, hover: matchMedia("(hover: hover)").matches },
      safeAreaInsets: { top: 0, right: 0, bottom: 0, left: 0 },
    };
  }

  get #shade() {
    return this.theme === "dark" ? "dark" : "light";
  }

  #follow() {
    at("width-told").textContent = `${this.width} px`;
    this.#width.disabled = this.mode !== "inline";
    at("stage").dataset["theme"] = this.theme;
    this.#variables.open(`variables ${this.theme}`, variablesOf(this.#shade));
    const kept = { theme: this.theme, locale: this.#locale.value, width: this.#width.value };
    remember("look", JSON.stringify(kept));
  }
}

/** @param {string} text */
function localeOf(text) {
  try {
    return new Intl.Locale(text).toString();
  } catch {
    return "en";
  }
}
