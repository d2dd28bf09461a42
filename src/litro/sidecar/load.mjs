// Loads components: each registers its tags. One that fails is told with its stack; the others count.

import { pathToFileURL } from "node:url";

import { vendored } from "./vendored.mjs";

/** Which module registered each tag. @type {Record<string, string>} */
export const tags = {};

/** FAST components' templates, by tag. @type {Map<string, FastTemplate>} */
export const fastTemplates = new Map();

/** @typedef {{ name: string, value: string | null }} Attribute */
/** @typedef {{ content: string, shadowrootAttributes?: Attribute[], hostAttributes?: Attribute[] }} FastTemplate What an <f-template> holds. */
/**
 * @typedef {object} Module
 * @property {string} name
 * @property {string} [file] What a Lit component was built to.
 * @property {Record<string, FastTemplate>} [templates] A FAST component's templates, by tag.
 */

/** @param {{ modules: Module[] }} request */
export async function answer({ modules }) {
  // Before any component: their classes extend its HTMLElement.
  await vendored("@lit-labs/ssr/lib/install-global-dom-shim.js");
  const failed = [];
  for (const module of modules) {
    try {
      await loaded(module);
    } catch (error) {
      const { message, stack } = error instanceof Error ? error : new Error(String(error));
      failed.push({ name: module.name, message, stack: String(stack) });
    }
  }
  return { ok: true, tags, failed };
}

/** @param {Module} module */
async function loaded({ name, file, templates = {} }) {
  for (const [tag, template] of Object.entries(templates)) {
    refuseTaken(tag, name);
    fastTemplates.set(tag, template);
    tags[tag] = name;
  }
  if (file === undefined) return;
  const registry = globalThis.customElements;
  const define = registry.define;
  registry.define = (tag, constructor, options) => {
    refuseTaken(tag, name);
    define.call(registry, tag, constructor, options);
    tags[tag] = name;
  };
  try {
    await import(pathToFileURL(file).href);
  } finally {
    registry.define = define;
  }
}

/**
 * @param {string} tag
 * @param {string} name
 */
function refuseTaken(tag, name) {
  const by = Object.hasOwn(tags, tag) ? tags[tag] : undefined;
  if (by === name) throw new Error(`<${tag}> is registered twice, so one registration is required`);
  if (by !== undefined) throw new Error(`<${tag}> is registered by ${by} already, so another tag is required`);
}
