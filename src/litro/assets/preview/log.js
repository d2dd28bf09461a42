// The messages between the card and the host, as a list: which way, what, when, and the whole of it on demand.

const MOST = 500;

/** @typedef {{ isOurs: boolean, about: string, at: number, message: unknown }} Entry */

export class Log {
  /** @type {{ entry: Entry, item: HTMLElement }[]} */
  #entries = [];
  #list;
  #count;
  #filter;
  #began = performance.now();

  /**
   * @param {HTMLElement} list
   * @param {HTMLElement} count
   * @param {HTMLInputElement} filter
   */
  constructor(list, count, filter) {
    this.#list = list;
    this.#count = count;
    this.#filter = filter;
    filter.addEventListener("input", () => this.#show());
  }

  /**
   * @param {boolean} isOurs
   * @param {unknown} message
   * @param {string} about
   */
  add(isOurs, message, about) {
    const entry = { isOurs, about, at: performance.now() - this.#began, message };
    const isAtEnd = this.#list.scrollTop + this.#list.clientHeight >= this.#list.scrollHeight - 24;
    const item = itemOf(entry);
    this.#entries.push({ entry, item });
    this.#list.append(item);
    if (this.#entries.length > MOST) this.#entries.shift()?.item.remove();
    this.#show();
    if (isAtEnd) this.#list.scrollTop = this.#list.scrollHeight;
  }

  /** Forget all of it, and count the time anew. */
  clear() {
    this.#entries = [];
    this.#list.replaceChildren();
    this.#began = performance.now();
    this.#show();
  }

  /** What is shown, as JSON. */
  get text() {
    const shown = this.#entries.filter(({ item }) => !item.hidden);
    return textOf(
      shown.map(({ entry: { isOurs, at, message } }) => ({ from: isOurs ? "host" : "card", ms: Math.round(at), message })),
    );
  }

  #show() {
    const wanted = this.#filter.value.trim().toLowerCase();
    let shown = 0;
    for (const { entry, item } of this.#entries) {
      const has = wanted === "" || `${entry.about} ${textOf(entry.message)}`.toLowerCase().includes(wanted);
      item.hidden = !has;
      if (has) shown++;
    }
    const all = this.#entries.length;
    this.#count.textContent = shown === all ? `${all}` : `${shown} of ${all}`;
  }
}

/** @param {Entry} entry */
function itemOf({ isOurs, about, at, message }) {
  const item = document.createElement("li");
  item.className = isOurs ? "ours" : "theirs";
  item.dataset["about"] = about;
  const details = document.createElement("details");
  const summary = document.createElement("summary");
  const way = span("way", isOurs ? "host" : "card");
  way.title = isOurs ? "from the host to the card" : "from the card to the host";
  const time = span("time", `${(at / 1000).toFixed(2)} s`);
  summary.append(way, span("about", about), time);
  details.append(summary);
  details.addEventListener("toggle", () => {
    if (!details.open || details.querySelector("pre")) return;
    const pre = document.createElement("pre");
    pre.tabIndex = 0;
    pre.setAttribute("role", "group");
    pre.setAttribute("aria-label", `JSON of ${about}`);
    pre.textContent = textOf(message);
    details.append(pre);
  });
  item.append(details);
  return item;
}

/**
 * @param {string} name
 * @param {string} text
 */
function span(name, text) {
  const made = document.createElement("span");
  made.className = name;
  made.textContent = text;
  return made;
}

/**
 * Whatever a card has sent, as JSON as far as it is.
 * @param {unknown} value
 * @returns {string}
 */
export function textOf(value) {
  try {
    return JSON.stringify(value, null, 2) ?? String(value);
  } catch (error) {
    return `not JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}
