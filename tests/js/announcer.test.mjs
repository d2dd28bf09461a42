/** What a screen reader hears of an answer. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { spoken } from "../../src/litro/assets/chat/announcer.js";
import { ENGLISH, duration } from "../../src/litro/assets/chat/texts.js";

test("Markdown is read without its marks", () => {
  const lines = {
    "## The *best* day": "The best day",
    "- **Lisbon**: 23 °C": "Lisbon: 23 °C",
    "See [the page](https://a.example/b).": "See the page.",
    "![A chart](x.png)": "A chart",
    "> `get-weather` is done": "get-weather is done",
    "|---|:-:|": "",
    "snake_case_name and 2 * 3 * 4": "snake_case_name and 2 * 3 * 4",
  };
  for (const [line, words] of Object.entries(lines)) assert.equal(spoken(line), words);
});

test("a duration is as exact as anybody wants to know", () => {
  const told = [0, 40, 260, 3210, 12_400, 59_700, 125_000].map((ms) => duration(ms, ENGLISH));
  assert.deepEqual(told, ["0.1 s", "0.1 s", "0.3 s", "3.2 s", "12 s", "60 s", "2 min 5 s"]);
});
