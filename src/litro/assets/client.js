// @ts-check
/**
 * Litro's browser client: an agent's session as events, and UI results as elements.
 *
 * A plain ES module for pages, with no dependency and no build step. It is no chat and keeps no state: it yields what
 * the log holds, every event once and in order; what a page makes of them is the page's business.
 */

/** @typedef {{seq: number, ts: number, turn: number, round?: number, kind: string, call?: string, payload: any}} AgentEvent */
/** @typedef {{html: string, data?: unknown, hydrate?: {props?: Record<string, unknown>, modules?: string[]}}} UIResult */
/** @typedef {{from: number, text?: string, key?: string, signal?: AbortSignal}} Ask */

/**
 * @typedef {object} SessionOptions
 * @property {string | URL} [base] Where Litro is mounted; by default where this module came from.
 * @property {HeadersInit | (() => HeadersInit | Promise<HeadersInit>)} [headers] More headers; a function is asked anew for each request.
 * @property {typeof fetch} [fetch] Another fetch.
 * @property {number} [silence] Milliseconds without a byte that make a connection broken; the server's heartbeat is every 10 s.
 * @property {number} [patience] Milliseconds without anything new after which a broken stream is given up.
 * @property {number} [pace] Milliseconds before a new attempt; each further one waits twice as long, up to 8 s.
 * @property {(why: Error, wait: number) => void} [onRetry] Told before each new attempt.
 */

const LONGEST_WAIT = 8000;

/** Properties that would make markup of a value, or break the element. */
const NEVER_PROPS = new Set(["__proto__", "constructor", "prototype", "innerHTML", "outerHTML", "srcdoc", "nonce"]);

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
     * Says something; yields the turn's events to its end.
     * @param {string} text
     * @param {{id?: string, signal?: AbortSignal}} [more] `id` is the message's: repeating it starts no second turn.
     */
    send: (text, { id: key = newId(), signal } = {}) => new Run(url, options, { from: 0, text, key, signal }).events(),
    /**
     * Yields the session's events from seq `from` on (negative: from the tail), a running turn's to its end.
     * @param {number} [from]
     * @param {{signal?: AbortSignal}} [more]
     */
    resume: (from = 0, { signal } = {}) => new Run(url, options, { from, signal }).events(),
    /** Cancels the running turn. False where none runs. */
    cancel: async () => {
      const headers = await headersOf(options, { "x-litro-agent": "1" });
      const response = await (options.fetch ?? fetch)(`${url}/cancel`, { method: "POST", headers });
      if (!response.ok) throw await refusal(response);
      return response.status === 202;
    },
  };
}

/**
 * Puts a UI result into `host`, in place of what is there; answers its root element, null where it has none.
 *
 * It is parsed in an inert document and gets its properties there: a component wakes up in the page with everything
 * that it needs, and keeps the nodes that were sent.
 *
 * @param {Element} host
 * @param {UIResult} result
 * @param {{base?: string | URL}} [options]
 */
