// @ts-check
/**
 * One session, heard: its transcript, what is on its way to it, and how the connection is.
 *
 * One ear hears everything, from the last seq that was seen on; what is said here, by another tab, or comes from the queue
 * takes the same way. It knows no page: whoever shows it is told through `Listener`.
 */

import { agentSession } from "../client.js";
import { failureOf, isOf } from "./failure.js";
import { Sending } from "./sending.js";
import { Transcript } from "./transcript.js";

/** @typedef {import("../client.js").AgentError} AgentError */
/** @typedef {import("../client.js").SessionOptions} SessionOptions */
/** @typedef {import("./transcript.js").Turn} Turn */

/** @typedef {"opening" | "idle" | "running" | "retrying" | "lost" | "gone"} State */

/**
 * @typedef {object} Listener
 * @property {() => Promise<void>} opened The session's end was read; what comes from now on is live.
 * @property {(touched: import("./transcript.js").Touched) => void} touched Something was heard.
 * @property {() => void} changed The state, what waits, or what is unsent is another.
 * @property {(error: AgentError) => void} failed Something could not be heard, or said.
 * @property {() => void} accepted The session has more in it than other tabs may know.
 */

/** How many seqs are read at once. Most are deltas, which are not sent. */
const PAGE = 1000;

/** Milliseconds between two looks for what waits, at most. */
const LONGEST_LOOK = 5000;

export class Conversation {
  transcript = new Transcript();
  /** @type {State} */
  state = "opening";
  /** What is wrong, where the state is "lost" or "gone". @type {AgentError | null} */
  trouble = null;
  isStopping = false;
  #life = new AbortController();
  /** Ends the hearing at work. @type {AbortController | null} */
  #ear = null;
  /** Whether there may be more than the ear at work will hear. */
  #isDue = false;
  #isOpen = false;
  /** @type {Promise<Turn[]> | null} */
  #reading = null;

