// @ts-check
/**
 * What a text that is being written looks like before it is finished: emphasis that is open is closed, half a link is its
 * words, and marks that mean nothing yet are not seen. What is finished is never mended.
 */

import { cellsOf } from "./segments.js";

/** A line that is nothing but marks: what it will be is not known yet. */
const MARKS = /^[ \t]*(?:[-+*=#>~_|:]+|`{1,2}|\d{1,9}[.)])[ \t]*$/;
const FENCE = /^ {0,3}(?:`{3}|~{3})[^`]*$/;
const DELIMITERS = /^ {0,3}\|[ \t:|-]*$/;
/** What begins a run of text of its own: an item, a heading, a quotation. */
const OPENING = /^[ \t]*(?:(?:[-+*>]|\d{1,9}[.)]|#{1,6})(?:[ \t]+|$))+(?:\[[ xX]?\]?[ \t]*(?![^\s]))?/;

/** A bracket that was not closed after so many characters is one. */
const LONGEST_WORDS = 150;

/** @param {string} source */
export function mended(source) {
  const start = source.lastIndexOf("\n") + 1;
  const line = source.slice(start);
  const before = source.slice(0, start);
  const table = tableOf(before, line);
  if (table !== null) return table;
  if (MARKS.test(line) || FENCE.test(line)) return before;
  const run = runAt(source);
  return source.slice(0, run) + closed(source.slice(run));
}

/** A table's head is one before the line under it is there. @type {(before: string, line: string) => string | null} */
function tableOf(before, line) {
  const lines = before.split("\n");
  const last = lines.at(-2) ?? "";
  const isFirst = last.trim() === "";
  if (isFirst && /^ {0,3}\|.*\S/.test(line)) return `${before}${line}\n${rule(line)}`;
  const isSecond = /^ {0,3}\|.*\S/.test(last) && (lines.at(-3) ?? "").trim() === "" && DELIMITERS.test(line);
  return isSecond ? `${before}${rule(last)}` : null;
}

/** @param {string} head */
function rule(head) {
  return `|${"-|".repeat(cellsOf(head))}`;
}

/** Where the run of text begins that the source ends in. @param {string} source */
function runAt(source) {
  let at = source.lastIndexOf("\n\n") + 1;
  for (let line = Math.max(at, source.lastIndexOf("\n") + 1); line >= at; line = source.lastIndexOf("\n", line - 2) + 1) {
    const opening = OPENING.exec(source.slice(line, line + 200));
    if (opening) return line + opening[0].length;
    if (line < 2) break;
  }
  return Math.max(0, at);
}

/** @typedef {{mark: string, count: number, at: number}} Open */

/**
 * Text whose open marks are closed.
 * @param {string} text
 * @param {boolean} [isCut] Whether half a link was taken off its end: there is one at most.
 * @returns {string}
 */
function closed(text, isCut = false) {
  /** @type {Open[]} */
  const open = [];
  const lastBracket = text.lastIndexOf("]");
  let at = 0;
  while (at < text.length) {
    const mark = text[at] ?? "";
    if (mark === "\\") at += 2;
    else if (mark === "`") {
      const after = codeEnd(text, at);
      if (after === null) return closedCode(text, at, open);
      at = after;
    } else if (mark === "[") {
      const words = isCut ? null : wordsOfHalf(text, at, lastBracket);
      if (words !== null) return closed(words, true);
      at++;
    } else if (mark === "*" || mark === "_" || mark === "~") {
      const end = runEnd(text, at);
      weigh(open, text, at, end);
      at = end;
    } else at++;
  }
  return close(text, open);
}

/** Takes off marks that end the text before they emphasise anything, and closes the others. @type {(text: string, open: Open[]) => string} */
function close(text, open) {
  let body = text.trimEnd();
  while (open.length > 0) {
    const { mark, count, at } = /** @type {Open} */ (open.pop());
    if (body.length <= at + count) body = body.slice(0, at).trimEnd();
    else body += mark.repeat(count);
  }
  return body;
}

/** Where a run of one mark ends. @type {(text: string, at: number) => number} */
function runEnd(text, at) {
  let end = at + 1;
  while (text[end] === text[at]) end++;
  return end;
}

/** Opens, or closes, with a run of marks. @type {(open: Open[], text: string, at: number, end: number) => void} */
function weigh(open, text, at, end) {
  const mark = text[at] ?? "";
  const before = text[at - 1] ?? " ";
  const after = text[end] ?? "";
  const isWord = mark === "_" && /[\p{L}\p{N}]/u.test(before) && /[\p{L}\p{N}]/u.test(after);
  if (isWord) return;
  let count = end - at;
  while (count > 0 && /\S/.test(before) && open.at(-1)?.mark === mark) {
    const top = /** @type {Open} */ (open.at(-1));
    const paired = Math.min(top.count, count);
    top.count -= paired;
    count -= paired;
    if (top.count === 0) open.pop();
  }
  if (count > 0 && !/^\s/.test(after) && count <= 3 && (mark !== "~" || count === 2)) open.push({ mark, count, at });
}

/** Where code ends that begins here; null where it does not yet. @type {(text: string, at: number) => number | null} */
function codeEnd(text, at) {
  const start = runEnd(text, at);
  for (let end = text.indexOf("`", start); end >= 0; end = text.indexOf("`", end)) {
    const after = runEnd(text, end);
    if (after - end === start - at) return after;
    end = after;
  }
  return null;
}

/** @type {(text: string, at: number, open: Open[]) => string} */
function closedCode(text, at, open) {
  const start = runEnd(text, at);
  const code = text.slice(start).replace(/`+$/, "");
  if (code.trim() === "") return close(text.slice(0, at), open);
  const fence = "`".repeat(start - at);
  return text.slice(0, at) + fence + code + fence + marks(open);
}

/** @param {Open[]} open */
function marks(open) {
  return open.reverse().map(({ mark, count }) => mark.repeat(count)).join("");
}

/** The text with the words of a link instead of the half of it that is there; null where it is whole, or none. @type {(text: string, at: number, lastBracket: number) => string | null} */
function wordsOfHalf(text, at, lastBracket) {
  if (at > lastBracket && text.length - at > LONGEST_WORDS) return null;
  const isImage = text[at - 1] === "!";
  const before = text.slice(0, isImage ? at - 1 : at);
  if (at > lastBracket) return isImage ? before : before + text.slice(at + 1).replaceAll("[", "");
  const end = text.indexOf("]", at);
  if (text[end + 1] !== "(" || text.includes(")", end)) return null;
  return isImage ? before : before + text.slice(at + 1, end);
}
