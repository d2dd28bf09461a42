// @ts-check
/**
 * Server-rendered components in the page: a UI result is put into it, or a page's own are woken up.
 *
 * Properties are set before a component wakes up, so that it takes over the nodes that were sent. It is no renderer: what a
 * component makes of its properties, and of markup that is older than the component, is its runtime's business.
 */

/** @typedef {{props?: Record<string, unknown>, modules?: string[]}} Hydration */
/** @typedef {{html: string, data?: unknown, hydrate?: Hydration | null}} UIResult */

/** A page's component, with its properties and modules as JSON. */
const PAGE = "data-litro-hydrate";

/** A component beside the root, with its properties as JSON. */
const PROPS = "data-litro-props";

/** Lit renders nothing while it is there. */
const DEFERRED = "defer-hydration";

/** Where components are, below the mount. */
const COMPONENTS = "__litro/components/";

/** Properties that would make markup of a value, or break the element. */
const NEVER = new Set([
  ...["__proto__", "constructor", "prototype", "innerHTML", "outerHTML", "innerText", "outerText", "textContent", "nodeValue"],
  ...["srcdoc", "nonce", "contentEditable"],
]);

/** What has been warned of. @type {Set<string>} */
const told = new Set();

/**
 * Puts a UI result into `host`, in place of what is there; answers its root element, null where it has none.
 *
 * It is parsed in an inert document and gets its properties there: a component wakes up in the page with everything that it
 * needs, and keeps the nodes that were sent. What cannot be loaded is warned of in the console; the markup stands.
 *
 * @param {Element} host
 * @param {UIResult} result
 * @param {{base?: string | URL}} [options]
 */
export async function hydrateUIResult(host, { html, hydrate }, { base } = {}) {
  const { props = {}, modules = [] } = hydrate ?? {};
  const box = host.ownerDocument.implementation.createHTMLDocument("").createElement("div");
  if ("setHTMLUnsafe" in box) box.setHTMLUnsafe(html);
  else {
    /** @type {Element} */ (box).innerHTML = html;
    attachShadowRoots(box);
  }
  const root = box.firstElementChild;
  if (root) setProps(root, props);
  wake(box);
  const wanted = unlessDefined(box, modules);
  host.replaceChildren(...box.childNodes);
  await load(wanted, mount(base));
  return root;
}

/**
 * Wakes up the components that the server rendered into a page, or into a part of it. `client.js` does so for the page that loads it.
 *
 * @param {Document | DocumentFragment | Element} [root]
 * @param {{base?: string | URL}} [options]
 */
export async function hydratePage(root = document, { base } = {}) {
  const modules = wakePage(root);
  const from = mount(base);
  await load(modules, from, new URL(COMPONENTS, from).href);
}

/**
 * The half of `hydratePage` that loads nothing: for a page that brings its components along, and calls this before it registers
 * them. Answers the modules that are wanted.
 *
 * @param {Document | DocumentFragment | Element} [root]
 * @returns {string[]}
 */
export function wakePage(root = document) {
  const modules = new Set();
  for (const element of root.querySelectorAll(`[${PAGE}]`)) {
    const { props, modules: names } = taken(element, PAGE);
    const scope = element.parentElement ?? root;
    for (const name of unlessDefined(scope, names)) modules.add(name);
    setProps(element, Object(props));
    // Those beside it came with it: a template may have several components and one root.
    wake(scope);
  }
  return [...modules];
}

/**
 * Litro's mount, with a slash at its end.
 * @param {string | URL} [base]
 */
export function mount(base) {
  const own = new URL("..", import.meta.url);
  return base === undefined ? own : new URL(`${base}/`.replace(/\/+$/, "/"), globalThis.document?.baseURI ?? own);
}

/**
 * Gives components their properties and lets them render. Those in a shadow root are its component's business.
 * @param {Document | DocumentFragment | Element} scope
 */
function wake(scope) {
  for (const element of scope.querySelectorAll(`[${PROPS}]`)) setProps(element, taken(element, PROPS));
  for (const element of scope.querySelectorAll(`[${DEFERRED}]`)) element.removeAttribute(DEFERRED);
}

/**
 * The object that an attribute holds as JSON. The attribute is gone then.
 * @param {Element} element
 * @param {string} attribute
 * @returns {Record<string, unknown>}
 */
function taken(element, attribute) {
  const text = element.getAttribute(attribute) ?? "";
  element.removeAttribute(attribute);
  try {
    return Object(JSON.parse(text));
  } catch {
    warn(`<${element.localName}> has no JSON in ${attribute}, so it gets no properties.`);
    return {};
  }
}

