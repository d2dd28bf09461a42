// FAST components' templates: the HTML file of the same stem beside a module holds its <f-template>s.

import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, extname } from "node:path";

/** @typedef {import("./load.mjs").FastTemplate} FastTemplate */
/** @typedef {FastTemplate & { name: string | null }} Parsed */

const { parse_f_templates } = createRequire(import.meta.url)("../vendor/fast/microsoft_fast_build.cjs");

const NAMESPACE = "f-templates";

/** As js/shims/fast-hydration.js knows it. */
const DIGEST = "data-litro-template";

/**
 * A component's templates, by tag; null where it is no FAST component.
 *
 * @param {string} file The component's module.
 * @returns {Record<string, FastTemplate> | null}
 */
export function templatesOf(file) {
  const html = htmlOf(file);
  if (!existsSync(html)) return null;
  /** @type {Parsed[]} */
  const parsed = JSON.parse(parse_f_templates(readFileSync(html, "utf8")));
  const named = parsed.flatMap(({ name, ...template }) => (name ? [[name, withDigest(template)]] : []));
  return named.length ? Object.fromEntries(named) : null;
}

/**
 * What is rendered carries the digest, so that the browser knows markup that is older than the component.
 * @param {FastTemplate} template
 */
function withDigest(template) {
  const value = createHash("sha256").update(JSON.stringify(template)).digest("hex").slice(0, 12);
  return { ...template, hostAttributes: [...(template.hostAttributes ?? []), { name: DIGEST, value }] };
}

/**
 * For browsers: a module brings its templates into the page, where FAST looks for them, once however often it is loaded; and the
 * components that they name, which the server renders whether or not the module imports them.
 *
 * @param {ReadonlyMap<string, Record<string, FastTemplate>>} modules The FAST components' templates, by module.
 * @returns {import("esbuild").Plugin}
 */
export function bringingTemplates(modules) {
  return {
    name: NAMESPACE,
    setup(build) {
      build.onLoad({ filter: anyOf(modules.keys()), namespace: "file" }, ({ path }) => {
        // Behind what is there, so that its lines keep their numbers; imports are evaluated first all the same.
        const contents = `${readFileSync(path, "utf8")}\nimport ${JSON.stringify(`${NAMESPACE}:${path}`)};\n`;
        return { contents, loader: /ts$/.test(path) ? "ts" : "js", watchFiles: [htmlOf(path)] };
      });
      build.onResolve({ filter: new RegExp(`^${NAMESPACE}:`) }, ({ path }) => ({
        path: path.slice(NAMESPACE.length + 1),
        namespace: NAMESPACE,
        sideEffects: true,
      }));
      build.onLoad({ filter: /./, namespace: NAMESPACE }, ({ path }) => ({
        contents: named(path, modules).map((file) => `import ${JSON.stringify(file)};\n`).join("") + bringing(htmlOf(path), modules.get(path) ?? {}),
        resolveDir: dirname(path),
      }));
    },
  };
}

/**
 * As the bundler tests it, which is another process: every question less is a round trip less.
 * @param {Iterable<string>} paths
 */
function anyOf(paths) {
  const literal = (/** @type {string} */ path) => path.replace(/[^\w\u0080-\uffff]/g, "\\$&");
  return new RegExp(`^(?:${[...paths].map(literal).join("|") || "\\0"})$`);
}

/**
 * Whether a template names a component.
 * @type {(template: FastTemplate, tag: string) => boolean}
 */
export function names({ content }, tag) {
  return content.toLowerCase().split(`<${tag}`).slice(1).some((rest) => /^[\s/>]/.test(rest));
}

/**
 * The other modules whose components a module's templates name.
 * @type {(path: string, modules: ReadonlyMap<string, Record<string, FastTemplate>>) => string[]}
 */
function named(path, modules) {
  const own = Object.values(modules.get(path) ?? {});
  const isNamed = (/** @type {string} */ tag) => own.some((template) => names(template, tag));
  return [...modules].flatMap(([file, templates]) => (file !== path && Object.keys(templates).some(isNamed) ? [file] : []));
}

/** @param {string} file */
function htmlOf(file) {
  return file.slice(0, -extname(file).length) + ".html";
}

/**
 * @param {string} file
 * @param {Record<string, FastTemplate>} templates
 */
function bringing(file, templates) {
  const html = JSON.stringify(readFileSync(file, "utf8"));
  const digests = JSON.stringify(Object.fromEntries(Object.entries(templates).map(([tag, { hostAttributes }]) => [tag, hostAttributes?.at(-1)?.value])));
  return `const { content } = Object.assign(document.createElement("template"), { innerHTML: ${html} });
for (const [tag, digest] of Object.entries(${digests})) {
  const find = (scope) => scope.querySelector(\`f-template[name="\${CSS.escape(tag)}"]\`);
  if (find(document)) continue;
  const template = find(content);
  template.setAttribute("${DIGEST}", digest);
  document.head.append(template);
}
`;
}
