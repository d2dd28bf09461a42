/**
 * A server of sessions over real sockets, which breaks when told to.
 *
 * It keeps the server's promises (idempotent messages, replay from a seq, `done`), not Litro's code. Each request takes
 * the next fault of the list; without one it is answered in full.
 */
import { createServer } from "node:http";

/** @typedef {{at?: number, then?: "reset" | "end" | "stall", bye?: number, status?: number, headers?: object, body?: string, silent?: boolean}} Fault */

/** The events of one finished turn, with characters of two, three and four bytes, and line ends inside strings. */
export function turnOf(turn, first, id = "m1") {
  const events = [
    { kind: "turn-start", payload: { trigger: "message", message: id } },
    { kind: "message", payload: { id, role: "user", text: "ça\r\nva?" } },
    { round: 1, kind: "text-delta", payload: { text: "23 °C ☀ 🌍\u2028\n" } },
    { round: 1, kind: "message", payload: { id: "t1r1", role: "assistant", text: "23 °C ☀ 🌍\u2028\n", stop: "end" } },
    { kind: "turn-end", payload: { status: "completed" } },
  ];
  return events.map((event, index) => ({ seq: first + index, ts: 1, turn, ...event }));
}

export class Sessions {
  /** @type {{method: string, url: string, headers: import("node:http").IncomingHttpHeaders, body: string}[]} */
  requests = [];
  /** @type {Fault[]} */
  faults = [];
  log = [];
  /** How many turns were started: a repeated message must not start another. */
  started = new Map();

  constructor() {
    this.server = createServer((request, response) => this.#answer(request, response));
  }

  /** @returns {Promise<string>} the base address */
  async open() {
    await new Promise((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${this.server.address().port}/`;
  }

  close() {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(resolve));
  }

  async #answer(request, response) {
    let body = "";
    for await (const chunk of request) body += chunk;
    this.requests.push({ method: request.method, url: request.url, headers: request.headers, body });
    const fault = this.faults.shift() ?? {};
    if (fault.silent) return;
    if (fault.status) {
      response.writeHead(fault.status, { "content-type": "application/json", ...fault.headers });
      response.end(fault.body ?? JSON.stringify({ type: "made-up", message: "It is so.", status: fault.status }));
      return;
    }
    const from = request.method === "POST" ? this.#begin(request) : this.#from(request);
    this.#stream(response, this.log.filter((event) => event.seq >= from), fault);
  }

  #begin(request) {
    const key = request.headers["idempotency-key"];
    if (!this.started.has(key)) {
      this.started.set(key, this.log.length + 1);
      this.log.push(...turnOf(this.started.size, this.log.length + 1, key));
    }
    return this.started.get(key);
  }

  #from(request) {
    const from = Number(new URL(request.url, "http://x").searchParams.get("from"));
    return from < 0 ? this.log.length + from + 1 : from;
  }

  #stream(response, events, { at, then = "end", bye, body }) {
    const lines = events.map((event) => `${JSON.stringify(event)}\n`).join("");
    const last = bye === undefined ? '{"done":true}\n' : `${JSON.stringify({ bye: { next: bye } })}\n`;
    const bytes = Buffer.from(body ?? `\n${bye === undefined ? lines : ""}${last}`);
    if (at === 0 && then === "reset") {
      response.socket.destroy();
      return;
    }
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    if (at === undefined) {
      response.end(bytes);
      return;
    }
    response.write(bytes.subarray(0, at), () => {
      if (then === "reset") response.socket.destroy();
      else if (then === "end") response.end();
    });
    if (at === 0) response.flushHeaders();
    if (at === 0 && then === "end") response.end();
  }
}