/** @type {(element: Element, props: Record<string, unknown>) => void} */
function setProps(element, props) {
  const isWaiting = element.localName.includes("-") && !element.matches(":defined");
  const isNative = (/** @type {string} */ name) => name in HTMLElement.prototype;
  for (const [name, value] of Object.entries(props)) {
    if (NEVER.has(name) || typeof Reflect.get(element, name) === "function" || runs(element, value)) continue;
    // As its own property, it is found by the component's class, whatever elements in general do with a property of this name.
    if (isWaiting) Object.defineProperty(element, name, { value, writable: true, enumerable: true, configurable: true });
    else set(element, name, value);
  }
  const handed = () => hand(element, props);
  // A name that no component can have, such as <font-face>, is told of by nobody.
  if (isWaiting && Object.keys(props).some(isNative)) customElements.whenDefined(element.localName).then(handed, () => {});
}

/**
 * Hands to the element what its component's class did not want.
 * @type {(element: Element, props: Record<string, unknown>) => void}
 */
function hand(element, props) {
  for (const name of Object.keys(props)) {
    if (!Object.hasOwn(element, name)) continue;
    const value = Reflect.get(element, name);
    Reflect.deleteProperty(element, name);
    set(element, name, value);
  }
}

/** @type {(element: Element, name: string, value: unknown) => void} */
function set(element, name, value) {
  try {
    Reflect.set(element, name, value);
  } catch (error) {
    warn(`${name} of <${element.localName}> was not set. ${error}`);
  }
}

/**
 * Whether a link or a form of the page's would run it as a script.
 * @type {(element: Element, value: unknown) => boolean}
 */
function runs(element, value) {
  if (element.localName.includes("-") || typeof value !== "string" || !URL.canParse(value)) return false;
  return new URL(value).protocol === "javascript:";
}

/**
 * The modules, less those of components where the page has all that `scope` needs: of another app on the page, a component of the
 * same name is another module, and a name is registered once.
 *
 * @param {Document | DocumentFragment | Element} scope
 * @param {unknown} modules
 * @returns {unknown[]}
 */
function unlessDefined(scope, modules) {
  const names = Array.isArray(modules) ? modules : [];
  const tags = [...customTags(scope)];
  if (!tags.length || !tags.every((tag) => customElements.get(tag))) return names;
  return names.filter((name) => !String(name).replace(/^\/+/, "").startsWith(COMPONENTS));
}

/**
 * @param {Document | DocumentFragment | Element} scope
 * @returns {Generator<string>}
 */
function* customTags(scope) {
  for (const { localName, shadowRoot } of scope.querySelectorAll("*")) {
    if (localName.includes("-")) yield localName;
    if (shadowRoot) yield* customTags(shadowRoot);
  }
}

/**
 * Imports modules that are below `from`, where `only` is by default everything. What fails is warned of.
 * @type {(names: unknown[], from: URL, only?: string) => Promise<void>}
 */
async function load(names, from, only = from.href) {
  const one = async (/** @type {unknown} */ name) => {
    try {
      await import(moduleUrl(name, from, only));
    } catch (error) {
      warn(`${JSON.stringify(name)} was not loaded, so its component only shows what the server rendered. ${error}`);
    }
  };
  await Promise.all(names.map(one));
}

/**
 * A component's module: its name is below the mount, wherever that is today.
 * @type {(name: unknown, from: URL, only: string) => string}
 */
function moduleUrl(name, from, only) {
  const { href } = new URL(String(name).replace(/^\/+/, ""), from);
  if (href.startsWith(only)) return href;
  throw new Error(`It is not below ${only}.`);
}

/** @param {string} what */
function warn(what) {
  if (told.has(what)) return;
  told.add(what);
  console.warn(`Litro: ${what}`);
}

/**
 * What the parser does with declarative shadow roots: for browsers without `setHTMLUnsafe`, and for documents that somebody has written
 * with what leaves the roots alone.
 * @param {Document | DocumentFragment | Element} scope
 */
export function attachShadowRoots(scope) {
  for (const template of scope.querySelectorAll("template")) {
    attachShadowRoots(template.content);
    const mode = /** @type {ShadowRootMode | null} */ (template.getAttribute("shadowrootmode"));
    const delegatesFocus = template.hasAttribute("shadowrootdelegatesfocus");
    try {
      if (!mode || !template.parentElement) continue;
      template.parentElement.attachShadow({ mode, delegatesFocus }).append(template.content);
      template.remove();
    } catch {
      // No host for a shadow root, or one that has its own: a template like any other, as it is to the parser.
    }
  }
}
