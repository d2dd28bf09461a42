// @ts-check
/** The inspector's part of the server: JSON, and streams of lines. */

/** @typedef {{place: string, text: string, detail: string}} Problem */
/** @typedef {Record<string, any>} Schema */
/**
 * @typedef {object} Tool
 * @property {string} name
 * @property {string} description
 * @property {Schema} input_schema
 * @property {Schema | null} output_schema
 * @property {number | null} timeout
 * @property {string | null} title
 * @property {string | null} app
 * @property {string[]} visibility
 * @property {string} place
 */
/**
 * @typedef {object} AgentInfo
 * @property {string} name
 * @property {"ok" | "stale" | "broken"} status
 * @property {Problem[]} problems
 * @property {{provider: string, name: string | null} | null} model
 * @property {{kind: "text", text: string} | {kind: "callable", name: string} | null} instructions
 * @property {string | null} guard
 * @property {string | null} mcp
 * @property {Record<string, unknown> | null} settings
 * @property {Tool[]} tools
 */
/** @typedef {{project: string, agents: AgentInfo[], components: {names: string[], problems: Problem[]}, problems: Problem[]}} Project */
/** @typedef {{agent: string, session: string, owner: string | null, title: string | null, created: number, updated: number, tail: number, running: number | null}} SessionInfo */

/** What the server refused, in its words. */
export class Refused extends Error {
  /**
   * @param {string} type
   * @param {string} message
   * @param {number} status
   */
  constructor(type, message, status) {
    super(message);
    this.name = "Refused";
    this.type = type;
    this.status = status;
  }
}

/**
 * @param {TemplateStringsArray} text
 * @param {...(string | number)} names Each is one piece of a path, whatever is in it.
 */
export function path(text, ...names) {
  return text.reduce((all, piece, at) => `${all}${encodeURIComponent(names[at - 1] ?? "")}${piece}`);
}

/**
 * @param {string} where Below `api/`.
 * @param {AbortSignal} [signal]
 */
export async function open(where, signal) {
  return answered(await fetch(`./api/${where}`, { cache: "no-store", signal }));
}

/**
 * @param {string} where
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function load(where, signal) {
  return (await open(where, signal)).json();
}

/**
 * @param {string} where
 * @param {unknown} body
 * @param {AbortSignal} [signal]
 */
export async function post(where, body, signal) {
  const headers = { "content-type": "application/json", "x-litro-agent": "1" };
  return answered(await fetch(`./api/${where}`, { method: "POST", headers, body: JSON.stringify(body), signal }));
}

/** @param {Response} response */
async function answered(response) {
  if (response.ok) return response;
  const said = await response.json().catch(() => null);
  throw new Refused(said?.type ?? "refused", said?.message ?? `The server answered ${response.status}.`, response.status);
}

/**
 * Each line of a stream as what its JSON says, null for a heartbeat.
 * @param {Response} response
 * @returns {AsyncGenerator<any, void, undefined>}
 */
export async function* lines(response) {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  while (reader) {
    const { done, value } = await reader.read();
    if (done) return;
    const pieces = (rest + decoder.decode(value, { stream: true })).split("\n");
    rest = pieces.pop() ?? "";
    for (const piece of pieces) yield piece ? JSON.parse(piece) : null;
  }
}

/** @param {unknown} error */
export function wordsOf(error) {
  if (error instanceof TypeError) return "The server cannot be reached. Is litro dev running?";
  if (error instanceof DOMException) return "Nothing came from the server for a while. Trying again…";
  return error instanceof Error ? error.message : String(error);
}
