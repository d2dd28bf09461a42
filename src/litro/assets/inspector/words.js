// @ts-check
/** Numbers and times as this page writes them. */

const NUMBER = new Intl.NumberFormat("en");

/** @param {number} number */
export function count(number) {
  return NUMBER.format(number);
}

/** @type {(number: number, one: string, many?: string) => string} */
export function counted(number, one, many = `${one}s`) {
  return `${count(number)} ${number === 1 ? one : many}`;
}

/** Milliseconds in words. @param {number} ms */
export function span(ms) {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** A moment: its time today, else its day too. @param {number} ms */
export function moment(ms) {
  const at = new Date(ms);
  const time = at.toLocaleTimeString("en-GB");
  if (at.toDateString() === new Date().toDateString()) return time;
  return `${at.getFullYear()}-${pair(at.getMonth() + 1)}-${pair(at.getDate())} ${time}`;
}

/** How long ago. @param {number} ms */
export function ago(ms) {
  const seconds = Math.max(0, (Date.now() - ms) / 1000);
  if (seconds < 60) return "now";
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** Time of day to the millisecond. @param {number} ms */
export function exact(ms) {
  const at = new Date(ms);
  return `${at.toLocaleTimeString("en-GB")}.${String(at.getMilliseconds()).padStart(3, "0")}`;
}

/**
 * Tokens in words, empty where none were counted.
 * @param {import("./turns.js").Usage | null} usage
 */
export function tokens(usage) {
  const { input_tokens: asked = 0, output_tokens: answered = 0, cached_tokens: cached = 0 } = usage ?? {};
  if (!asked && !answered) return "";
  return `${count(asked)} tokens in${cached ? ` (${count(cached)} cached)` : ""}, ${count(answered)} out`;
}

/** The beginning of a text, in one line. @type {(text: string, length?: number) => string} */
export function brief(text, length = 80) {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}

/** @param {number} number */
function pair(number) {
  return String(number).padStart(2, "0");
}
