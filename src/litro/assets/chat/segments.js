// @ts-check
/**
 * Where a Markdown text that still grows may be cut, so that what is before the cut can never change again.
 *
 * A cut depends on the text alone, never on the pieces in which it came. It is where a block has ended, between the items of a
 * list and the rows of a table, and around fenced code, whose lines are handed on as they come. What is read again with each
 * piece is the `tail` after the last cut, so a long answer costs no more than a short one. No Markdown is read here beyond that.
 */

/** @typedef {"list" | "table"} Join Whose next items, or rows, it has. */

/**
 * @typedef {{kind: "blocks", source: string, join: Join | null}
 *   | {kind: "fence", language: string} | {kind: "code", text: string} | {kind: "unfence"}
 *   | {kind: "long", text: string} | {kind: "unlong"}} Piece `long` begins, or goes on with, a line that is not read as Markdown.
 */

/** Characters of one line that are read as Markdown; of a longer one, none. */
export const LONGEST_LINE = 10_000;

/** Characters after which a cut is made at the next line, wherever that is. */
export const LONGEST_TAIL = 20_000;

const FENCE = /^( {0,3})(?:(`{3,})([^`]*)|(~{3,})(.*))$/;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const ITEM = /^( {0,3})(?:([-+*])|\d{1,9}([.)]))(?:[ \t]|$)/;
const TABLE = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
/** What ends a table, as the beginning of another block. */
const OTHER_BLOCK = /^ {0,3}(?:>|#{1,6}(?:[ \t]|$)|[-+*][ \t])/;

/** A line with which a block ends: a heading, what underlines one, or a rule. */
const LAST_LINE = /^ {0,3}(?:#{1,6}(?:[ \t].*)?|=+[ \t]*|-+[ \t]*|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;

export class Segments {
  /** What comes after the last cut, outside of code and of lines that are too long. */
  tail = "";
  /** Of the tail: whose items or rows it goes on with. @type {Join | null} */
  join = null;
  /** Of the tail, whole lines only. */
  #whole = 0;
  /** How a list's items begin, or null outside of one. @type {string | null} */
  #marker = null;
  /** A table's first two lines, or null outside of one. @type {string | null} */
  #head = null;
  /** The last whole line of the tail. */
  #last = "";
  #isAfterBlank = false;
  /** @type {Fence | null} */
  #fence = null;
  #isInLong = false;
  #held = "";
  /** @type {Piece[]} */
  #pieces = [];

  /**
   * What is finished with this text, in order.
   * @param {string} text
   * @returns {Piece[]}
   */
  take(text) {
    const all = (this.#held + text).replaceAll("\r\n", "\n");
    this.#held = all.endsWith("\r") ? "\r" : "";
    this.#feed(all.slice(0, all.length - this.#held.length).replaceAll("\r", "\n"));
    return this.#handOver();
  }

  /** The same, of what is left at the end of the text. */
  end() {
    if (this.#held) this.#feed("\n");
    this.#held = "";
    if (this.#isInLong) this.#feed("\n");
    if (!this.#fence && this.tail.length > this.#whole) this.#takeLine(this.tail.slice(this.#whole));
    if (this.#fence) this.#closeFence(this.#fence);
    this.#cut(null);
    return this.#handOver();
  }

  /** The tail as it is read on its own: with its table's head. */
  get source() {
    return this.join === "table" ? this.#head + this.tail : this.tail;
  }

  #handOver() {
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces;
  }

  /** @param {string} text */
  #feed(text) {
    let rest = text;
    while (rest) rest = this.#isInLong ? this.#goOnLong(rest) : this.#fence ? this.#goOnCode(this.#fence, rest) : this.#goOn(rest);
  }

  /** Takes one line, or what there is of it; what is left. @param {string} text */
  #goOn(text) {
    const end = text.indexOf("\n");
    const taken = end < 0 ? text : text.slice(0, end);
    const room = LONGEST_LINE - (this.tail.length - this.#whole);
    if (taken.length > room) {
      this.#beginLong(this.tail.slice(this.#whole) + taken.slice(0, room));
      return text.slice(room);
    }
    this.tail += taken;
    if (end < 0) return "";
    this.#takeLine(this.tail.slice(this.#whole));
    return text.slice(end + 1);
  }

  /** Takes the line, whole, that the tail ends in. @param {string} line */
  #takeLine(line) {
    this.tail = this.tail.slice(0, this.#whole);
    this.#line(line);
    if (this.#fence) return;
    const isBlank = line.trim() === "";
    // Any number of blank lines is one.
    if (!isBlank || (this.#whole > 0 && this.#whole < LONGEST_TAIL)) this.tail += `${line}\n`;
    this.#whole = this.tail.length;
    this.#last = line;
    this.#isAfterBlank = isBlank;
  }

  /** @param {string} line Its beginning. */
  #beginLong(line) {
    this.tail = this.tail.slice(0, this.#whole);
    this.#cut(null);
    this.#isInLong = true;
    this.#pieces.push({ kind: "long", text: line });
  }

  /** A line of which no Markdown is read, to its end. @param {string} text */
  #goOnLong(text) {
    const end = text.indexOf("\n");
    if (end !== 0) this.#pieces.push({ kind: "long", text: end < 0 ? text : text.slice(0, end) });
    if (end < 0) return "";
    this.#isInLong = false;
    this.#pieces.push({ kind: "unlong" });
    return text.slice(end + 1);
  }

  /** @type {(fence: Fence, text: string) => string} */
  #goOnCode(fence, text) {
    const end = text.indexOf("\n");
    const code = fence.take(end < 0 ? text : text.slice(0, end), end >= 0);
    if (code === null) this.#closeFence(fence);
    else if (code) this.#pieces.push({ kind: "code", text: code });
    return end < 0 ? "" : text.slice(end + 1);
  }

  /** @param {Fence} fence */
  #closeFence(fence) {
    const rest = fence.rest();
    if (rest) this.#pieces.push({ kind: "code", text: rest });
    this.#pieces.push({ kind: "unfence" });
    this.#fence = null;
  }

  /** Cuts before a line, where that may be. @param {string} line */
  #line(line) {
    const fence = FENCE.exec(line);
    if (fence && (this.#marker === null || fence[1] === "")) {
      this.#cut(null);
      this.#fence = new Fence(fence);
      this.#pieces.push({ kind: "fence", language: languageOf(fence[3] ?? fence[5] ?? "") });
    } else if (this.#whole === 0) this.#begin(line);
    else if (this.#marker !== null) this.#lineOfList(line);
    else if (this.#head !== null) this.#lineOfTable(line);
    else this.#lineOfText(line);
  }

  /** The first line after a cut, blank ones aside. @param {string} line */
  #begin(line) {
    if (line.trim() === "" || this.join) return;
    this.#marker = RULE.test(line) ? null : markerOf(line);
    this.#head = null;
  }

  /** @param {string} line */
  #lineOfList(line) {
    if (line.trim() === "") return;
    const marker = RULE.test(line) ? null : markerOf(line);
    if (marker !== null && marker === this.#marker) this.#cut("list");
    else if (/^\S/.test(line) && (marker !== null || this.#isAfterBlank || RULE.test(line))) this.#cutBefore(line);
    else if (this.#whole > LONGEST_TAIL) this.#cutBefore(line);
  }

  /** @param {string} line */
  #lineOfTable(line) {
    if (line.trim() === "") return;
    if (!this.#isAfterBlank && line.includes("|") && !OTHER_BLOCK.test(line)) this.#cut("table");
    else this.#cutBefore(line);
  }

  /** @param {string} line */
  #lineOfText(line) {
    if (this.#isAfterBlank && /^ {0,3}\S/.test(line)) return this.#cutBefore(line);
    if (this.#whole > LONGEST_TAIL || LAST_LINE.test(this.#last)) return this.#cutBefore(line);
    if (!this.#isAfterBlank && TABLE.test(line) && isHead(this.#last, line)) this.#beginTable(line);
  }

  /** @param {string} line The one under the table's head. */
  #beginTable(line) {
    // Its first line may have been taken for one of the text before it.
    const head = this.tail.slice(this.#whole - this.#last.length - 1);
    const before = this.tail.slice(0, this.#whole - head.length);
    if (before.trim()) {
      this.tail = before;
      this.#cut(null);
      this.tail = head;
      this.#whole = head.length;
    }
    this.#head = `${head}${line}\n`;
  }

  /** Cuts, and begins with a line anew. @param {string} line */
  #cutBefore(line) {
    this.#cut(null);
    this.#begin(line);
  }

  /** @param {Join | null} join What comes next goes on with this. */
  #cut(join) {
    if (this.tail) this.#pieces.push({ kind: "blocks", source: this.source, join: this.join });
    this.tail = "";
    this.#whole = 0;
    this.#isAfterBlank = false;
    this.join = join;
    if (join !== "list") this.#marker = null;
    if (join !== "table") this.#head = null;
  }
}

/** Fenced code, line by line. */
class Fence {
  /** The part of a line that may be the fence's end, or its indent. */
  #held = "";
  #isInLine = false;
  #isFirst = true;

  /** @param {RegExpExecArray} opening */
  constructor(opening) {
    const fence = opening[2] ?? opening[4] ?? "";
    this.indent = opening[1]?.length ?? 0;
    this.close = new RegExp(`^ {0,3}${fence}${fence[0]}*[ \\t]*$`);
    this.mayClose = new RegExp(`^ {0,3}${fence[0]}*[ \\t]*$`);
  }

  /**
   * The code in a piece of one line; null where the line ends it.
   * @param {string} text
   * @param {boolean} isWhole Whether the line ends with it.
   */
  take(text, isWhole) {
    const line = this.#held + text;
    if (!this.#isInLine) {
      if (isWhole && this.close.test(line)) {
        this.#held = "";
        return null;
      }
      if (!isWhole && this.mayClose.test(line)) {
        this.#held = line;
        return "";
      }
    }
    const code = this.#code(line);
    this.#held = "";
    this.#isInLine = !isWhole;
    return code;
  }

  /** What was held back, where the text ends. */
  rest() {
    const held = this.#held;
    this.#held = "";
    return held && !this.close.test(held) ? this.#code(held) : "";
  }

  /** @param {string} line */
  #code(line) {
    if (this.#isInLine) return line;
    const code = line.slice(Math.min(this.indent, line.search(/[^ ]|$/)));
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    return isFirst ? code : `\n${code}`;
  }
}

/** @param {string} info What stands behind the fence. */
function languageOf(info) {
  return info.trim().split(/\s/, 1)[0] ?? "";
}

/** @param {string} line */
function markerOf(line) {
  const item = ITEM.exec(line);
  return item && `${item[1]}${item[2] ?? item[3]}`;
}

/** Whether a line is a table's head, with this one under it. @type {(line: string, under: string) => boolean} */
function isHead(line, under) {
  return line.includes("|") && !/^(?: {4}|\t)/.test(line) && !OTHER_BLOCK.test(line) && cellsOf(line) === cellsOf(under);
}

/** @param {string} line */
export function cellsOf(line) {
  const inner = line.trim().replace(/^\|/, "").replace(/(^|[^\\])\|$/, "$1");
  return (inner.match(/(?<!\\)\|/g)?.length ?? 0) + 1;
}
