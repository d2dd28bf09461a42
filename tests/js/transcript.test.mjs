/** What a session's events say: whole, in pieces, from the middle, and with what waits. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { Transcript } from "../../src/litro/assets/chat/transcript.js";

/** Events of one session, by turn; `at` gives them their seqs. */
function session() {
  let seq = 0;
  const events = [];
  const add = (turn, kind, payload, more = {}) => events.push({ seq: ++seq, ts: seq * 1000, turn, kind, payload, ...more });
  return { events, add };
}

/** A turn with reasoning, two calls and two rounds. */
function addTurn({ add }, turn) {
  const round = (number, call) => ({ round: number, ...(call ? { call: `t${turn}c${call}` } : {}) });
  add(turn, "turn-start", { trigger: "message", message: `m${turn}` });
  add(turn, "message", { id: `m${turn}`, role: "user", text: "Weather?" });
  add(turn, "reasoning-delta", { text: "Let me " }, round(1));
  add(turn, "reasoning-delta", { text: "think." }, round(1));
  add(turn, "text-delta", { text: "I " }, round(1));
  add(turn, "text-delta", { text: "look." }, round(1));
  add(turn, "message", { id: `t${turn}r1`, role: "assistant", text: "I look.", calls: [], stop: "tools" }, round(1));
  add(turn, "tool-call", { name: "get-weather", input: { city: "Lisbon" } }, round(1, 1));
  add(turn, "tool-call", { name: "break-it", input: {} }, round(1, 2));
  add(turn, "tool-start", {}, round(1, 1));
  add(turn, "tool-start", {}, round(1, 2));
  add(turn, "tool-progress", { done: 1, total: 2 }, round(1, 1));
  add(turn, "tool-error", { type: "failed", message: "It is broken." }, round(1, 2));
  add(turn, "ui", { type: "ui", html: "<b>23</b>", data: { c: 23 } }, round(1, 1));
  add(turn, "usage", { input_tokens: 1 }, round(1));
  add(turn, "text-delta", { text: "23 °C." }, round(2));
  add(turn, "message", { id: `t${turn}r2`, role: "assistant", text: "23 °C.", stop: "end" }, round(2));
  add(turn, "turn-end", { status: "completed" });
}

const take = (events, transcript = new Transcript()) => {
  for (const event of events) transcript.take(event);
  return transcript;
};

test("a turn is its items, in the order in which they began", () => {
  const log = session();
  addTurn(log, 1);
  const [turn] = take(log.events).turns;
  assert.deepEqual(turn.items.map(({ kind }) => kind), ["said", "reasoning", "text", "call", "call", "card", "text"]);
  const [, reasoning, text, weather, broken, card] = turn.items;
  assert.deepEqual([reasoning.text, reasoning.ended - reasoning.began], ["Let me think.", 2000]);
  assert.deepEqual([text.text, text.isDone], ["I look.", true]);
  assert.deepEqual([weather.state, weather.output, weather.ended - weather.began], ["done", { c: 23 }, 4000]);
  assert.deepEqual([broken.state, broken.error.message], ["failed", "It is broken."]);
  assert.equal(card.result.html, "<b>23</b>");
  assert.equal(turn.status, "completed");
});

test("an event touches what it changes and nothing else", () => {
  const log = session();
  addTurn(log, 1);
  const transcript = new Transcript();
  const touched = log.events.map((event) => transcript.take(event).items.map(({ kind }) => kind));
  assert.deepEqual(touched.slice(0, 8), [[], ["said"], ["reasoning"], ["reasoning"], ["reasoning", "text"], ["text"], ["text"], ["call"]]);
  assert.deepEqual(touched.slice(11), [["call"], ["call"], ["call", "card"], [], ["text"], ["text"], []]);
});

test("without its deltas a round's text is its message's", () => {
  const log = session();
  addTurn(log, 1);
  const [whole] = take(log.events).turns;
  const [turn] = take(log.events.filter(({ kind }) => kind !== "text-delta")).turns;
  assert.deepEqual(turn.items.map(({ text }) => text), whole.items.map(({ text }) => text));
});

