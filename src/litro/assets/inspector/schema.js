// @ts-check
/** JSON Schema as far as a form needs it: what a schema leads to, which kind of field it is, and what a field begins with. It is pure. */

/** @typedef {Record<string, any>} Schema */
/** @typedef {"fixed" | "choice" | "boolean" | "integer" | "number" | "string" | "array" | "object" | "null" | "variants" | "any"} Kind */

/**
 * The schema without references. What stands beside a reference stays, such as a description.
 * @type {(schema: Schema | boolean | undefined, root: Schema) => Schema}
 */
export function resolved(schema, root) {
  let found = typeof schema === "object" && schema !== null ? schema : {};
  for (let steps = 0; steps < 32; steps += 1) {
    const { $ref, allOf, anyOf, oneOf } = found;
    const only = (anyOf ?? oneOf)?.length === 1 ? (anyOf ?? oneOf)[0] : null;
    if (typeof $ref === "string") found = { ...target($ref, root), ...without(found, "$ref") };
    else if (Array.isArray(allOf)) found = merged([...allOf.map((one) => resolved(one, root)), without(found, "allOf")]);
    else if (only) found = { ...only, ...without(without(found, "anyOf"), "oneOf") };
    else return found;
  }
  return {};
}

/** @type {(schema: Schema, name: string) => Schema} */
function without(schema, name) {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== name));
}

/** Schemas that all hold, as one: what each of them requires is required. @param {Schema[]} schemas */
function merged(schemas) {
  const properties = Object.assign({}, ...schemas.map((one) => one.properties));
  const required = [...new Set(schemas.flatMap((one) => one.required ?? []))];
  const both = Object.keys(properties).length ? { properties, required } : {};
  return Object.assign({}, ...schemas, both);
}

/** @type {(reference: string, root: Schema) => Schema} */
function target(reference, root) {
  if (!reference.startsWith("#")) return {};
  const steps = reference.slice(1).split("/").filter(Boolean).map((step) => decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~"));
  return Object(steps.reduce((at, step) => at?.[step], /** @type {any} */ (root)));
}

/** @param {Schema} schema @returns {Kind} */
export function kindOf(schema) {
  if ("const" in schema) return "fixed";
  if (Array.isArray(schema.enum)) return "choice";
  if (variantsOf(schema).length > 1) return "variants";
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  const known = ["boolean", "integer", "number", "string", "array", "object", "null"];
  if (type === "object" || (!type && schema.properties)) return schema.properties || typeof schema.additionalProperties === "object" ? "object" : "any";
  return known.includes(type) ? type : "any";
}

/** @param {Schema} schema @returns {Schema[]} */
export function variantsOf(schema) {
  const { anyOf, oneOf, type, ...rest } = schema;
  if (Array.isArray(anyOf ?? oneOf)) return anyOf ?? oneOf;
  return Array.isArray(type) ? type.map((one) => ({ ...rest, type: one })) : [];
}

/** What a variant is called. @type {(schema: Schema, root: Schema) => string} */
export function nameOf(schema, root) {
  const found = resolved(schema, root);
  const name = typeof schema.$ref === "string" ? schema.$ref.split("/").at(-1) : found.title;
  if (name) return name;
  return "const" in found ? JSON.stringify(found.const) : kindOf(found);
}

/** What a value is, in a word or a few. @type {(schema: Schema, root: Schema) => string} */
export function typeOf(schema, root) {
  const kind = kindOf(schema);
  if (kind === "variants") return variantsOf(schema).map((variant) => nameOf(variant, root)).join(" | ");
  return kind === "choice" ? "one of" : kind === "any" ? "any JSON" : kind;
}

/** What may be typed, in brief. @param {Schema} schema */
export function limitsOf(schema) {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, minLength, maxLength, minItems, maxItems, pattern, format } = schema;
  /** @type {[string, unknown][]} */
  const told = [["≥ ", minimum], ["> ", exclusiveMinimum], ["≤ ", maximum], ["< ", exclusiveMaximum], ["", format]];
  const words = told.filter(([, value]) => value !== undefined).map(([mark, value]) => `${mark}${value}`);
  if (minLength !== undefined || maxLength !== undefined) words.push(`${minLength ?? 0} to ${maxLength ?? "any number of"} characters`);
  if (minItems !== undefined || maxItems !== undefined) words.push(`${minItems ?? 0} to ${maxItems ?? "any number of"} items`);
  if (pattern !== undefined) words.push(`like ${pattern}`);
  return words.join(", ");
}

/** Whether the value may have been typed into a field of this schema. @type {(value: unknown, schema: Schema, root: Schema) => boolean} */
export function fits(value, schema, root) {
  const found = resolved(schema, root);
  const kind = kindOf(found);
  if (kind === "fixed") return JSON.stringify(found.const) === JSON.stringify(value);
  if (kind === "choice") return found.enum.some((/** @type {unknown} */ one) => JSON.stringify(one) === JSON.stringify(value));
  if (kind === "variants") return variantsOf(found).some((variant) => fits(value, variant, root));
  if (kind === "integer") return Number.isInteger(value);
  if (kind === "array") return Array.isArray(value);
  if (kind === "null") return value === null;
  if (kind === "object") return typeof value === "object" && value !== null && !Array.isArray(value) && hasRequired(value, found, root);
  return kind === "any" || typeof value === kind;
}

/** What tells one object from another: what it must have, and fixed words in it. @type {(value: object, schema: Schema, root: Schema) => boolean} */
function hasRequired(value, { required = [], properties = {} }, root) {
  return required.every((/** @type {string} */ name) => name in value) && Object.entries(properties).every(([name, schema]) => {
    const found = resolved(schema, root);
    return !("const" in found && name in value) || found.const === Reflect.get(value, name);
  });
}

/** What a field begins with. @type {(schema: Schema, root: Schema) => unknown} */
export function startOf(schema, root) {
  const found = resolved(schema, root);
  if ("default" in found) return found.default;
  const kind = kindOf(found);
  if (kind === "fixed") return found.const;
  if (kind === "choice") return found.enum[0];
  if (kind === "variants") return startOf(variantsOf(found)[0] ?? {}, root);
  if (kind === "object") return Object.fromEntries((found.required ?? []).map((/** @type {string} */ name) => [name, startOf(found.properties?.[name] ?? {}, root)]));
  if (kind === "array") return Array.from({ length: Math.min(found.minItems ?? 0, 20) }, (_, at) => startOf(itemOf(found, at), root));
  if (kind === "boolean") return false;
  return kind === "string" ? "" : kind === "null" ? null : undefined;
}

/** The schema of an array's item. @type {(schema: Schema, at: number) => Schema} */
export function itemOf({ prefixItems, items }, at) {
  return prefixItems?.[at] ?? (typeof items === "object" ? items : {});
}
