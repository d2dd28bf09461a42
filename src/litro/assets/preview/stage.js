// Where the card stands: a sandboxed frame of an origin that nobody has, as wide as a phone or a desk, as high as the card says.

/** @typedef {"inline" | "fullscreen" | "pip"} Mode */

/** @type {readonly Mode[]} */
export const MODES = ["inline", "fullscreen", "pip"];

/** No card may be higher, whatever it says. */
const HIGHEST = 2000;
const FIRST = 120;
const FULL = 640;
const PIP = { width: 320, height: 220 };

/** What an app may ask for, in the words of `allow`. */
const FEATURES = new Map([
  ["camera", "camera"],
  ["microphone", "microphone"],
  ["geolocation", "geolocation"],
  ["clipboardWrite", "clipboard-write"],
]);

export class Stage {
  #place;
  /** @type {HTMLIFrameElement | undefined} */
  #frame;
  #height = FIRST;
  /** @type {Mode} */
  mode = "inline";
  width = 480;

  /** @param {HTMLElement} place */
  constructor(place) {
    this.#place = place;
  }

  /**
   * A new frame: what an old one has still to say is nobody's business.
   * @param {string} address
   * @param {string} title
   * @param {Record<string, any>} ui
   */
  show(address, title, ui) {
    const frame = document.createElement("iframe");
    frame.title = title;
    frame.setAttribute("sandbox", "allow-scripts allow-forms");
    const features = Object.keys(ui["permissions"] ?? {}).flatMap((name) => FEATURES.get(name) ?? []);
    // An opaque origin can only be meant by a star.
    frame.allow = features.map((name) => `${name} *`).join("; ");
    frame.src = address;
    this.#place.dataset["border"] = String(ui["prefersBorder"] !== false);
    this.#frame = frame;
    this.#place.replaceChildren(frame);
    this.#lay();
    return frame;
  }

  /** @param {string} text */
  clear(text) {
    this.#frame = undefined;
    this.#height = FIRST;
    const told = document.createElement("p");
    told.textContent = text;
    this.#place.replaceChildren(told);
  }

  /** @param {unknown} height What the card says that it takes. */
  resize(height) {
    if (typeof height !== "number" || !Number.isFinite(height)) return;
    this.#height = Math.min(Math.max(Math.ceil(height), 0), HIGHEST);
    this.#lay();
  }

  /**
   * @param {Mode} mode
   * @param {number} width
   */
  arrange(mode, width) {
    this.mode = mode;
    this.width = width;
    this.#lay();
  }

  /** As the protocol tells it to the card. */
  get dimensions() {
    if (this.mode === "fullscreen") return { width: this.#place.clientWidth, height: FULL };
    if (this.mode === "pip") return PIP;
    return { width: this.width, maxHeight: HIGHEST };
  }

  get height() {
    return this.#height;
  }

  #lay() {
    this.#place.dataset["mode"] = this.mode;
    if (this.#frame === undefined) return;
    const { style } = this.#frame;
    const sizes = {
      inline: [`${this.width}px`, `${this.#height}px`],
      fullscreen: ["100%", `${FULL}px`],
      pip: [`${PIP.width}px`, `${PIP.height}px`],
    };
    [style.width = "", style.height = ""] = sizes[this.mode];
  }
}
