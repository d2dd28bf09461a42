// @ts-check
/**
 * A session's events, from the first one on and for as long as somebody looks.
 *
 * It goes on by itself after a restart of the server. It is told to pause while nobody sees the page: a browser has six
 * connections for one server, and other tabs want some.
 */

import { lines, load, open, path, Refused, wordsOf } from "./api.js";

/** @typedef {import("../client.js").AgentEvent} AgentEvent */
/** `absent`: nobody has said anything yet. @typedef {"opening" | "live" | "absent" | "away" | "deleted"} FeedState */

/** Milliseconds before another attempt. */
const PACE = 1000;
/** Milliseconds without a byte after which a connection is broken. Heartbeats come every 10 s. */
const SILENCE = 25_000;

export class Feed {
  /** @type {AgentEvent[]} */
  events = [];
  /** @type {FeedState} */
  state = "opening";
  /** Why it is away. */
  trouble = "";
  #connection = new AbortController();
  #isTelling = false;

  /**
   * @param {string} agent
   * @param {string} session
   * @param {() => void} heard Told once for all that came since the last frame.
   */
  constructor(agent, session, heard) {
    this.agent = agent;
    this.session = session;
    this.heard = heard;
  }

  start() {
    this.stop();
    this.#connection = new AbortController();
    void this.#run(this.#connection.signal);
  }

  stop() {
    this.#connection.abort();
  }

  /** @param {AbortSignal} signal */
  async #run(signal) {
    while (!signal.aborted) {
      try {
        await this.#listen(signal);
        this.#say("deleted");
        return;
      } catch (error) {
        if (signal.aborted) return;
        const isAbsent = error instanceof Refused && error.type === "unknown-session";
        this.trouble = wordsOf(error);
        if (isAbsent && this.events.length) return this.#say("deleted");
        this.#say(isAbsent ? "absent" : "away");
      }
      do await new Promise((resolve) => setTimeout(resolve, PACE));
      while (this.state === "absent" && !signal.aborted && !(await this.#isBorn()));
    }
  }

  /** Whether the session exists by now. To ask for its events would be a failure in the browser's console each time. */
  async #isBorn() {
    try {
      const { sessions } = await load(`sessions?${new URLSearchParams({ agent: this.agent, limit: "10" })}`);
      return sessions.some((/** @type {{session: string}} */ { session }) => session === this.session);
    } catch {
      return true; // What is wrong is told by the next attempt.
    }
  }

  /**
   * Returns where the session is gone for good.
   * @param {AbortSignal} signal
   */
  async #listen(signal) {
    const attempt = new AbortController();
    const leave = () => attempt.abort();
    signal.addEventListener("abort", leave);
    let timer = setTimeout(leave, SILENCE);
    try {
      const next = (this.events.at(-1)?.seq ?? 0) + 1;
      const where = path`sessions/${this.agent}/${this.session}/events?from=`;
      const response = await open(`${where}${next}`, attempt.signal);
      this.#say("live");
      for await (const line of lines(response)) {
        clearTimeout(timer);
        timer = setTimeout(leave, SILENCE);
        if (line?.done) return;
        if (line?.err) throw new Refused(line.err.type, line.err.message, line.err.status ?? 500);
        if (line?.seq) this.#take(line);
      }
      throw new Error("The server went away.");
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", leave);
      attempt.abort();
    }
  }

  /** @param {AgentEvent} event */
  #take(event) {
    if (event.seq <= (this.events.at(-1)?.seq ?? 0)) return;
    this.events.push(event);
    this.#tell();
  }

  /** @param {FeedState} state */
  #say(state) {
    if (this.state === state) return;
    this.state = state;
    this.#tell();
  }

  #tell() {
    if (this.#isTelling) return;
    this.#isTelling = true;
    requestAnimationFrame(() => {
      this.#isTelling = false;
      this.heard();
    });
  }
}
