// @ts-check
/** The requests of a session's turns, as the server recorded or rebuilt them. They are asked for again as a turn goes on. */

import { load, path, wordsOf } from "./api.js";

/** @typedef {{id: string, name: string, input: unknown}} AskedCall */
/** @typedef {{id: string, name: string, content: string, failed: boolean}} AskedResult */
/**
 * @typedef {{role: "user", text: string} | {role: "assistant", text: string, calls?: AskedCall[], replay?: unknown}
 *   | {role: "results", results: AskedResult[]}} AskedMessage
 */
/** @typedef {{system: string, messages: AskedMessage[], tools: {name: string, description: string, input_schema: unknown}[]}} ModelRequest */
/**
 * @typedef {object} Asked
 * @property {number} round
 * @property {"recorded" | "rebuilt"} source
 * @property {number | null} at
 * @property {{provider: string, name: string | null}} model
 * @property {ModelRequest} request
 * @property {unknown} body
 */
/** @typedef {{rounds: Asked[], notes: string[]}} TurnRequests */

/** Milliseconds that what has just happened may take to reach the record. */
const SETTLES = 150;

export class Requests {
  /** @type {Map<number, {version: string, found: TurnRequests}>} */
  #known = new Map();
  /** @type {Set<number>} */
  #asking = new Set();
  #isClosed = false;

  /**
   * @param {string} agent
   * @param {string} session
   * @param {() => void} loaded
   */
  constructor(agent, session, loaded) {
    this.agent = agent;
    this.session = session;
    this.loaded = loaded;
  }

  /**
   * The turn's, as far as they are here; null before any are.
   * @param {import("./turns.js").Turn | undefined} turn
   */
  of(turn) {
    if (!turn) return null;
    const over = turn.rounds.flatMap(({ calls }) => calls).filter(({ ended }) => ended).length;
    const version = [turn.rounds.length, over, turn.said.length, turn.status].join(" ");
    const known = this.#known.get(turn.number);
    if (known?.version !== version) void this.#ask(turn.number, version);
    return known?.found ?? null;
  }

  close() {
    this.#isClosed = true;
  }

  /** @type {(turn: number, version: string) => Promise<void>} */
  async #ask(turn, version) {
    if (this.#asking.has(turn)) return;
    this.#asking.add(turn);
    if (this.#known.has(turn)) await new Promise((resolve) => setTimeout(resolve, SETTLES));
    /** @type {TurnRequests} */
    let found;
    try {
      found = await load(path`sessions/${this.agent}/${this.session}/turns/${turn}/requests`);
    } catch (error) {
      found = { rounds: [], notes: [`What the model saw cannot be told: ${wordsOf(error)}`] };
    }
    this.#asking.delete(turn);
    if (this.#isClosed) return;
    this.#known.set(turn, { version, found });
    this.loaded();
  }
}
