// @ts-check
/** Which session is shown: the one that the element names, else the address, else the last one of this browser. */

const ID = /^[\w-]{1,64}$/;

export class Place {
  /**
   * @param {HTMLElement} element
   * @param {string} name What this browser remembers the session under.
   */
  constructor(element, name) {
    this.element = element;
    this.name = name;
  }

  /** Whether the address has the session's id. */
  get isInAddress() {
    return this.element.hasAttribute("hash") && !this.element.hasAttribute("session");
  }

  /** The session that is to be shown now; a new one where nothing names one. */
  find() {
    const named = [this.element.getAttribute("session"), this.isInAddress ? location.hash.slice(1) : null, this.#last()];
    const id = named.find((name) => name !== null && ID.test(name)) ?? newId();
    if (this.isInAddress && location.hash !== `#${id}`) history.replaceState(history.state, "", `#${id}`);
    this.remember(id);
    return id;
  }

  /**
   * Makes it the session that is to be shown. With the address, the step back leads to the one before.
   * @param {string} id
   */
  go(id) {
    if (this.isInAddress) history.pushState(history.state, "", `#${id}`);
    else if (this.element.hasAttribute("session")) this.element.setAttribute("session", id);
    this.remember(id);
  }

  #last() {
    try {
      return localStorage.getItem(this.name);
    } catch {
      return null; // Storage is blocked: every page begins a new one.
    }
  }

  /** @param {string} id */
  remember(id) {
    try {
      localStorage.setItem(this.name, id);
    } catch {
      // A page that is opened anew begins a new one.
    }
  }
}

/** An id for a session or a message. `crypto.randomUUID` exists only on secure pages. */
export function newId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
