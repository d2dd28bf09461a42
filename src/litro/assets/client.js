// @ts-check
/**
 * Litro's browser client: an agent's session as events, and UI results as elements.
 *
 * A plain ES module for pages, with no dependency and no build step. It is no chat and keeps no state: it yields what
 * the log holds, every event once and in order; what a page makes of them is the page's business.
 */

import { hydratePage, hydrateUIResult, mount } from "./hydrate.js";

export { hydratePage, hydrateUIResult };

/** @typedef {{seq: number, ts: number, turn: number, round?: number, kind: string, call?: string, payload: any}} AgentEvent */
/** @typedef {import("./hydrate.js").UIResult} UIResult */
/** @typedef {{from: number, text?: string, key?: string, onBusy?: OnBusy, limit?: number, deltas?: boolean, follow?: boolean, signal?: AbortSignal}} Ask */
/** @typedef {"reject" | "queue" | "steer"} OnBusy */
/** @typedef {{session: string, title: string | null, created: number, updated: number, tail: number, running: number | null}} SessionInfo */
/** @typedef {{id: string, text: string, mode: string, by?: string}} WaitingMessage */

/**
 * @typedef {object} SessionOptions
 * @property {string | URL} [base] Where Litro is mounted; by default where this module came from.
 * @property {HeadersInit | (() => HeadersInit | Promise<HeadersInit>)} [headers] More headers; a function is asked anew for each request.
 * @property {typeof fetch} [fetch] Another fetch.
 * @property {number} [silence] Milliseconds without a byte that make a connection broken; the server's heartbeat is every 10 s.
 * @property {number} [patience] Milliseconds without anything new after which a broken stream is given up.
 * @property {number} [pace] Milliseconds before a new attempt; each further one waits twice as long, up to 8 s.
 * @property {(why: Error, wait: number) => void} [onRetry] Told before each new attempt.
 * @property {() => void} [onOpen] Told when a connection stands, the first and each new one.
 */

const LONGEST_WAIT = 8000;

/** What the server refused or failed at, in its words; `unreachable` where a connection could not be restored. */
export class AgentError extends Error {
  /**
   * @param {string} type
   * @param {string} message
   * @param {{status?: number, ref?: string, cause?: unknown}} [more] `ref` is where the server's log says more.
   */
  constructor(type, message, { status, ref, cause } = {}) {
    super(message, { cause });
    this.name = "AgentError";
    this.type = type;
    this.status = status;
    this.ref = ref;
  }
}

/**
 * A session with an agent. Leaving a loop over `send` or `resume` closes the connection, never the turn.
 *
 * @param {string} agent
 * @param {string} id 1 to 64 of A-Z a-z 0-9 _ and -.
 * @param {SessionOptions} [options]
 */
export function agentSession(agent, id, options = {}) {
  const path = `__litro/agent/${encodeURIComponent(agent)}/${encodeURIComponent(id)}`;
  const url = new URL(path, mount(options.base)).href;
  return {
    /**
     * Says something; yields the turn's events to its end, from where the message joined it.
     *
     * `id` is the message's: repeating it starts no second turn. `onBusy` says what becomes of it while a turn runs; by default
     * the agent does. Leaving the loop withdraws nothing. Of a message that was withdrawn, `withdrawn` is all that comes.
     * @param {string} text
     * @param {{id?: string, onBusy?: OnBusy, signal?: AbortSignal}} [more]
     */
    send: (text, { id: key = newId(), onBusy, signal } = {}) =>
      new Run(url, options, { from: 0, text, key, onBusy, signal }).events(),
    /**
     * Says something and hears nothing: done once the message is durable. `resume` from the seq `from` on has what becomes of it.
     * @param {string} text
     * @param {{id?: string, onBusy?: OnBusy, signal?: AbortSignal}} [more]
     * @returns {Promise<{from: number, queued: boolean}>}
     */
    say: (text, { id: key = newId(), onBusy, signal } = {}) =>
      new Run(url, options, { from: 0, text, key, onBusy, signal }).accepted(),
    /**
     * Yields the session's events from seq `from` on (negative: from the tail), a running turn's to its end.
     *
     * At most `limit` of them; the next seq goes on. `deltas: false` leaves out the text deltas of rounds that have their `message`,
     * `follow: false` what is not durable yet.
     * @param {number} [from]
     * @param {{limit?: number, deltas?: boolean, follow?: boolean, signal?: AbortSignal}} [more]
     */
    resume: (from = 0, { limit, deltas, follow, signal } = {}) =>
      new Run(url, options, { from, limit, deltas, follow, signal }).events(),
    /** Cancels the running turn. False where none runs. */
    cancel: async () => (await request(options, "POST", `${url}/cancel`)).status === 202,
    /**
     * The messages that wait, in the order in which they will start.
     * @returns {Promise<WaitingMessage[]>}
     */
    queue: async () => (await json(await request(options, "GET", `${url}/queue`))).queue,
    /**
     * Takes a message that waits out of the queue, so that it never starts. False where it has started, or none of this id waits.
     * @param {string} id
     * @returns {Promise<boolean>}
     */
    withdraw: async (id) =>
      (await json(await request(options, "DELETE", `${url}/queue/${encodeURIComponent(id)}`))).withdrawn,
    /**
     * Gives the session a title, 1 to 120 characters; what it is now called.
     * @param {string} title
     * @returns {Promise<string>}
     */
    rename: async (title) => (await json(await request(options, "PATCH", url, { title }))).title,
    /** Deletes the session for good; refused while a turn runs. */
    delete: async () => void (await request(options, "DELETE", url)),
    /**
     * Makes a session of this one's beginning, up to the `turn-end` at or before seq `at`, by default the last.
     * @param {{at?: number, id?: string}} [more] `id` is the new session's.
     * @returns {Promise<{session: string, at: number}>}
     */
    fork: async ({ at, id: session } = {}) => json(await request(options, "POST", `${url}/fork`, { at, session })),
  };
}

