/** What is known of a list of sessions that changes while it is read. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { Pages, matches } from "../../src/litro/assets/chat/pages.js";

/** Sessions as the server lists them, `count` at first. */
function listed(count, size = 50) {
  const sessions = Array.from({ length: count }, (_, at) => ({ session: `s${at}`, title: `T${at}`, updated: at, running: null }));
  const read = async (cursor) => {
    const all = sessions.toSorted((one, other) => other.updated - one.updated).filter(({ updated }) => !cursor || updated < Number(cursor));
    return { sessions: all.slice(0, size), next: all.length > size ? String(all[size - 1].updated) : null };
  };
  return { sessions, pages: new Pages(read) };
}

const ids = (pages) => pages.sessions.map(({ session }) => session);

test("a thousand sessions are read page by page, the last updated first", async () => {
  const { pages } = listed(1000);
  let reads = 0;
  for (; !pages.isWhole; reads++) await pages.more();
  assert.equal(reads, 20);
  assert.equal(ids(pages).length, 1000);
  assert.deepEqual([ids(pages)[0], ids(pages).at(-1)], ["s999", "s0"]);
});

test("what has changed is in the first page, and what is missing there is gone", async () => {
  const { sessions, pages } = listed(120);
  await pages.more();
  await pages.more();
  Object.assign(sessions[80], { updated: 500, title: "New", running: 3 });
  sessions.splice(110, 1);
  sessions.splice(75, 1);
  await pages.refresh();
  assert.equal(ids(pages)[0], "s80");
  assert.equal(pages.isAnyRunning, true);
  assert.equal(ids(pages).includes("s110"), false);
  while (!pages.isWhole) await pages.more();
  assert.equal(ids(pages).length, new Set(ids(pages)).size);
});

test("what was deleted here does not come back with a page that was on its way", async () => {
  const { pages } = listed(3);
  await pages.more();
  pages.delete("s1");
  await pages.refresh();
  assert.deepEqual(ids(pages), ["s2", "s0"]);
  pages.rename("s0", "Other");
  assert.equal(pages.sessions.at(-1).title, "Other");
});

test("titles are searched by words, in any case and with any accents", () => {
  assert.equal(matches("Café in São Paulo", "sao CAFE"), true);
  assert.equal(matches("Café in São Paulo", "cafe rio"), false);
});
