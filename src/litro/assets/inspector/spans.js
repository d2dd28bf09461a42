// @ts-check
/** A turn as steps with times: what a timeline draws and a table tells. It is pure. */

import { count, span, tokens } from "./words.js";

/** @typedef {{kind: "wait" | "think" | "speak" | "run", from: number, to: number}} Part */
/**
 * @typedef {object} Step
 * @property {string} key
 * @property {"queue" | "round" | "tool"} kind
 * @property {string} name
 * @property {number} seq
 * @property {Part[]} parts
 * @property {{at: number, words: string}[]} ticks
 * @property {number} begins
 * @property {number | null} waits
 * @property {number | null} takes
 * @property {string} more
 * @property {string} state
 */

/**
 * @param {import("./turns.js").Turn} turn
 * @param {number} now What runs is drawn to here.
 * @returns {Step[]}
 */
export function stepsOf(turn, now) {
  const queued = turn.said.filter((said) => said.queued !== null).map((said) => queueStep(said));
  return [...queued, ...turn.rounds.flatMap((round) => [roundStep(round, turn, now), ...round.calls.map((call) => toolStep(call, turn, now))])];
}

/** @param {import("./turns.js").Said} said @returns {Step} */
function queueStep({ id, seq, at, queued }) {
  const begins = queued ?? at;
  return {
    ...{ key: `queue ${id}`, kind: "queue", name: "message waits", seq, begins, ticks: [], more: "", state: "done" },
    ...{ waits: at - begins, takes: null, parts: [{ kind: "wait", from: begins, to: at }] },
  };
}

/** @type {(round: import("./turns.js").Round, turn: import("./turns.js").Turn, now: number) => Step} */
function roundStep({ number, seq, asked, first, ended, usage, stop }, turn, now) {
  const end = ended ?? turn.ended ?? now;
  const begun = first ?? end;
  return {
    ...{ key: `round ${number}`, kind: "round", name: `round ${number}`, seq, begins: asked, ticks: [] },
    ...{ waits: begun - asked, takes: first === null ? null : end - begun },
    parts: [{ kind: "wait", from: asked, to: begun }, { kind: "speak", from: begun, to: end }],
    more: [tokens(usage), stop === "length" || stop === "refusal" ? `stopped by ${stop}` : ""].filter(Boolean).join(", "),
    state: ended ? "done" : turn.status === null ? "runs" : "failed",
  };
}

/** @type {(call: import("./turns.js").Call, turn: import("./turns.js").Turn, now: number) => Step} */
function toolStep({ id, seq, name, asked, started, ended, progress, state, error }, turn, now) {
  const end = ended ?? turn.ended ?? now;
  const begun = started ?? end;
  return {
    ...{ key: `call ${id}`, kind: "tool", name, seq, begins: asked, state },
    ...{ waits: begun - asked, takes: started === null ? null : end - begun },
    parts: [{ kind: "wait", from: asked, to: begun }, { kind: "run", from: begun, to: end }],
    ticks: progress.map(({ at, value }) => ({ at, words: progressWords(value) })),
    more: [error?.message ?? "", progress.length ? `${progress.length} × progress, last: ${progressWords(progress.at(-1)?.value)}` : ""].filter(Boolean).join(", "),
  };
}

/** @param {any} value */
export function progressWords(value) {
  if (!Number.isFinite(value?.done)) return typeof value === "string" ? value : JSON.stringify(value);
  return [`${count(value.done)}${value.total ? ` of ${count(value.total)}` : ""}`, value.message].filter(Boolean).join(" ");
}

/** A step in words, as it is heard and shown when somebody points at it. @type {(step: Step, start: number) => string} */
export function stepWords({ kind, name, begins, waits, takes, more, state }, start) {
  const waited = waits === null ? "" : kind === "round" ? `first piece after ${span(waits)}` : kind === "queue" ? `for ${span(waits)}` : `waits ${span(waits)}`;
  const took = takes === null ? "" : `${kind === "round" ? "streams" : "runs"} for ${span(takes)}`;
  const how = state === "runs" ? "not over yet" : state === "failed" ? "failed" : "";
  return [`${name}: at ${span(begins - start)}`, waited, took, how, more].filter(Boolean).join(", ");
}

/** Where an axis has its marks: about six, at round numbers. @param {number} length @returns {number[]} */
export function marksOf(length) {
  const rough = Math.max(length, 1) / 6;
  const power = 10 ** Math.floor(Math.log10(rough));
  // Times are whole milliseconds.
  const step = Math.max(1, power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10));
  return Array.from({ length: Math.floor(length / step) + 1 }, (_, at) => at * step);
}