/**
 * A page of the sessions that whoever asks has with an agent, the last updated first; `next` is the next page's cursor.
 *
 * @param {string} agent
 * @param {SessionOptions & {cursor?: string | null, limit?: number}} [options] `limit` is 1 to 200, by default 50.
 * @returns {Promise<{sessions: SessionInfo[], next: string | null}>}
 */
export async function agentSessions(agent, { cursor, limit, ...options } = {}) {
  const url = new URL(`__litro/agent/${encodeURIComponent(agent)}`, mount(options.base));
  if (cursor) url.searchParams.set("cursor", cursor);
  if (limit) url.searchParams.set("limit", String(limit));
  return json(await request(options, "GET", url.href));
}

/** Worth another attempt, `after` so many milliseconds at the earliest. */
class Broken extends Error {
  /**
   * @param {string} message
   * @param {unknown} [cause]
   */
  constructor(message, cause, after = 0) {
    super(message, { cause });
    this.after = after;
  }
}

/** One `send` or `resume`, over as many connections as it takes. */
class Run {
  seen = 0;
  turn = 0;
  left = Infinity;
  waiting = false;
  ended = false;
  posts = 0;
  tries = 0;
  failing = 0;
  connection = new AbortController();

  /**
   * @param {string} url
   * @param {SessionOptions} options
   * @param {Ask} ask
   */
  constructor(url, options, ask) {
    this.url = url;
    this.ask = ask;
    const { fetch: get = fetch, silence = 25_000, patience = 60_000, pace = 500 } = options;
    this.options = { ...options, fetch: get, silence, patience, pace };
    this.next = ask.from;
    this.left = ask.limit ?? Infinity;
  }

  /** @returns {AsyncGenerator<AgentEvent, void, undefined>} */
  async *events() {
    for (;;) {
      try {
        yield* this.connect();
        // While the message waits, another request follows, for what becomes of it.
        if (!this.waiting) return;
      } catch (error) {
        if (!(error instanceof Broken)) throw error;
        if (this.ended) return;
        await this.waitFor(error);
      }
    }
  }

  /** What became of the message, once it is durable. Its events are not read. */
  async accepted() {
    for (;;) {
      const close = this.prepare();
      try {
        const { status, headers } = await this.open();
        return { from: Number(headers.get("litro-from")) || 1, queued: status === 202 };
      } catch (error) {
        if (!(error instanceof Broken)) throw error;
        await this.waitFor(error);
      } finally {
        close();
      }
    }
  }

  /** One connection's new events. Returns where no more will come. */
  async *connect() {
    const close = this.prepare();
    try {
      const response = await this.open();
      if (response.status === 202) this.wait(response);
      else yield* this.newEvents(response);
    } finally {
      close();
    }
  }

  /** Prepares a connection, which the caller's signal ends too; what ends it. */
  prepare() {
    const { signal } = this.ask;
    const connection = (this.connection = new AbortController());
    const leave = () => connection.abort(signal?.reason);
    signal?.throwIfAborted();
    signal?.addEventListener("abort", leave);
    return () => {
      signal?.removeEventListener("abort", leave);
      connection.abort();
    };
  }

