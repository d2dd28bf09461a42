// Renders a template with the adapter that is named.

const MAX_HTML = 2_000_000;

/** @type {Record<string, () => Promise<{ render: (template: any) => string }>>} */
const ADAPTERS = {
  lit: () => import("./lit.mjs"),
  fast: () => import("./fast.mjs"),
};

/** @param {{ adapter: string, template: unknown }} request */
export async function answer({ adapter, template }) {
  const imported = ADAPTERS[adapter];
  if (!imported) throw new RangeError(`there is no adapter ${JSON.stringify(adapter)}`);
  const html = (await imported()).render(template);
  if (html.length <= MAX_HTML) return { ok: true, html };
  const message = `it has ${html.length} characters of HTML, and ${MAX_HTML} are the most.`;
  return { ok: false, name: "TooLarge", message, stack: "" };
}
