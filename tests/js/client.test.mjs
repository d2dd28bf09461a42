/** The client against a server that breaks: every event once, in order, whatever the connection does. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import { AgentError, agentSession, agentSessions } from "../../src/litro/assets/client.js";
import { Sessions, turnOf } from "./server.mjs";

const NDJSON = { headers: { "content-type": "application/x-ndjson" } };
const QUICK = { pace: 1, silence: 5_000, patience: 20_000 };
let sessions;
let base;

beforeEach(async () => {
  sessions = new Sessions();
  base = await sessions.open();
});
afterEach(() => sessions.close());

const session = (options = {}) => agentSession("demo", "s1", { base, ...QUICK, ...options });

async function all(events) {
  const heard = [];
  for await (const event of events) heard.push(event);
  return heard;
}

const bodyOfATurn = () => Buffer.from(`\n${turnOf(1, 1).map((event) => `${JSON.stringify(event)}\n`).join("")}{"done":true}\n`);

test("a message is a POST with its key, and its turn's events come as they are", async () => {
  const heard = await all(session({ fetch: undefined, pace: undefined }).send("ça va?", { id: "m1" }));
  assert.deepEqual(heard, turnOf(1, 1));
  const [{ method, url, headers, body }] = sessions.requests;
  assert.deepEqual([method, url, body], ["POST", "/__litro/agent/demo/s1", '{"text":"ça va?"}']);
  assert.deepEqual([headers["idempotency-key"], headers["x-litro-agent"]], ["m1", "1"]);
});

for (const then of ["reset", "end"]) {
  test(`a message whose stream is cut at any byte (${then}) yields every event once, in order`, async () => {
    for (let at = 0; at < bodyOfATurn().length; at++) {
      sessions.faults = [{ at, then }];
      sessions.log = [];
      sessions.started.clear();
      assert.deepEqual(await all(session().send("Hi", { id: "m1" })), turnOf(1, 1), `cut at byte ${at}`);
      assert.equal(sessions.started.size, 1);
    }
  });

  test(`a resumed session whose stream is cut at any byte (${then}) yields every event once, in order`, async () => {
    sessions.log = [...turnOf(1, 1), ...turnOf(2, 6)];
    for (let at = 0; at < bodyOfATurn().length; at += 3) {
      sessions.faults = [{ at, then }, { at: at >> 1, then }];
      assert.deepEqual(await all(session().resume(2)), sessions.log.slice(1), `cut at byte ${at}`);
    }
  });
}

test("the stream may arrive in chunks of any size", async () => {
  const bytes = bodyOfATurn();
  for (const size of [1, 2, 3, 5, 7, 64, bytes.length]) {
    const chunked = () => {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) => bytes.subarray(n * size, (n + 1) * size));
      return Promise.resolve(new Response(ReadableStream.from(chunks), NDJSON));
    };
    assert.deepEqual(await all(session({ fetch: chunked }).resume()), turnOf(1, 1), `chunks of ${size}`);
  }
});

test("a stream that falls silent is resumed", async () => {
  sessions.log = turnOf(1, 1);
  sessions.faults = [{ at: 150, then: "stall" }];
  assert.deepEqual(await all(session({ silence: 50 }).resume()), turnOf(1, 1));
  assert.equal(sessions.requests.length, 2);
});

test("heartbeats keep a quiet connection", async () => {
  let controller;
  const beats = () => Promise.resolve(new Response(new ReadableStream({ start: (made) => void (controller = made) }), NDJSON));
  const events = session({ fetch: beats, silence: 200 }).resume();
  const first = events.next();
  let count = 0;
  await new Promise((resolve) => {
    const timer = setInterval(() => {
      controller.enqueue(Buffer.from("\n"));
      if (++count === 8) resolve(clearInterval(timer));
    }, 50);
  });
  controller.enqueue(Buffer.from(`${JSON.stringify(turnOf(1, 1)[0])}\n`));
  assert.equal((await first).value.seq, 1);
  await events.return();
});

test("a request that nobody answers is repeated with the same key", async () => {
  sessions.faults = [{ silent: true }, { at: 0, then: "reset" }];
  assert.deepEqual((await all(session({ silence: 50 }).send("Hi"))).length, 5);
  const keys = new Set(sessions.requests.map(({ headers }) => headers["idempotency-key"]));
  assert.deepEqual([sessions.requests.length, keys.size, sessions.started.size], [3, 1, 1]);
});

test("a server that says goodbye is asked again, from where the stream ended", async () => {
  sessions.log = turnOf(1, 1);
  sessions.faults = [{ bye: 3 }];
  assert.deepEqual((await all(session().resume(-3))).map(({ seq }) => seq), [3, 4, 5]);
  assert.deepEqual(sessions.requests.map(({ url }) => url.split("?")[1]), ["from=-3", "from=3"]);
});

test("a refusal is an error at once, in the server's words", async () => {
  for (const status of [400, 403, 404, 409, 413, 422, 500]) {
    sessions.faults = [{ status }];
    await assert.rejects(all(session().send("Hi")), (error) => {
      assert.ok(error instanceof AgentError);
      assert.deepEqual([error.type, error.message, error.status], ["made-up", "It is so.", status]);
      return true;
    });
  }
  assert.equal(sessions.requests.length, 7);
});

test("a refusal without words still says its status", async () => {
  sessions.faults = [{ status: 418, body: "<html>" }];
  await assert.rejects(all(session().resume()), { type: "refused", status: 418, message: /418/ });
});

test("409 after a first attempt of our own, and a server that is busy, are waited out as long as they ask", async () => {
  const waits = [];
  sessions.faults = [{ at: 0, then: "reset" }, { status: 409, headers: { "retry-after": "1" } }, { status: 503 }];
  const heard = await all(session({ onRetry: (_, wait) => waits.push(wait) }).send("Hi"));
  assert.equal(heard.length, 5);
  assert.deepEqual(waits.map((wait) => wait >= 1000), [false, true, false]);
});

test("a server that stays away is given up, with what to do", async () => {
  sessions.faults = Array.from({ length: 50 }, () => ({ at: 0, then: "reset" }));
  await assert.rejects(all(session({ patience: 100 }).send("Hi")), { name: "AgentError", type: "unreachable", message: /try again/ });
});

test("a long silence before the first failure uses up no patience", async () => {
  sessions.log = turnOf(1, 1);
  sessions.faults = [{ at: 150, then: "stall" }];
  assert.equal((await all(session({ silence: 300, patience: 200 }).resume())).length, 5);
});

test("a server that stays busy is given up in its own words", async () => {
  sessions.faults = Array.from({ length: 50 }, () => ({ status: 503 }));
  await assert.rejects(all(session({ patience: 100 }).resume()), { type: "made-up", status: 503 });
});

test("a server that repeats itself and hangs up is given up too", async () => {
  sessions.log = turnOf(1, 1);
  const again = { body: `\n${JSON.stringify(turnOf(1, 1)[0])}\n` };
  sessions.faults = Array.from({ length: 90 }, () => again);
  await assert.rejects(all(session({ patience: 100 }).resume()), { type: "unreachable" });
});

test("a line that is no event makes the connection broken, and the rest comes over another", async () => {
  sessions.log = turnOf(1, 1);
  sessions.faults = [{ body: "<html>502</html>\n" }, { body: "\nnull\n3\n" }];
  assert.deepEqual(await all(session().resume()), turnOf(1, 1));
});

test("a stream that failed on the server is an error, after what came before", async () => {
  const [first] = turnOf(1, 1);
  sessions.faults = [{ body: `\n${JSON.stringify(first)}\n{"err":{"type":"store","message":"Full.","status":503}}\n` }];
  const events = session().resume();
  assert.equal((await events.next()).value.seq, 1);
  await assert.rejects(events.next(), { type: "store", message: "Full.", status: 503 });
});

test("a message's loop ends with its turn, though another turn follows", async () => {
  sessions.log = [];
  sessions.faults = [{ at: 300, then: "reset" }];
  const events = session().send("Hi", { id: "m1" });
  const heard = [(await events.next()).value];
  sessions.log.push(...turnOf(2, 6));
  for await (const event of events) heard.push(event);
  assert.deepEqual(heard.map(({ turn }) => turn), [1, 1, 1, 1, 1]);
});

test("a turn that has ended needs no other connection", async () => {
  sessions.faults = [{ at: bodyOfATurn().length - 3, then: "reset" }];
  assert.equal((await all(session().send("Hi", { id: "m1" }))).length, 5);
  assert.equal(sessions.requests.length, 1);
});

test("leaving the loop closes the connection and cancels nothing", async () => {
  sessions.log = turnOf(1, 1);
  sessions.faults = [{ at: 150, then: "stall" }];
  const closed = new Promise((resolve) => sessions.server.on("request", (_, response) => response.on("close", resolve)));
  for await (const event of session().resume()) {
    assert.equal(event.seq, 1);
    break;
  }
  await closed;
  assert.equal(sessions.requests.length, 1);
});

test("a signal ends a loop that waits, also between two attempts", async () => {
  for (const fault of [{ at: 0, then: "stall" }, { at: 0, then: "reset" }]) {
    sessions.faults = [fault];
    const leaving = new AbortController();
    const waiting = all(session({ pace: 60_000, patience: 1e9, onRetry: () => leaving.abort() }).resume(0, { signal: leaving.signal }));
    if (fault.then === "stall") sessions.server.once("request", () => leaving.abort());
    await assert.rejects(waiting, { name: "AbortError" });
  }
});

test("headers may be a function, which each request asks anew", async () => {
  let count = 0;
  sessions.faults = [{ at: 0, then: "reset" }];
  await all(session({ headers: async () => ({ authorization: `t${++count}` }) }).send("Hi"));
  assert.deepEqual(sessions.requests.map(({ headers }) => headers.authorization), ["t1", "t2"]);
});

test("cancel says whether a turn was running", async () => {
  sessions.faults = [{ status: 202 }, { status: 200 }, { status: 403 }];
  assert.equal(await session().cancel(), true);
  assert.equal(await session().cancel(), false);
  await assert.rejects(session().cancel(), { status: 403 });
  assert.equal(sessions.requests[0].url, "/__litro/agent/demo/s1/cancel");
});

test("addresses are below the mount, and names cannot leave their place", async () => {
  await all(agentSession("a/b", "..%2f", { ...QUICK, base: new URL("ai", base) }).resume());
  assert.equal(sessions.requests[0].url, "/ai/__litro/agent/a%2Fb/..%252f?from=0");
});

test("what is no stream of ours is told at once, not tried for a minute", async () => {
  const portal = () => Promise.resolve(new Response("<h1>Log in</h1>", { headers: { "content-type": "text/html" } }));
  await assert.rejects(all(session({ fetch: portal }).resume()), { name: "AgentError", type: "unexpected-answer", status: 200 });
});

/** The answer to a message that waits: its turn is heard from `from` on. */
const waits = (from) => ({ status: 202, headers: { "litro-from": `${from}` }, body: '{"queued":{"id":"m2","mode":"queue","turn":1}}' });

