// node lit_in_node.mjs LIT: prints, as JSON, what Lit's own tagged templates of lit_cases.mjs render to with npm's @lit-labs/ssr.
// It imports from js/node_modules alone: nothing of Litro's.

import { pathToFileURL } from "node:url";
import { readFileSync } from "node:fs";

const [, , modules, components] = process.argv;
const at = (name) => import(pathToFileURL(`${modules}/node_modules/${name}`).href);

await at("@lit-labs/ssr/lib/install-global-dom-shim.js");
const lit = await at("lit/index.js");
const { repeat } = await at("lit/directives/repeat.js");
const { classMap } = await at("lit/directives/class-map.js");
const { styleMap } = await at("lit/directives/style-map.js");
const { ifDefined } = await at("lit/directives/if-defined.js");
const { render } = await at("@lit-labs/ssr/index.js");
const { collectResultSync } = await at("@lit-labs/ssr/lib/render-result.js");

const source = readFileSync(components, "utf8").replace(/^import .*$/gm, "");
new Function("LitElement", "html", "css", "nothing", "repeat", "classMap", "styleMap", "ifDefined", source)(
  lit.LitElement, lit.html, lit.css, lit.nothing, repeat, classMap, styleMap, ifDefined,
);

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
/** @type {{ literal: string, values: Record<string, unknown> }[]} */
const cases = JSON.parse(Buffer.concat(chunks).toString());
const html = cases.map(({ literal, values }) => {
  const names = Object.keys(values);
  const template = new Function("html", ...names, `return html\`${literal}\`;`)(lit.html, ...Object.values(values));
  return collectResultSync(render(template));
});
process.stdout.write(JSON.stringify(html));
