// The bare contestant of bench/render.py: @lit-labs/ssr in a loop, as its makers show it, in a process that does nothing else.
//
// node bare_ssr.mjs VENDOR MODULE ROWS: a line "card N" or "table N" on stdin renders N times and answers the milliseconds of each as JSON.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [vendor, components, rowsFile] = process.argv.slice(2);
const server = pathToFileURL(`${vendor}/server/`);
const map = JSON.parse(readFileSync(new URL("map.json", server), "utf8"));
const vendored = (specifier) => import(new URL(map[specifier], server).href);

await vendored("@lit-labs/ssr/lib/install-global-dom-shim.js");
const { html } = await vendored("lit");
const { render } = await vendored("@lit-labs/ssr");
const { collectResultSync } = await vendored("@lit-labs/ssr/lib/render-result.js");
for (const file of JSON.parse(components)) await import(pathToFileURL(file).href);

const rows = JSON.parse(readFileSync(rowsFile, "utf8"));
const templates = {
  card: (n) => html`<bench-card .city=${`Lisbon ${n}`} .tempC=${21.5} .summary=${"mild & dry"}></bench-card>`,
  table: (n) => html`<bench-table .caption=${`Prices ${n}`} .rows=${rows}></bench-table>`,
};

console.log("ready");
for await (const line of createInterface({ input: process.stdin })) {
  const [name, count] = line.split(" ");
  const taken = [];
  let length = 0;
  for (let n = 0; n < Number(count); n++) {
    const begin = performance.now();
    length = collectResultSync(render(templates[name](n))).length;
    taken.push(performance.now() - begin);
  }
  console.log(JSON.stringify({ taken, length }));
}