  /** @param {Response} response */
  async *newEvents(response) {
    const says = this.ask.key !== undefined;
    const start = this.next;
    let beats = 0;
    for await (const line of this.lines(response)) {
      // A connection begins with a heartbeat: only a later one shows that it stands.
      if (line === "" && ++beats > 1) this.advance();
      const event = line === "" ? undefined : this.read(line);
      // A turn that ended is followed by the next at once; where nothing came, there is a reason to wait.
      if (event === null && this.waiting && this.next === start) throw new Broken("the message still waits");
      if (event === null) return;
      if (!event || event.seq <= this.seen) continue;
      if (this.waiting && !this.begins(event)) {
        this.next = event.seq + 1;
        this.advance();
        continue;
      }
      if (says && this.turn && event.turn !== this.turn) return;
      this.turn = event.turn;
      this.seen = event.seq;
      this.next = event.seq + 1;
      this.ended = says && event.kind === "turn-end";
      this.advance();
      yield event;
      if (--this.left <= 0 || (says && event.kind === "withdrawn" && event.payload.id === this.ask.key)) return;
    }
    throw new Broken("the stream ended in the middle");
  }

  /**
   * The line's event, null where it says that all is done, undefined for what is neither.
   * @param {string} line
   * @returns {AgentEvent | null | undefined}
   */
  read(line) {
    const found = parse(line);
    if ("seq" in found) return found;
    if (found.done) return null;
    if (found.err) throw new AgentError(found.err.type, found.err.message, found.err);
    if (!found.bye) return undefined;
    if (!this.seen) this.next = found.bye.next;
    throw new Broken("the server is going away");
  }

  /**
   * The message is in the queue: what becomes of it comes from the seq on that the answer names.
   * @param {Response} response
   */
  wait(response) {
    this.waiting = true;
    this.next = Number(response.headers.get("litro-from")) || 1;
  }

  /**
   * Whether the message that waits starts its turn with this event, joins one, or was withdrawn.
   * @param {AgentEvent} event
   */
  begins({ kind, payload }) {
    const { key } = this.ask;
    const id = kind === "turn-start" ? payload.message : kind === "message" || kind === "withdrawn" ? payload.id : undefined;
    this.waiting = id !== key;
    return !this.waiting;
  }

  /** The response, once its head is there. A message is said again until its first event has come: its key makes that safe. */
  async open() {
    const { key, text, onBusy } = this.ask;
    const says = key !== undefined && !this.seen && !this.waiting;
    this.posts += says ? 1 : 0;
    const own = { "content-type": "application/json", "x-litro-agent": "1", "idempotency-key": key ?? "" };
    const headers = await headersOf(this.options, says ? own : {});
    /** @type {RequestInit} */
    const init = { headers, signal: this.connection.signal, cache: "no-store" };
    if (says) Object.assign(init, { method: "POST", body: JSON.stringify({ text, on_busy: onBusy }) });
    const response = await this.unlessSilent((0, this.options.fetch)(says ? this.url : `${this.url}?${this.query()}`, init));
    const isAccepted = says && response.status === 202;
    if (isAccepted || response.ok) {
      const stands = isAccepted ? response : streamed(response);
      this.options.onOpen?.();
      return stands;
    }
    const error = await this.unlessSilent(refusal(response));
    const { status } = response;
    // 409 after another attempt of our own: that one may still be under way.
    const isPassing = (status >= 502 && status <= 504) || (status === 409 && this.posts > 1);
    if (!isPassing) throw error;
    throw new Broken(error.message, error, 1000 * (Number(response.headers.get("retry-after")) || 0));
  }

  query() {
    const limit = this.left < Infinity ? `&limit=${this.left}` : "";
    const { deltas, follow } = this.ask;
    return `from=${this.next}${limit}${deltas === false ? "&deltas=false" : ""}${follow === false ? "&follow=false" : ""}`;
  }

  /**
   * Whole lines, wherever the stream was cut into chunks. What follows the last line feed is no line.
   * @param {Response} response
   */
  async *lines(response) {
    const reader = response.body?.getReader();
    const decoder = new TextDecoder();
    let rest = "";
    while (reader) {
      const { done, value } = await this.unlessSilent(reader.read());
      if (done) return;
      const pieces = decoder.decode(value, { stream: true }).split("\n");
      pieces[0] = rest + pieces[0];
      rest = pieces.pop() ?? "";
      yield* pieces;
    }
  }

