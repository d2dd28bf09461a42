// @ts-check
/** What was thrown, in words and by its type. */

import { AgentError } from "../client.js";

/** @param {unknown} error */
export function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/** @type {(error: unknown, ...types: string[]) => boolean} */
export function isOf(error, ...types) {
  return error instanceof AgentError && types.includes(error.type);
}

/** @param {unknown} error */
export function failureOf(error) {
  return error instanceof AgentError ? error : new AgentError("failed", messageOf(error), { cause: error });
}
