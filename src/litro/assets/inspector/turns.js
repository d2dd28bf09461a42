// @ts-check
/**
 * A session's events as turns, rounds and calls, with the times that a timeline needs.
 *
 * It is pure. `chat/transcript.js` has what somebody reads; this has what happened, and when.
 */

/** @typedef {import("../client.js").AgentEvent} AgentEvent */
/** @typedef {{input_tokens?: number, output_tokens?: number, cached_tokens?: number}} Usage */
/** @typedef {{seq: number, id: string, text: string, round: number, at: number, queued: number | null}} Said */
/**
 * @typedef {object} Call
 * @property {string} id
 * @property {number} seq
 * @property {string} name
 * @property {unknown} input
 * @property {number} asked Milliseconds since the epoch, as `started` and `ended` are.
 * @property {number | null} started
 * @property {number | null} ended
 * @property {{at: number, seq: number, value: any}[]} progress
 * @property {"waits" | "runs" | "done" | "failed"} state
 * @property {unknown} output What the model reads of it.
 * @property {{html: string, data?: unknown} | null} card
 * @property {{type: string, message: string, ref?: string} | null} error
 */
/**
 * @typedef {object} Round
 * @property {number} number
 * @property {number} seq Of its first event.
 * @property {number} asked When the model was asked, as far as the log knows.
 * @property {number | null} first When its first piece came.
 * @property {number | null} ended When its answer was whole.
 * @property {string} text
 * @property {string} reasoning
 * @property {Call[]} calls
 * @property {Usage | null} usage
 * @property {string | null} stop
 */
/**
 * @typedef {object} Turn
 * @property {number} number
 * @property {number} seq
 * @property {number} began
 * @property {number | null} ended
 * @property {string | null} status Null while it runs.
 * @property {string | null} by
 * @property {Said[]} said
 * @property {Round[]} rounds
 * @property {{seq: number, at: number, type: string, message: string, ref?: string}[]} errors
 * @property {number} latest When its last event was.
 */

export class Turns {
  /** @type {Map<number, Turn>} */
  all = new Map();
  /** @type {string | null} */
  title = null;
  /** @type {Required<Usage>} */
  usage = { input_tokens: 0, output_tokens: 0, cached_tokens: 0 };
  #read = 0;
  /** When a message began to wait. @type {Map<string, number>} */
  #queued = new Map();
  /** @type {Map<string, Call>} */
  #calls = new Map();

  /** @returns {Turn | undefined} */
  get newest() {
    return [...this.all.values()].at(-1);
  }

  /** How many messages wait. */
  get waiting() {
    return this.#queued.size;
  }

  /**
   * Reads the events that it has not read.
   * @param {AgentEvent[]} events All of the session's.
   */
  read(events) {
    for (; this.#read < events.length; this.#read += 1) this.#take(/** @type {AgentEvent} */ (events[this.#read]));
  }

  /** @param {AgentEvent} event */
  #take(event) {
    const { kind, payload, ts } = event;
    if (kind === "title") this.title = payload.text;
    if (kind === "queued" && !this.#queued.has(payload.id)) this.#queued.set(payload.id, ts);
    if (kind === "withdrawn") this.#queued.delete(payload.id);
    if (kind === "turn-start") this.all.set(event.turn, begun(event));
    const turn = this.all.get(event.turn);
    if (!turn || ["title", "queued", "withdrawn", "turn-start"].includes(kind)) return;
    turn.latest = ts;
    if (kind === "turn-end") Object.assign(turn, { status: payload.status, ended: ts });
    else if (kind === "error") turn.errors.push({ seq: event.seq, at: ts, ...payload });
    else if (kind === "message" && payload.role === "user") this.#say(turn, event);
    else if (event.call && kind !== "tool-call") this.#called(event);
    else if (event.round) this.#round(roundOf(turn, event), event);
  }

  /** @type {(turn: Turn, event: AgentEvent) => void} */
  #say(turn, { seq, ts, round, payload }) {
    const { id, text } = payload;
    turn.said.push({ seq, id, text, round: round ?? 1, at: ts, queued: this.#queued.get(id) ?? null });
    this.#queued.delete(id);
  }

  /** @type {(round: Round, event: AgentEvent) => void} */
  #round(round, { seq, ts, kind, call, payload }) {
    if (kind === "usage") {
      round.usage = { ...round.usage, ...payload };
      for (const name of /** @type {const} */ (["input_tokens", "output_tokens", "cached_tokens"])) this.usage[name] += payload[name] ?? 0;
      return;
    }
    round.first ??= ts;
    if (kind === "text-delta") round.text += payload.text;
    if (kind === "reasoning-delta") round.reasoning += payload.text;
    if (kind === "message") Object.assign(round, { text: payload.text ?? round.text, stop: payload.stop ?? null, ended: ts });
    if (kind !== "tool-call" || !call) return;
    /** @type {Call} */
    const made = {
      ...{ id: call, seq, name: payload.name, input: payload.input, asked: ts, started: null, ended: null },
      ...{ progress: [], state: "waits", output: undefined, card: null, error: null },
    };
    round.calls.push(made);
    this.#calls.set(call, made);
  }

  /** @param {AgentEvent} event */
  #called({ seq, ts, kind, call, payload }) {
    const known = this.#calls.get(call ?? "");
    if (!known) return;
    if (kind === "tool-start") Object.assign(known, { state: "runs", started: ts });
    if (kind === "tool-progress") known.progress.push({ at: ts, seq, value: payload });
    if (kind === "tool-result") Object.assign(known, { state: "done", ended: ts, output: payload });
    if (kind === "ui") Object.assign(known, { state: "done", ended: ts, output: payload.data, card: payload });
    if (kind === "tool-error") Object.assign(known, { state: "failed", ended: ts, error: payload });
  }
}

/** @param {AgentEvent} event @returns {Turn} */
function begun({ turn, seq, ts, payload }) {
  const by = payload.by ?? null;
  return { number: turn, seq, began: ts, ended: null, status: null, by, said: [], rounds: [], errors: [], latest: ts };
}

/** @type {(turn: Turn, event: AgentEvent) => Round} */
function roundOf(turn, { round = 1, seq }) {
  const known = turn.rounds.find(({ number }) => number === round);
  if (known) return known;
  const before = turn.rounds.at(-1);
  const ends = [
    turn.began,
    ...turn.said.filter((said) => said.round <= round).map(({ at }) => at),
    ...(before?.calls.map(({ ended }) => ended ?? 0) ?? []),
    before?.ended ?? 0,
  ];
  /** @type {Round} */
  const made = {
    ...{ number: round, seq, asked: Math.max(...ends), first: null, ended: null, text: "", reasoning: "" },
    ...{ calls: [], usage: null, stop: null },
  };
  turn.rounds.push(made);
  return made;
}
