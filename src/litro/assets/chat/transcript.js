// @ts-check
/**
 * What a session's events say, as turns and what is in them.
 *
 * It is pure: events go in by their seq, and it answers what they touched. It knows no page and no server; what of it is
 * shown, and how, is the views' business.
 */

/** @typedef {import("../client.js").AgentEvent} AgentEvent */

/** What a person said. @typedef {{kind: "said", key: string, id: string, text: string}} Said */
/** What the model said in one round. @typedef {{kind: "text", key: string, text: string, isDone: boolean}} Text */
/** What it thought before. @typedef {{kind: "reasoning", key: string, text: string, began: number, ended: number | null}} Reasoning */
/** @typedef {"waits" | "runs" | "done" | "failed"} CallState */
/**
 * @typedef {object} Call
 * @property {"call"} kind
 * @property {string} key
 * @property {string} name
 * @property {unknown} input
 * @property {CallState} state
 * @property {number | null} began Milliseconds since the epoch, as `ended` is.
 * @property {number | null} ended
 * @property {any} progress What the tool last told.
 * @property {unknown} output Undefined until it is there.
 * @property {Failure | null} error
 */
/** What a tool made with `ui()`. @typedef {{kind: "card", key: string, result: import("../client.js").UIResult}} Card */
/** @typedef {{type: string, message: string, ref?: string}} Failure */
/** Why the turn failed. @typedef {{kind: "error", key: string, error: Failure}} Fault */
/** @typedef {Said | Text | Reasoning | Call | Card | Fault} Item */
/** A message that was accepted and has not started. @typedef {{id: string, text: string, mode: string}} Waiting */

/**
 * @typedef {object} Turn
 * @property {number} number
 * @property {number} start The seq of its first event.
 * @property {Item[]} items
 * @property {string | null} status How it ended; null while it runs.
 */

/** What an event changed. @typedef {{turn?: Turn, items?: Item[], waiting?: boolean}} Touched */

/** A session from the turn on that was read first, which is the first one where everything was read. */
export class Transcript {
  /** @type {Turn[]} */
  turns = [];
  /** Messages that wait, in their order. @type {Map<string, Waiting>} */
  waiting = new Map();
  /** What the session was renamed to, as far as was read. @type {string | null} */
  title = null;
  /** The first seq that was read; 0 before any. */
  first = 0;
  /** The last one. */
  seen = 0;
  /** Events of a turn whose beginning was not read. @type {AgentEvent[]} */
  #headless = [];
  /** Items that still change, by what their events call them. @type {Map<string, Item>} */
  #open = new Map();

  /** The turn that runs. @returns {Turn | null} */
  get running() {
    const last = this.turns.at(-1);
    return last && last.status === null ? last : null;
  }

  /** Whether there is something of an older turn only. */
  get isHeadless() {
    return this.turns.length === 0 && this.#headless.length > 0;
  }