  /**
   * @param {string} agent
   * @param {string} id
   * @param {SessionOptions} options
   * @param {Listener} listener
   */
  constructor(agent, id, options, listener) {
    this.id = id;
    this.listener = listener;
    const onRetry = () => this.#become("retrying");
    const onOpen = () => this.state === "retrying" && this.#become(this.#isOpen ? this.#hears() : "opening");
    this.session = agentSession(agent, id, { ...options, onRetry, onOpen });
    this.sending = new Sending(this.session, this.#life.signal, {
      changed: listener.changed,
      accepted: () => this.#accepted(),
      failed: (error) => this.#unsent(error),
    });
  }

  /** Whether there are older turns than those that were read. */
  get hasOlder() {
    return this.transcript.first > 1;
  }

  get isRunning() {
    return this.transcript.running !== null && this.state !== "lost" && this.state !== "gone";
  }

  /** Reads the end of the session, then hears what comes. */
  async open() {
    // Of an attempt that broke off, there may be a beginning.
    this.transcript = new Transcript();
    try {
      const { signal } = this.#life;
      const tail = this.session.resume(-PAGE, { follow: false, deltas: false, signal });
      for await (const event of tail) this.#take(event, false);
      while (this.transcript.isHeadless && this.hasOlder) await this.older();
    } catch (error) {
      return this.#fail(error);
    }
    await this.listener.opened();
    if (this.hasOlder) await this.#readQueue();
    this.#isOpen = true;
    await this.hear();
  }

  /** Ends all that is at work; nothing is heard of it any more. */
  close() {
    this.#life.abort();
    this.#ear?.abort();
  }

  /** Hears what was not heard yet, to the end of the turn that runs, and of those that wait. */
  async hear() {
    this.#isDue = true;
    if (this.#ear || !this.#isOpen || this.#life.signal.aborted) return;
    const ear = (this.#ear = new AbortController());
    try {
      await this.#hearAll(ear.signal);
      this.trouble = null;
      this.#become("idle");
    } catch (error) {
      if (!ear.signal.aborted) this.#fail(error);
    } finally {
      if (this.#ear === ear) this.#ear = null;
    }
  }

  /** Hears anew, at once: the network or the page is back, or somebody asks for it. What found no server is sent again. */
  async again() {
    const { trouble } = this;
    if (this.state === "gone" || (!this.#isOpen && !trouble)) return;
    this.#ear?.abort();
    this.#ear = null;
    this.trouble = null;
    if (trouble) this.#become("retrying");
    this.sending.again();
    await (this.#isOpen ? this.hear() : this.open());
  }

  /** @param {AbortSignal} signal */
  async #hearAll(signal) {
    for (let looks = 0; ; looks++) {
      this.#isDue = false;
      const { seen } = this.transcript;
      for await (const event of this.session.resume(seen + 1, { signal })) this.#take(event, true);
      if (signal.aborted || this.#life.signal.aborted) throw signal.reason;
      if (this.transcript.seen > seen) looks = 0;
      if (this.#isDue) continue;
      if (this.transcript.waiting.size === 0 && !this.transcript.running) return;
      // The next turn is about to begin; or the process that ran this one has died, and another one will see to it.
      await pause(Math.min(100 * 2 ** looks, LONGEST_LOOK), signal);
    }
  }

  /**
   * @param {import("../client.js").AgentEvent} event
   * @param {boolean} isLive
   */
  #take(event, isLive) {
    if (this.#life.signal.aborted) return;
    const touched = this.transcript.take(event);
    const { kind, payload } = event;
    if (kind === "message" || kind === "queued") this.sending.heard(payload.id);
    if (kind === "turn-end") this.isStopping = false;
    this.listener.touched(touched);
    if (!isLive) return;
    this.trouble = null;
    this.#become(this.#hears());
  }

  /** @returns {State} */
  #hears() {
    return this.transcript.running ? "running" : "idle";
  }

  /** What waits from before the events that were read, which are shown by now: a server may have to read the whole session for it. */
  async #readQueue() {
    try {
      const queue = await this.session.queue();
      const known = new Map(this.transcript.waiting);
      this.transcript.waiting.clear();
      for (const message of [...queue, ...known.values()]) this.transcript.waiting.set(message.id, message);
      if (!this.#life.signal.aborted) this.listener.changed();
    } catch (error) {
      // What waits is seen when it starts, too.
      if (!this.#life.signal.aborted) this.listener.failed(failureOf(error));
    }
  }

  /** Reads older turns; those that this made whole. @returns {Promise<Turn[]>} */
  older() {
    this.#reading ??= this.#readOlder().finally(() => (this.#reading = null));
    return this.#reading;
  }

  async #readOlder() {
    const { first } = this.transcript;
    const from = Math.max(1, first - PAGE);
    const events = [];
    const { signal } = this.#life;
    for await (const event of this.session.resume(from, { follow: false, deltas: false, limit: first - from, signal })) {
      if (event.seq >= first) break;
      events.push(event);
    }
    return this.transcript.takeOlder(events, from);
  }

  #accepted() {
    this.listener.accepted();
    void this.hear();
  }

  /** @param {unknown} error */
  #unsent(error) {
    this.listener.failed(failureOf(error));
    // A turn runs that this page has not heard of.
    if (isOf(error, "busy")) void this.hear();
  }

  /** Takes a message that waits out of the queue. False where it has started. @param {string} id */
  async withdraw(id) {
    const isWithdrawn = await this.session.withdraw(id);
    this.#accepted();
    return isWithdrawn;
  }

  async stop() {
    this.isStopping = true;
    this.listener.changed();
    try {
      await this.session.cancel();
      void this.hear();
    } catch (error) {
      this.isStopping = false;
      this.listener.changed();
      throw error;
    }
  }

  /**
   * The id of a new session that ends before the turn; null where nothing is before it.
   * @param {Turn} turn
   */
  async forkBefore(turn) {
    if (turn.start <= 1) return null;
    try {
      return (await this.session.fork({ at: turn.start - 1 })).session;
    } catch (error) {
      if (isOf(error, "no-turn-end")) return null;
      throw error;
    }
  }

  /** @param {unknown} error */
  #fail(error) {
    if (this.#life.signal.aborted) return;
    this.trouble = failureOf(error);
    this.listener.failed(this.trouble);
    this.#become(isOf(error, "unknown-session", "beyond-tail") ? "gone" : "lost");
  }

  /** @param {State} state */
  #become(state) {
    if (this.#life.signal.aborted || this.state === state) return;
    this.state = state;
    this.listener.changed();
  }
}

/** @type {(ms: number, signal: AbortSignal) => Promise<void>} */
function pause(ms, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
