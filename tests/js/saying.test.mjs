/** Saying without hearing: once, whatever the connection does. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import { agentSession } from "../../src/litro/assets/client.js";
import { Sessions, turnOf } from "./server.mjs";

let sessions;
let base;

beforeEach(async () => {
  sessions = new Sessions();
  base = await sessions.open();
});
afterEach(() => sessions.close());

const session = (options = {}) => agentSession("demo", "s1", { base, pace: 1, patience: 20_000, ...options });
const begun = { status: 200, headers: { "content-type": "application/x-ndjson", "litro-from": "6" }, body: "\n" };
const queued = { status: 202, headers: { "litro-from": "9" }, body: '{"queued":{"id":"m1","mode":"queue","turn":1}}' };

test("a message that starts a turn, and one that waits, say from where they are heard", async () => {
  sessions.faults = [begun, queued];
  assert.deepEqual(await session().say("Hi", { id: "m1" }), { from: 6, queued: false });
  assert.deepEqual(await session().say("Hi", { id: "m2", onBusy: "queue" }), { from: 9, queued: true });
  const [first, second] = sessions.requests;
  assert.deepEqual([first.method, first.headers["idempotency-key"], first.body], ["POST", "m1", '{"text":"Hi"}']);
  assert.equal(second.body, '{"text":"Hi","on_busy":"queue"}');
});

test("a message is said again under its key until it is accepted", async () => {
  sessions.faults = [{ at: 0, then: "reset" }, { status: 503 }, begun];
  const told = [];
  const onRetry = () => told.push("again");
  const onOpen = () => told.push("open");
  assert.deepEqual(await session({ onRetry, onOpen }).say("Hi", { id: "m1" }), { from: 6, queued: false });
  assert.deepEqual(told, ["again", "again", "open"]);
  assert.deepEqual(sessions.requests.map(({ headers }) => headers["idempotency-key"]), ["m1", "m1", "m1"]);
});

test("a refusal is thrown at once", async () => {
  sessions.faults = [{ status: 403, body: '{"type":"refused","message":"Ask Ada.","status":403}' }];
  await assert.rejects(session().say("Hi"), { type: "refused", message: "Ask Ada." });
});

test("whoever leaves while it is under way hears so", async () => {
  sessions.faults = [{ silent: true }];
  const leaving = new AbortController();
  const said = session().say("Hi", { signal: leaving.signal });
  setTimeout(() => leaving.abort(new Error("left")), 20);
  await assert.rejects(said, { message: "left" });
});

test("what is durable now is asked for without what follows", async () => {
  sessions.log = turnOf(1, 1);
  for await (const event of session().resume(-3, { follow: false })) assert.ok(event.seq >= 3);
  assert.equal(sessions.requests[0].url.split("?")[1], "from=-3&follow=false");
});
