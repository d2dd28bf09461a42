// The host's side of MCP Apps (2026-01-26), for one frame: handshake, requests both ways, and a queue of what may not be sent
// before the card has said that it is ready. It decides nothing: whoever made it is asked, and shows.

export const PROTOCOL = "2026-01-26";

/** How long a card may take to answer the host, in milliseconds. */
const PATIENCE = 5000;

/** @typedef {Record<string, any>} Json */
/** @typedef {"loading" | "greeted" | "ready" | "gone"} Phase */
/**
 * @typedef {object} Wishes What the host's owner is asked and told.
 * @property {(params: Json) => Json} greet Answers `ui/initialize`.
 * @property {(method: string, params: Json) => Promise<Json>} answer Answers any other request, or throws a `Refusal`.
 * @property {(method: string, params: Json) => void} hear A notification came.
 * @property {(isOurs: boolean, message: unknown, about: string) => void} record A message went either way.
 * @property {(phase: Phase) => void} enter
 */

/** An error for the card. */
export class Refusal extends Error {
  /**
   * @param {number} code
   * @param {string} message
   */
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

export class Host {
  /** @type {Phase} */
  phase = "loading";
  #frame;
  #wishes;
  #next = 1;
  /** @type {Map<number, { method: string, settle: (answer: Json) => void }>} */
  #pending = new Map();
  /** @type {Json[]} */
  #waiting = [];

  /**
   * @param {HTMLIFrameElement} frame
   * @param {Wishes} wishes
   */
  constructor(frame, wishes) {
    this.#frame = frame;
    this.#wishes = wishes;
    addEventListener("message", this);
  }

  /** Hear nothing more of this frame. */
  close() {
    removeEventListener("message", this);
    this.#pending.clear();
    this.#waiting = [];
  }

  /**
   * Send a notification: now, or once the card is ready.
   * @param {string} method
   * @param {Json} params
   */
  notify(method, params) {
    this.#send({ jsonrpc: "2.0", method, params });
  }

  /**
   * Ask the card. The answer is its response, or says that none came.
   * @param {string} method
   * @param {Json} params
   * @returns {Promise<Json>}
   */
  ask(method, params) {
    const id = this.#next++;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#pending.delete(id);
        resolve({ error: { code: 0, message: `no answer to ${method} in ${PATIENCE} ms` } });
      }, PATIENCE);
      const settle = (/** @type {Json} */ answer) => {
        clearTimeout(timer);
        resolve(answer);
      };
      this.#pending.set(id, { method, settle });
      this.#send({ jsonrpc: "2.0", id, method, params });
    });
  }

  /** @param {MessageEvent} event */
  handleEvent(event) {
    if (event.source !== this.#frame.contentWindow) return;
    const message = event.data;
    if (typeof message !== "object" || message === null || message.jsonrpc !== "2.0") {
      this.#wishes.record(false, message, "not a message of the protocol");
    } else if (typeof message.method !== "string") {
      this.#take(message);
    } else if (message.id === undefined) {
      this.#hear(message.method, message);
    } else {
      this.#answer(message.id, message.method, message);
    }
  }

  /** @param {Json} message */
  #take(message) {
    const asked = this.#pending.get(message.id);
    this.#wishes.record(false, message, asked ? `answer to ${asked.method}` : "an answer to nothing");
    this.#pending.delete(message.id);
    asked?.settle(message);
  }

  /**
   * @param {string} method
   * @param {Json} message
   */
  #hear(method, message) {
    this.#wishes.record(false, message, method);
    if (method === "ui/notifications/initialized" && this.phase === "greeted") {
      this.#enter("ready");
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const one of waiting) this.#send(one);
    } else {
      this.#wishes.hear(method, objectOf(message.params));
    }
  }

  /**
   * @param {unknown} id
   * @param {string} method
   * @param {Json} message
   */
  async #answer(id, method, message) {
    this.#wishes.record(false, message, method);
    /** @type {Json} */
    let answer;
    try {
      answer = { result: await this.#resultOf(method, objectOf(message.params)) };
    } catch (error) {
      const code = error instanceof Refusal ? error.code : -32603;
      answer = { error: { code, message: error instanceof Error ? error.message : String(error) } };
    }
    this.#post({ jsonrpc: "2.0", id, ...answer }, `${answer.error ? "error for" : "answer to"} ${method}`);
    if (method === "ui/initialize" && !answer.error && this.phase === "loading") this.#enter("greeted");
  }

  /**
   * @param {string} method
   * @param {Json} params
   */
  #resultOf(method, params) {
    if (method === "ui/initialize") return this.#wishes.greet(params);
    return method === "ping" ? {} : this.#wishes.answer(method, params);
  }

  /** @param {Phase} phase */
  #enter(phase) {
    this.phase = phase;
    this.#wishes.enter(phase);
  }

  /** @param {Json} message */
  #send(message) {
    if (this.phase === "ready") this.#post(message, message.method);
    else if (this.phase !== "gone") this.#waiting.push(message);
  }

  /** The card has answered the teardown, or has not: it is spoken to no more. */
  leave() {
    this.#enter("gone");
  }

  /**
   * @param {Json} message
   * @param {string} about
   */
  #post(message, about) {
    const target = this.#frame.contentWindow;
    if (target === null) return;
    this.#wishes.record(true, message, about);
    // The frame's origin is opaque, so none can be named.
    target.postMessage(message, "*");
  }
}

/**
 * @param {unknown} value
 * @returns {Json}
 */
function objectOf(value) {
  return typeof value === "object" && value !== null ? value : {};
}