  /**
   * What the network promised, unless it breaks or stays silent.
   * @template T
   * @param {Promise<T>} promise
   */
  async unlessSilent(promise) {
    // After the turn's end, only `done` is missing.
    const silence = this.ended ? 1000 : this.options.silence;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    /** @type {Promise<never>} */
    const tooLong = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Broken(`nothing came for ${silence / 1000} s`)), silence);
    });
    try {
      return await Promise.race([promise, tooLong]);
    } catch (cause) {
      this.ask.signal?.throwIfAborted();
      throw cause instanceof Broken ? cause : new Broken("the connection broke", cause);
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Waits before the next attempt, or gives up.
   * @param {Broken} why
   */
  async waitFor(why) {
    const { pace, patience, onRetry } = this.options;
    const longest = Math.min(pace * 2 ** this.tries++, LONGEST_WAIT);
    // Half of it by chance: a server that comes back is not met by all of its clients at once.
    const wait = Math.max(why.after, longest * (0.5 + Math.random() / 2));
    // Since the first failure, not the last event: a computer that slept has not tried yet.
    this.failing ||= Date.now();
    if (Date.now() + wait - this.failing > patience) throw givenUp(why, patience);
    onRetry?.(why, wait);
    await sleep(wait, this.ask.signal);
  }

  advance() {
    this.failing = 0;
    this.tries = 0;
  }
}

/** @param {string} line */
function parse(line) {
  try {
    return Object(JSON.parse(line));
  } catch (cause) {
    throw new Broken("the stream holds a line that is not JSON", cause);
  }
}

/**
 * The answer to a request that is no stream; a refusal is thrown.
 * @type {(options: SessionOptions, method: string, url: string, body?: object) => Promise<Response>}
 */
async function request(options, method, url, body) {
  /** @type {Record<string, string>} */
  const own = method === "GET" ? {} : { "x-litro-agent": "1" };
  if (body) own["content-type"] = "application/json";
  const headers = await headersOf(options, own);
  const response = await (options.fetch ?? fetch)(url, { method, headers, body: body && JSON.stringify(body), cache: "no-store" });
  if (!response.ok) throw await refusal(response);
  return response;
}

/** @param {Response} response */
async function json(response) {
  const content = await response.json().catch(() => null);
  if (content !== null && typeof content === "object") return content;
  throw notLitro(response);
}

/** @type {(options: SessionOptions, own: Record<string, string>) => Promise<Headers>} */
async function headersOf({ headers }, own) {
  const all = new Headers(typeof headers === "function" ? await headers() : headers);
  for (const [name, value] of Object.entries(own)) all.set(name, value);
  return all;
}

/** @param {Response} response */
async function refusal(response) {
  const { status } = response;
  const said = await response.json().catch(() => null);
  return new AgentError(said?.type ?? "refused", said?.message ?? `The server answered ${status}.`, { status, ref: said?.ref });
}

/**
 * The response, unless something else answered in the server's place, such as a network's log-in page.
 * @param {Response} response
 */
function streamed(response) {
  if (response.headers.get("content-type")?.startsWith("application/x-ndjson")) return response;
  throw notLitro(response);
}

/** @param {Response} response */
function notLitro(response) {
  const { status, headers } = response;
  const kind = headers.get("content-type") ?? "none";
  return new AgentError("unexpected-answer", `What answered is no Litro server: its content type is ${kind}.`, { status });
}

/** @type {(why: Broken, patience: number) => AgentError} */
function givenUp(why, patience) {
  if (why.cause instanceof AgentError) return why.cause;
  const tried = `The server could not be reached again within ${patience / 1000} s (${why.message}).`;
  return new AgentError("unreachable", `${tried} Check the connection, then try again.`, { cause: why });
}

/** @type {(ms: number, signal?: AbortSignal) => Promise<void>} */
function sleep(ms, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(over, ms);
    function over() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", over);
      signal?.aborted ? reject(signal.reason) : resolve();
    }
    signal?.addEventListener("abort", over);
    if (signal?.aborted) over();
  });
}

/** `crypto.randomUUID` exists only on secure pages; a demo on a local network is none. */
function newId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

if (globalThis.document) {
  const isParsed = document.readyState !== "loading";
  isParsed ? hydratePage() : document.addEventListener("DOMContentLoaded", () => hydratePage());
}