  /**
   * Takes the session's next event.
   * @param {AgentEvent} event
   * @returns {Touched}
   */
  take(event) {
    if (event.seq <= this.seen) return {};
    this.first ||= event.seq;
    this.seen = event.seq;
    const session = ABOUT_THE_SESSION[event.kind];
    if (session) return session(this, event.payload);
    const starts = event.kind === "turn-start";
    if (starts) this.turns.push({ number: event.turn, start: event.seq, items: [], status: null });
    const turn = this.turns.at(-1);
    if (!turn) {
      this.#headless.push(event);
      return {};
    }
    const waiting = this.#starts(event);
    const items = READERS[event.kind]?.(new Place(turn, this.#open, event)) ?? [];
    return { turn, items, waiting };
  }

  /**
   * Takes what stands before `first`; the turns that this makes whole, which are now the first ones.
   * @param {AgentEvent[]} events
   * @param {number} from The seq that they were asked from.
   * @returns {Turn[]}
   */
  takeOlder(events, from) {
    const older = new Transcript();
    for (const event of [...events, ...this.#headless]) older.take(event);
    this.#headless = older.#headless;
    if (this.turns.length === 0) this.#open = older.#open;
    this.turns.unshift(...older.turns);
    this.title ??= older.title;
    this.first = from;
    return older.turns;
  }

  /**
   * Whether this is the beginning of a message that waited.
   * @param {AgentEvent} event
   */
  #starts({ kind, payload }) {
    const id = kind === "turn-start" ? payload.message : kind === "message" ? payload.id : undefined;
    return this.waiting.delete(id);
  }
}

/** Where in a turn an event stands. */
class Place {
  /**
   * @param {Turn} turn
   * @param {Map<string, Item>} open
   * @param {AgentEvent} event
   */
  constructor(turn, open, event) {
    this.turn = turn;
    this.open = open;
    this.payload = event.payload;
    this.ts = event.ts;
    this.call = event.call ?? "";
    this.round = `${event.turn}.${event.round ?? 0}`;
    this.key = `e${event.seq}`;
  }

  /**
   * Adds an item. One with a `name` is found by it from now on.
   * @template {Item} T
   * @param {T} item
   * @param {string} [name]
   * @returns {T}
   */
  add(item, name) {
    this.turn.items.push(item);
    if (name) this.open.set(name, item);
    return item;
  }

  /** The round's text, from its first piece on. @returns {Text} */
  text() {
    const name = `text ${this.round}`;
    const known = /** @type {Text | undefined} */ (this.open.get(name));
    return known ?? this.add({ kind: "text", key: this.key, text: "", isDone: false }, name);
  }

  /** The round's reasoning, from its first piece on. @returns {Reasoning} */
  reasoning() {
    const name = `reasoning ${this.round}`;
    const known = /** @type {Reasoning | undefined} */ (this.open.get(name));
    return known ?? this.add({ kind: "reasoning", key: this.key, text: "", began: this.ts, ended: null }, name);
  }

  /** The round's reasoning, which something else has ended. @returns {Item[]} */
  thought() {
    const known = /** @type {Reasoning | undefined} */ (this.open.get(`reasoning ${this.round}`));
    if (!known || known.ended !== null) return [];
    known.ended = this.ts;
    return [known];
  }

  /**
   * The event's call, with what has changed of it.
   * @param {Partial<Call>} change
   * @returns {Item[]}
   */
  called(change) {
    const known = this.open.get(`call ${this.call}`);
    return known ? [Object.assign(known, change)] : [];
  }
}

/** @type {Record<string, (transcript: Transcript, payload: any) => Touched>} */
const ABOUT_THE_SESSION = {
  "queued": (transcript, { id, text, mode }) => {
    transcript.waiting.set(id, { id, text, mode });
    return { waiting: true };
  },
  "withdrawn": (transcript, { id }) => ({ waiting: transcript.waiting.delete(id) }),
  "title": (transcript, { text }) => {
    transcript.title = text;
    return {};
  },
};

/** What events of a turn make of its items; the ones that they touched. @type {Record<string, (place: Place) => Item[]>} */
const READERS = {
  "message": (place) => {
    const { role, id, text } = place.payload;
    if (role !== "assistant") return [place.add({ kind: "said", key: place.key, id, text })];
    const touched = place.thought();
    if (!text) return touched;
    // All of it, also where some of its pieces were left out.
    return [...touched, Object.assign(place.text(), { text, isDone: true })];
  },
  "text-delta": (place) => {
    const touched = place.thought();
    const text = place.text();
    text.text += place.payload.text;
    return [...touched, text];
  },
  "reasoning-delta": (place) => {
    const reasoning = place.reasoning();
    reasoning.text += place.payload.text;
    return [reasoning];
  },
  "tool-call": (place) => {
    const { name, input } = place.payload;
    /** @type {Call} */
    const call = {
      ...{ kind: "call", key: place.key, name, input, state: "waits", began: null, ended: null },
      ...{ progress: undefined, output: undefined, error: null },
    };
    return [place.add(call, `call ${place.call}`)];
  },
  "tool-start": (place) => place.called({ state: "runs", began: place.ts }),
  "tool-progress": (place) => place.called({ state: "runs", progress: place.payload }),
  "tool-result": (place) => place.called({ state: "done", ended: place.ts, output: place.payload }),
  "tool-error": (place) => place.called({ state: "failed", ended: place.ts, error: place.payload }),
  "ui": (place) => [
    ...place.called({ state: "done", ended: place.ts, output: place.payload.data }),
    place.add({ kind: "card", key: place.key, result: place.payload }),
  ],
  "error": (place) => [place.add({ kind: "error", key: place.key, error: place.payload })],
  "turn-end": (place) => {
    place.turn.status = place.payload.status;
    const touched = place.turn.items.filter((item) => isOpen(item));
    for (const item of touched) {
      if (item.kind === "text") item.isDone = true;
      if (item.kind === "reasoning") item.ended = place.ts;
    }
    place.open.clear();
    return touched;
  },
};

/** @param {Item} item */
function isOpen(item) {
  return (item.kind === "text" && !item.isDone) || (item.kind === "reasoning" && item.ended === null);
}
