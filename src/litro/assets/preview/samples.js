// A first value for a form, from a JSON Schema: what the schema itself suggests, else the emptiest thing that may fit.

/** @typedef {Record<string, any>} Schema */

const DEEPEST = 6;

/**
 * @param {unknown} schema
 * @returns {any}
 */
export function sampleOf(schema, depth = 0) {
  if (typeof schema !== "object" || schema === null || depth > DEEPEST) return null;
  const given = /** @type {Schema} */ (schema);
  const suggested = suggestedBy(given);
  if (suggested !== undefined) return suggested;
  const [other] = [...(given.anyOf ?? []), ...(given.oneOf ?? []), ...(given.allOf ?? [])].filter(
    (/** @type {Schema} */ one) => one?.type !== "null",
  );
  if (other !== undefined && given.properties === undefined) return sampleOf(other, depth + 1);
  return plain(given, depth);
}

/** @param {Schema} schema */
function suggestedBy(schema) {
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined && schema.default !== null) return schema.default;
  if (Array.isArray(schema.examples) && schema.examples.length > 0) return schema.examples[0];
  if (Array.isArray(schema.enum)) return schema.enum[0];
  // How people write an example where the schema has no word for it.
  const told = /e\.g\.:? ["“]([^"”]+)["”]/.exec(String(schema.description ?? ""));
  return told && typesOf(schema).includes("string") ? told[1] : undefined;
}

/**
 * @param {Schema} schema
 * @param {number} depth
 */
function plain(schema, depth) {
  const type = typesOf(schema).find((one) => one !== "null");
  if (type === "object" || schema.properties) return objectOf(schema, depth);
  if (type === "array") return Number(schema.minItems) > 0 ? [sampleOf(schema.items, depth + 1)] : [];
  if (type === "integer" || type === "number") return schema.minimum ?? 0;
  if (type === "boolean") return false;
  if (type !== "string") return null;
  return Number(schema.minLength) > 0 ? "text".padEnd(schema.minLength, ".").slice(0, schema.maxLength) : "";
}

/**
 * @param {Schema} schema
 * @param {number} depth
 */
function objectOf(schema, depth) {
  const required = new Set(schema.required ?? []);
  /** @type {Record<string, unknown>} */
  const made = {};
  for (const [name, of] of Object.entries(schema.properties ?? {})) {
    const suggested = suggestedBy(of ?? {});
    if (suggested !== undefined) made[name] = suggested;
    else if (required.has(name)) made[name] = sampleOf(of, depth + 1);
  }
  return made;
}

/**
 * @param {Schema} schema
 * @returns {string[]}
 */
function typesOf(schema) {
  return Array.isArray(schema.type) ? schema.type : [schema.type ?? ""];
}

/**
 * What a host that reads its model's arguments as they come would show of them: every state of the object that JSON cut off
 * anywhere can be mended to, a few of each text.
 * @param {Record<string, unknown>} whole
 * @returns {Record<string, unknown>[]}
 */
export function partsOf(whole) {
  /** @type {Record<string, unknown>[]} */
  const parts = [{}];
  /** @type {Record<string, unknown>} */
  let soFar = {};
  for (const [name, value] of Object.entries(whole)) {
    if (typeof value === "string" && value.length > 1) {
      parts.push({ ...soFar, [name]: value.slice(0, Math.ceil(value.length / 2)) });
    }
    soFar = { ...soFar, [name]: value };
    parts.push(soFar);
  }
  return parts;
}