test("a message that waits is heard from its own turn's start, wherever a stream is cut", async () => {
  sessions.log = [...turnOf(1, 1), ...turnOf(2, 6, "m2"), ...turnOf(3, 11, "m3")];
  for (let at = 0; at < 2000; at += 37) {
    sessions.requests = [];
    sessions.faults = [waits(2), { at, then: "reset" }];
    assert.deepEqual(await all(session().send("Hi", { id: "m2", onBusy: "queue" })), turnOf(2, 6, "m2"));
    assert.deepEqual(sessions.requests.slice(0, 2).map(({ method, url }) => [method, url]), [
      ["POST", "/__litro/agent/demo/s1"],
      ["GET", "/__litro/agent/demo/s1?from=2"],
    ]);
    assert.equal(sessions.requests[0].body, '{"text":"Hi","on_busy":"queue"}');
  }
});

test("while a message waits, the turn that comes next is asked for at once, and an idle session after a pause", async () => {
  sessions.log = turnOf(1, 1);
  sessions.faults = [waits(1)];
  const pauses = [];
  const onRetry = ({ message }) => {
    pauses.push(message);
    sessions.log = [...turnOf(1, 1), ...turnOf(2, 6, "m2")];
  };
  assert.deepEqual(await all(session({ onRetry }).send("Hi", { id: "m2" })), turnOf(2, 6, "m2"));
  assert.deepEqual(pauses, ["the message still waits"]);
  assert.deepEqual(sessions.requests.map(({ url }) => url.split("?")[1]), [undefined, "from=1", "from=6", "from=6"]);
});

