// The engine's process: reads a request, answers it, one at a time, until its server is gone.
//
// A frame is 4 bytes of length, big-endian, and that many bytes of JSON, or of HTML behind a zero. Standard output carries frames alone: whatever
// a component prints goes to standard error.
//
// node main.mjs PID MEGABYTES: the server's process, and how much memory this one may hold in all.

import { Console } from "node:console";
import { writeSync } from "node:fs";
import process from "node:process";
import { Worker } from "node:worker_threads";

/** @typedef {Record<string, any>} Json */

const MEGABYTE = 1_000_000;

/** Bytes of a frame's buffer that is kept for the next one. */
const KEPT = MEGABYTE;

globalThis.console = new Console(process.stderr, process.stderr);
Object.defineProperty(process, "stdout", { value: process.stderr });

// A component that loops for ever never sees that standard input has ended: this thread does.
const watchdog = new Worker(new URL("./watchdog.mjs", import.meta.url), {
  workerData: { server: Number(process.argv[2]), resident: Number(process.argv[3]) * MEGABYTE },
});
watchdog.unref();

/** @typedef {{ answer: (request: any) => Json | Promise<Json> }} Operation */

/** @type {Map<string, () => Promise<Operation>>} */
const IMPORTS = new Map(
  Object.entries({
    load: () => import("./load.mjs"),
    render: () => import("./render.mjs"),
    build: () => import("./build.mjs"),
    pack: () => import("./pack.mjs"),
    examine: () => import("./examine.mjs"),
  }),
);

/** What was imported: no request waits for a module twice. @type {Map<string, Operation>} */
const operations = new Map();

/** @param {Json} request */
async function answered(request) {
  try {
    const operation = operations.get(request.op) ?? (await imported(request.op));
    return await operation.answer(request);
  } catch (error) {
    return failure(error);
  }
}

/** @param {string} op */
async function imported(op) {
  const module = IMPORTS.get(op);
  if (!module) throw new RangeError(`there is no operation ${JSON.stringify(op)}`);
  const operation = await module();
  operations.set(op, operation);
  return operation;
}

/** @param {unknown} thrown What a component threw: anything, and its getters are the component's as well. */
function failure(thrown) {
  try {
    const { name, message, stack } = thrown instanceof Error ? thrown : new Error(String(thrown));
    return { ok: false, name: text(name, 100), message: text(message, 2000), stack: text(stack, 4000) };
  } catch {
    return { ok: false, name: "Error", message: "something was thrown that has no text", stack: "" };
  }
}

/**
 * @param {unknown} value
 * @param {number} longest
 */
function text(value, longest) {
  return String(value).slice(0, longest);
}

/** What frames are written from: a new one for each would be a new mapping of memory for each. */
let frame = Buffer.alloc(4);

/** @param {Json} answer HTML goes as it stands, behind a zero: escaping it, and reading that, would take as long as rendering half of it. */
function send(answer) {
  const isHtml = answer.ok && typeof answer.html === "string";
  const body = isHtml ? `\0${answer.html}` : JSON.stringify(answer, wellFormed);
  if (frame.length < 4 + 3 * body.length) frame = Buffer.allocUnsafeSlow(4 + 3 * body.length);
  // Half a character becomes U+FFFD.
  const end = 4 + frame.write(body, 4);
  frame.writeUInt32BE(end - 4);
  for (let sent = 0; sent < end; ) sent += written(frame, sent, end);
  if (frame.length > KEPT) frame = Buffer.alloc(4);
}

/**
 * What is cut in the middle of a character has no UTF-8.
 * @param {string} _
 * @param {unknown} value
 */
function wellFormed(_, value) {
  return typeof value === "string" ? value.toWellFormed() : value;
}

/** What is waited on while a pipe is full. */
const NOTHING = new Int32Array(new SharedArrayBuffer(4));

/**
 * @param {Buffer} frame
 * @param {number} from
 * @param {number} end
 */
function written(frame, from, end) {
  try {
    return writeSync(1, frame, from, end - from);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== "EAGAIN") throw error;
    Atomics.wait(NOTHING, 0, 0, 1);
    return 0;
  }
}

/** What has come of the next frame, and how much of it that is. @type {Buffer[]} */
let pieces = [];
let held = 0;
let needed = 4;
let queue = Promise.resolve();

/** @param {Buffer} frame */
async function take(frame) {
  /** @type {Json} */
  const request = JSON.parse(frame.toString("utf8", 4));
  const answer = await answered(request);
  try {
    send(answer);
  } catch (error) {
    // Its reader is gone, and so is the use of this process.
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "EPIPE") process.exit(0);
    send(failure(error));
  }
}

process.stdin.on("data", (/** @type {Buffer} */ chunk) => {
  pieces.push(chunk);
  held += chunk.length;
  while (held >= needed) {
    const waiting = pieces.length === 1 ? /** @type {Buffer} */ (pieces[0]) : Buffer.concat(pieces);
    pieces = [waiting];
    needed = 4 + waiting.readUInt32BE();
    if (held < needed) return;
    const frame = waiting.subarray(0, needed);
    queue = queue.then(() => take(frame));
    pieces = held > needed ? [waiting.subarray(needed)] : [];
    held -= needed;
    needed = 4;
  }
});
process.stdin.on("end", () => process.exit(0));
process.on("unhandledRejection", (error) => console.error(error));
