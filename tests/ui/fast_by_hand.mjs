// What @microsoft/fast-build prints by hand: reads {templates, cases: [[entry, state]]} from standard input, answers a list.

import { createRequire } from "node:module";
import { text } from "node:stream/consumers";

const { render_entry_with_templates: render } = createRequire(import.meta.url)("../../src/litro/vendor/fast/microsoft_fast_build.cjs");
const { templates, cases } = JSON.parse(await text(process.stdin));
const all = JSON.stringify(templates);
console.log(JSON.stringify(cases.map(([entry, state]) => render(entry, all, JSON.stringify(state)))));
