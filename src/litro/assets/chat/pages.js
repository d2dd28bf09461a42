// @ts-check
/** What is known of a principal's sessions: the pages that were read, the last updated first. It shows nothing. */

/** @typedef {import("../client.js").SessionInfo} SessionInfo */
/** @typedef {(cursor: string | null) => Promise<{sessions: SessionInfo[], next: string | null}>} Read */

export class Pages {
  /** By id. @type {Map<string, SessionInfo>} */
  #known = new Map();
  /** Sessions that were deleted here: a page that was on its way may still have them. @type {Set<string>} */
  #deleted = new Set();
  /** @type {string | null} */
  #next = null;
  #hasBegun = false;

  /** @param {Read} read */
  constructor(read) {
    this.read = read;
  }

  /** Whether every session is known. */
  get isWhole() {
    return this.#hasBegun && this.#next === null;
  }

  /** All that are known, the last updated first. */
  get sessions() {
    return [...this.#known.values()].sort((one, other) => other.updated - one.updated);
  }

  /** Whether any of them is being answered. */
  get isAnyRunning() {
    return this.sessions.some(({ running }) => running !== null);
  }

  /** Reads the next page. */
  async more() {
    if (this.isWhole) return;
    const { sessions, next } = await this.read(this.#next);
    this.#take(sessions);
    this.#next = next;
    this.#hasBegun = true;
  }

  /** Reads the first page again: what has changed is in it. */
  async refresh() {
    if (!this.#hasBegun) return this.more();
    const { sessions, next } = await this.read(null);
    const oldest = next === null ? -Infinity : (sessions.at(-1)?.updated ?? -Infinity);
    const ids = new Set(sessions.map(({ session }) => session));
    // What would have to be in it, and is not, is gone.
    for (const { session, updated } of this.#known.values()) if (updated > oldest && !ids.has(session)) this.#known.delete(session);
    this.#take(sessions);
  }

  /** @type {(id: string, title: string) => void} */
  rename(id, title) {
    const session = this.#known.get(id);
    if (session) this.#known.set(id, { ...session, title });
  }

  /** @param {string} id */
  delete(id) {
    this.#deleted.add(id);
    this.#known.delete(id);
  }

  /** @param {SessionInfo[]} sessions */
  #take(sessions) {
    for (const session of sessions) if (!this.#deleted.has(session.session)) this.#known.set(session.session, session);
  }
}

/**
 * Whether a title has all of the words, in whichever case and with whichever accents.
 * @type {(title: string, words: string) => boolean}
 */
export function matches(title, words) {
  const text = simple(title);
  return simple(words).split(/\s+/).every((word) => text.includes(word));
}

/** @param {string} text */
function simple(text) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}