test("a message that steers is heard from itself on, and of one that was withdrawn nothing else comes", async () => {
  sessions.log = turnOf(1, 1, "m2");
  sessions.faults = [waits(2)];
  assert.deepEqual(await all(session().send("Hi", { id: "m2" })), turnOf(1, 1, "m2").slice(1));
  const withdrawn = { seq: 6, ts: 1, turn: 1, kind: "withdrawn", payload: { id: "m3" } };
  sessions.log.push(withdrawn, ...turnOf(2, 7, "m4"));
  sessions.faults = [waits(6)];
  assert.deepEqual(await all(session().send("Hi", { id: "m3" })), [withdrawn]);
});

test("a part of a session may have gaps, and ends at its limit over every connection", async () => {
  sessions.log = turnOf(1, 1).filter(({ kind }) => kind !== "text-delta");
  assert.deepEqual(await all(session().resume(1, { deltas: false })), sessions.log);
  sessions.faults = [{ at: 250, then: "reset" }];
  assert.equal((await all(session().resume(1, { limit: 3 }))).length, 3);
  const asked = sessions.requests.map(({ url }) => url.split("?")[1]);
  assert.equal(asked[0], "from=1&deltas=false");
  assert.equal(asked[1], "from=1&limit=3");
  assert.match(asked[2], /^from=[23]&limit=[12]$/);
});

