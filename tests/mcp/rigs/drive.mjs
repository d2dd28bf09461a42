// The official TypeScript client against a server: every way that a call may go, told as one object of JSON.
//
//   node drive.mjs HOME MODE MARKS http URL | stdio COMMAND [ARGUMENT…]
//
// HOME has node_modules; MODE is legacy, auto or a revision; MARKS is where the tool `linger` leaves its marks.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { setTimeout as pause } from "node:timers/promises";

const [home, mode, marks, transport, ...target] = process.argv.slice(2);
const require = createRequire(`${home}/`);
const { Client, StreamableHTTPClientTransport } = require("@modelcontextprotocol/client");
const { StdioClientTransport } = require("@modelcontextprotocol/client/stdio");

/** Wait for a mark; false where it does not come. */
async function marked(name) {
  for (let waited = 0; waited < 500; waited += 1) {
    if (existsSync(`${marks}/${name}`)) return true;
    await pause(20);
  }
  return false;
}

/** What a call came to: its result, or its error. */
const outcome = (call) =>
  call.then(
    (result) => ({ result }),
    (error) => ({ error: { name: error.constructor.name, code: error.code, message: error.message } }),
  );

const client = new Client(
  { name: "drive", version: "1" },
  { versionNegotiation: { mode: ["legacy", "auto"].includes(mode) ? mode : { pin: mode } } },
);
await client.connect(
  transport === "http"
    ? new StreamableHTTPClientTransport(new URL(target[0]))
    : new StdioClientTransport({ command: target[0], args: target.slice(1), env: process.env, stderr: "ignore" }),
);

const call = (name, args = {}, options = {}) => client.callTool({ name, arguments: args }, options);
const told = { version: client.getNegotiatedProtocolVersion?.() };

told.tools = (await client.listTools()).tools;
told.add = await outcome(call("add", { a: 2, b: 3 }));
told.wrong = await outcome(call("add", { a: "two", b: 3 }));
told.fail = await outcome(call("fail"));
told.slow = await outcome(call("slow"));
told.unknown = await outcome(call("nope"));

told.progress = [];
told.count = await outcome(call("count", { to: 3 }, { onprogress: (step) => told.progress.push(step) }));

const leaving = new AbortController();
const cancelled = outcome(call("linger", { mark: `${mode}-cancelled` }, { signal: leaving.signal }));
told.begun = await marked(`${mode}-cancelled.begun`);
leaving.abort("enough");
told.cancelled = await cancelled;
told.late = await outcome(call("linger", { mark: `${mode}-late` }, { timeout: 500 }));
// Up to 2025-11-25 the client says over HTTP that it cancels in a request of its own, which a server without sessions can tie to
// nothing: there, calls end when the client goes.
const tied = transport === "stdio" || told.version > "2025-11-25";
told.left = tied && (await marked(`${mode}-cancelled.left`)) && (await marked(`${mode}-late.left`));

told.after = await outcome(call("add", { a: 1, b: 1 }));
await client.close();
console.log(JSON.stringify(told));
