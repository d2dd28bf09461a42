// @ts-check
/** What was said and is not in the session's log yet: said one after the other, and again until it is there once. */

import { isOf, messageOf } from "./failure.js";
import { newId } from "./place.js";

/** @typedef {import("../client.js").OnBusy} OnBusy */
/** @typedef {ReturnType<typeof import("../client.js").agentSession>} Session */

/**
 * Said and not accepted. `why` is there where that failed, and `isUnreachable` where no server was found.
 * @typedef {{id: string, text: string, onBusy: OnBusy, why: string | null, isUnreachable: boolean}} Unsent
 */

export class Sending {
  /** By their ids, in order. @type {Map<string, Unsent>} */
  unsent = new Map();
  /** @type {Promise<unknown>} */
  #last = Promise.resolve();

  /**
   * @param {Session} session
   * @param {AbortSignal} signal
   * @param {{changed: () => void, accepted: () => void, failed: (error: unknown) => void}} listener
   */
  constructor(session, signal, listener) {
    this.session = session;
    this.signal = signal;
    this.listener = listener;
  }

  /**
   * Says something.
   * @param {string} text
   * @param {OnBusy} onBusy
   */
  say(text, onBusy) {
    const message = { id: newId(), text, onBusy, why: null, isUnreachable: false };
    this.unsent.set(message.id, message);
    return this.send(message);
  }

  /**
   * Sends it, or sends it again: it keeps its id, so that it starts one turn at most.
   * @param {Unsent} message
   */
  send(message) {
    Object.assign(message, { why: null, isUnreachable: false });
    this.listener.changed();
    this.#last = this.#last.then(() => this.#send(message));
    return this.#last;
  }

  /** The server may be there again: what did not find it is sent again. */
  again() {
    for (const message of this.unsent.values()) if (message.isUnreachable) void this.send(message);
  }

  /**
   * It was heard, so it is in the log.
   * @param {string} id
   */
  heard(id) {
    this.unsent.delete(id);
  }

  /**
   * Whoever said it does not want it sent any more.
   * @param {string} id
   */
  discard(id) {
    this.unsent.delete(id);
    this.listener.changed();
  }

  /** @param {Unsent} message */
  async #send(message) {
    const { id, text, onBusy } = message;
    try {
      await this.session.say(text, { id, onBusy, signal: this.signal });
      this.listener.accepted();
    } catch (error) {
      if (this.signal.aborted) return;
      Object.assign(message, { why: messageOf(error), isUnreachable: isOf(error, "unreachable") });
      this.listener.changed();
      this.listener.failed(error);
    }
  }
}