test("what has one answer is asked for as the server has it, and a refusal is thrown", async () => {
  const answer = (content, status = 200) => ({ status, body: JSON.stringify(content) });
  sessions.faults = [
    answer({ sessions: [], next: null }),
    answer({ session: "s1", title: "One" }),
    answer({ session: "s2", at: 5 }, 201),
    answer({ queue: [{ id: "a/b", text: "Hi", mode: "queue" }] }),
    answer({ withdrawn: true }),
    answer({ type: "busy", message: "A turn is running.", status: 409 }, 409),
  ];
  assert.deepEqual(await agentSessions("demo", { base, cursor: "c", limit: 5 }), { sessions: [], next: null });
  assert.equal(await session().rename("One"), "One");
  assert.deepEqual(await session().fork({ at: 7 }), { session: "s2", at: 5 });
  assert.deepEqual(await session().queue(), [{ id: "a/b", text: "Hi", mode: "queue" }]);
  assert.equal(await session().withdraw("a/b"), true);
  await assert.rejects(session().delete(), { type: "busy", status: 409 });
  assert.deepEqual(
    sessions.requests.map(({ method, url, body, headers }) => [method, url, body, headers["x-litro-agent"]]),
    [
      ["GET", "/__litro/agent/demo?cursor=c&limit=5", "", undefined],
      ["PATCH", "/__litro/agent/demo/s1", '{"title":"One"}', "1"],
      ["POST", "/__litro/agent/demo/s1/fork", '{"at":7}', "1"],
      ["GET", "/__litro/agent/demo/s1/queue", "", undefined],
      ["DELETE", "/__litro/agent/demo/s1/queue/a%2Fb", "", "1"],
      ["DELETE", "/__litro/agent/demo/s1", "", "1"],
    ],
  );
});