test("an event that was seen before changes nothing", () => {
  const log = session();
  addTurn(log, 1);
  const transcript = take(log.events);
  const before = JSON.stringify(transcript);
  take(log.events.slice(3), transcript);
  assert.equal(JSON.stringify(transcript), before);
});

test("read from any seq, and older pages after it, it is the same as read whole", () => {
  const log = session();
  for (let turn = 1; turn <= 3; turn++) addTurn(log, turn);
  const whole = JSON.stringify(take(log.events).turns);
  for (let from = 1; from <= log.events.length; from++) {
    for (const page of [1, 7, 20]) {
      const transcript = take(log.events.slice(from - 1));
      while (transcript.first > 1) {
        const start = Math.max(1, transcript.first - page);
        transcript.takeOlder(log.events.slice(start - 1, transcript.first - 1), start);
      }
      assert.equal(JSON.stringify(transcript.turns), whole, `from ${from}, in pages of ${page}`);
    }
  }
});

test("a turn whose beginning is read later goes on where it was", () => {
  const log = session();
  addTurn(log, 1);
  const transcript = take(log.events.slice(5, 12));
  assert.equal(transcript.isHeadless, true);
  assert.equal(transcript.takeOlder(log.events.slice(0, 5), 1).length, 1);
  assert.equal(transcript.isHeadless, false);
  take(log.events.slice(12), transcript);
  assert.equal(JSON.stringify(transcript.turns), JSON.stringify(take(log.events).turns));
});

test("a message waits until it starts, joins a turn, or is withdrawn", () => {
  const { events, add } = session();
  add(1, "turn-start", { trigger: "message", message: "m1" });
  add(1, "message", { id: "m1", role: "user", text: "One" });
  for (const id of ["m2", "m3", "m4"]) add(1, "queued", { id, text: id, mode: "queue" });
  const transcript = take(events);
  const waiting = () => [...transcript.waiting.keys()];
  assert.deepEqual(waiting(), ["m2", "m3", "m4"]);
  add(1, "queued", { id: "m2", text: "m2", mode: "queue" });
  add(1, "withdrawn", { id: "m3" });
  add(1, "message", { id: "m4", role: "user", text: "m4" }, { round: 2 });
  take(events, transcript);
  assert.deepEqual(waiting(), ["m2"]);
  add(1, "turn-end", { status: "completed" });
  add(2, "turn-start", { trigger: "message", message: "m2" });
  assert.deepEqual(transcript.take(events.at(-2)).waiting, false);
  assert.deepEqual(transcript.take(events.at(-1)).waiting, true);
  assert.deepEqual(waiting(), []);
});

test("whatever ends a turn ends what was open in it", () => {
  const { events, add } = session();
  add(1, "turn-start", { trigger: "message", message: "m1" });
  add(1, "reasoning-delta", { text: "Hm" }, { round: 1 });
  add(1, "text-delta", { text: "So" }, { round: 2 });
  const transcript = take(events);
  assert.equal(transcript.running?.number, 1);
  add(1, "error", { type: "provider", message: "It broke." });
  add(1, "turn-end", { status: "failed" });
  take(events, transcript);
  const [reasoning, text, fault] = transcript.turns[0].items;
  assert.deepEqual([reasoning.ended, text.isDone, fault.error.message], [5000, true, "It broke."]);
  assert.equal(transcript.running, null);
});

test("kinds and statuses that are not known are skipped, and ended", () => {
  const { events, add } = session();
  add(1, "turn-start", { trigger: "message", message: "m1" });
  add(1, "weather-forecast", { text: "?" });
  add(1, "turn-end", { status: "evaporated" });
  const transcript = take(events);
  assert.deepEqual(transcript.turns[0].items, []);
  assert.equal(transcript.running, null);
});