export async function hydrateUIResult(host, { html, hydrate = {} }, { base } = {}) {
  const box = host.ownerDocument.implementation.createHTMLDocument("").createElement("div");
  if ("setHTMLUnsafe" in box) box.setHTMLUnsafe(html);
  else {
    /** @type {Element} */ (box).innerHTML = html;
    attachShadowRoots(box);
  }
  const root = box.firstElementChild;
  if (root) setProps(root, hydrate.props ?? {});
  host.replaceChildren(...box.childNodes);
  await Promise.all((hydrate.modules ?? []).map((name) => import(moduleUrl(name, base))));
  return root;
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
  }

  /** @returns {AsyncGenerator<AgentEvent, void, undefined>} */
  async *events() {
    for (;;) {
      try {
        yield* this.connect();
        return;
      } catch (error) {
        if (!(error instanceof Broken)) throw error;
        if (this.ended) return;
        await this.waitFor(error);
      }
    }
  }

  /** One connection's new events. Returns where no more will come. */
  async *connect() {
    const { signal } = this.ask;
    const connection = (this.connection = new AbortController());
    const leave = () => connection.abort(signal?.reason);
    signal?.throwIfAborted();
    signal?.addEventListener("abort", leave);
    try {
      yield* this.newEvents(await this.open());
    } finally {
      signal?.removeEventListener("abort", leave);
      connection.abort();
    }
  }

  /** @param {Response} response */
  async *newEvents(response) {
    const says = this.ask.key !== undefined;
    let beats = 0;
    for await (const line of this.lines(response)) {
      // A connection begins with a heartbeat: only a later one shows that it stands.
      if (line === "" && ++beats > 1) this.advance();
      const event = line === "" ? undefined : this.read(line);
      if (event === null) return;
      if (!event || event.seq <= this.seen) continue;
      if (says && this.turn && event.turn !== this.turn) return;
      this.turn = event.turn;
      this.seen = event.seq;
      this.next = event.seq + 1;
      this.ended = says && event.kind === "turn-end";
      this.advance();
      yield event;
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

  /** The response, once its head is there. A message is said again until its first event has come: its key makes that safe. */
  async open() {
    const { key, text } = this.ask;
    const says = key !== undefined && !this.seen;
    this.posts += says ? 1 : 0;
    const own = { "content-type": "application/json", "x-litro-agent": "1", "idempotency-key": key ?? "" };
    const headers = await headersOf(this.options, says ? own : {});
    /** @type {RequestInit} */
    const init = { headers, signal: this.connection.signal, cache: "no-store" };
    if (says) Object.assign(init, { method: "POST", body: JSON.stringify({ text }) });
    const response = await this.unlessSilent((0, this.options.fetch)(says ? this.url : `${this.url}?from=${this.next}`, init));
    if (response.ok) return streamed(response);
    const error = await this.unlessSilent(refusal(response));
    const { status } = response;
    // 409 after another attempt of our own: that one may still be under way.
    const isPassing = (status >= 502 && status <= 504) || (status === 409 && this.posts > 1);
    if (!isPassing) throw error;
    throw new Broken(error.message, error, 1000 * (Number(response.headers.get("retry-after")) || 0));
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
  const kind = response.headers.get("content-type") ?? "none";
  if (kind.startsWith("application/x-ndjson")) return response;
  const { status } = response;
  throw new AgentError("unexpected-answer", `What answered is no Litro server: its content type is ${kind}.`, { status });
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

/**
 * Litro's mount, with a slash at its end.
 * @param {string | URL} [base]
 */
function mount(base) {
  const own = new URL("..", import.meta.url);
  return base === undefined ? own : new URL(`${base}/`.replace(/\/+$/, "/"), globalThis.document?.baseURI ?? own);
}

/**
 * A component's module: its name is below the mount, wherever that is today.
 * @type {(name: string, base?: string | URL) => string}
 */
function moduleUrl(name, base) {
  const root = mount(base).href;
  const { href } = new URL(name.replace(/^\/+/, ""), root);
  if (href.startsWith(root)) return href;
  throw new Error(`hydrate.modules: ${JSON.stringify(name)} is not below ${root}, so it is not loaded.`);
}

/** @type {(root: Element, props: Record<string, unknown>) => void} */
function setProps(root, props) {
  for (const [name, value] of Object.entries(props)) {
    const isMethod = typeof Reflect.get(root, name) === "function";
    if (!isMethod && !NEVER_PROPS.has(name)) Reflect.set(root, name, value);
  }
  root.removeAttribute("defer-hydration");
}

/**
 * What the parser does with declarative shadow roots, for browsers without `setHTMLUnsafe`.
 * @param {Element | DocumentFragment} scope
 */
function attachShadowRoots(scope) {
  for (const template of scope.querySelectorAll("template")) {
    attachShadowRoots(template.content);
    const mode = /** @type {ShadowRootMode | null} */ (template.getAttribute("shadowrootmode"));
    const delegatesFocus = template.hasAttribute("shadowrootdelegatesfocus");
    try {
      if (!mode || !template.parentElement) continue;
      template.parentElement.attachShadow({ mode, delegatesFocus }).append(template.content);
      template.remove();
    } catch {
      // No host for a shadow root, or one that has its own: a template like any other, as it is to the parser.
    }
  }
}
