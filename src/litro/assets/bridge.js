// @ts-check
/**
 * The view's side of MCP Apps: it greets the host, puts what a tool was asked and answered into the card, and tells its height.
 *
 * The last script of a packed document, without a dependency. It listens to the parent frame alone, and makes markup of nothing
 * that it is sent. It is no renderer: what the card makes of its properties is the card's business.
 */
(() => {
  /** @typedef {Record<string, unknown>} Fields */
  /** @typedef {{type: string} & Fields} Block */
  /** @typedef {{content?: Block[], structuredContent?: unknown, isError?: boolean}} Result */
  /** @typedef {{timeoutMs?: number}} Options 0 waits for ever. */
  /** @typedef {{name?: string, version?: string, displayModes?: string[]}} App */
  /** @typedef {(element: Element, data: Fields) => void} Apply */
  /** @typedef {{resolve: (result: any) => void, reject: (error: Error) => void}} Pending */

  const TIMEOUT = 30_000;

  /** Beyond it, timers fire at once. */
  const LONGEST = 2 ** 31 - 1;

  /** How long listeners may hold up a host that waits to take the card away. */
  const LAST_WORDS = 1_000;

  const SIZE_PAUSE = 50;

  /** How many reports in a row may have nothing but the host's answer to the one before as their cause. */
  const MOST_ECHOES = 2;

  /** After it, the height that such a row ended at is told once more: a card that was growing meanwhile is done. */
  const SIZE_QUIET = 250;

  /** Names that would make markup or an address of a value, or break the element. */
  const NEVER = new Set(
    (
      "__proto__ constructor prototype innerHTML outerHTML innerText outerText textContent nodeValue insertAdjacentHTML " +
      "src srcset srcdoc href action formaction formAction style nonce contentEditable " +
      "contentWindow contentDocument ownerDocument attributes"
    ).split(" "),
  );

  /** @type {{__litroMcpApp?: App, litroMcpApply?: Apply, litroMcp?: typeof bridge}} */
  const page = /** @type {any} */ (window);
  const { documentElement: html, body } = document;
  const { name = "litro-mcp-app", version = "0.0.0", displayModes = ["inline"] } = page.__litroMcpApp ?? {};

  /** By id. A map has no prototype that a hostile id could name. @type {Map<unknown, Pending>} */
  const pending = new Map();
  let lastId = 0;

  // Messages

  /** As JSON, so that an address, a date, or a framework's proxy can be sent. @param {Fields} message */
  const post = (message) => parent.postMessage(JSON.parse(JSON.stringify({ jsonrpc: "2.0", ...message })), "*");

  /** @type {(method: string, params: Fields) => void} */
  const notify = (method, params) => post({ method, params });

  /**
   * Asks the host once `after` is there. A time-out includes the wait for it.
   * @type {(method: string, params: Fields, timeoutMs: number, after?: Promise<unknown>) => Promise<any>}
   */
  const request = (method, params, timeoutMs, after) =>
    new Promise((resolve, reject) => {
      const id = ++lastId;
      /** @type {ReturnType<typeof setTimeout> | undefined} */
      let timer;
      const end = () => {
        pending.delete(id);
        clearTimeout(timer);
      };
      const asked = {
        resolve: (/** @type {unknown} */ result) => (end(), resolve(result)),
        reject: (/** @type {Error} */ error) => (end(), reject(error)),
      };
      pending.set(id, asked);
      const late = new Error(`${method} was not answered within ${timeoutMs} ms.`);
      late.name = "TimeoutError";
      if (timeoutMs) timer = setTimeout(asked.reject, timeoutMs, late);
      const send = () => pending.has(id) && post({ id, method, params });
      Promise.resolve(after).then(send).catch(asked.reject);
    });

  /** @type {(method: string, params: Fields, options?: Options) => Promise<any>} */
  const call = (method, params, options) => {
    const wanted = options?.timeoutMs;
    return request(method, params, typeof wanted === "number" && wanted >= 0 ? Math.min(wanted, LONGEST) : TIMEOUT, ready);
  };

  /** @param {MessageEvent} event */
  const receive = ({ source, data }) => {
    if (source !== parent || data?.jsonrpc !== "2.0") return;
    const { id, method, params, result, error } = data;
    if (method === undefined) {
      if (error) pending.get(id)?.reject(Object.assign(new Error(error.message), { code: error.code, data: error.data }));
      else pending.get(id)?.resolve(result);
    } else if (id === undefined) notified.get(method)?.(Object(params));
    else if (method === "ping") post({ id, result: {} });
    else if (method === "ui/resource-teardown") tearDown().then(() => post({ id, result: {} }));
    else post({ id, error: { code: -32601, message: `${name} has no method ${JSON.stringify(method)}.` } });
  };

  /** @type {(type: string, detail: unknown) => void} */
  const tell = (type, detail) => void bridge.dispatchEvent(new CustomEvent(type, { detail }));

  /** Once the host is known, in its log; or else in the console. @param {string} what */
  const warn = (what) =>
    ready.then(
      () => {
        if (bridge.hostCapabilities.logging) notify("notifications/message", { level: "warning", logger: name, data: what });
        else console.warn(what);
      },
      () => console.warn(what),
    );

  /** Listeners may hand in a promise: `event.waitUntil(saved())`. */
  const tearDown = () => {
    /** @type {unknown[]} */
    const waits = [];
    bridge.dispatchEvent(Object.assign(new Event("teardown"), { waitUntil: (/** @type {unknown} */ wait) => waits.push(wait) }));
    return Promise.race([Promise.allSettled(waits), new Promise((resolve) => setTimeout(resolve, LAST_WORDS))]);
  };

  // The host's context

  /** @type {(value: unknown, use: (text: string) => void) => void} */
  const ifText = (value, use) => {
    if (typeof value === "string") use(value);
  };

  /** @type {HTMLStyleElement | undefined} */
  let fonts;

  /** @param {any} changed What it has no field for stays. */
  const adapt = (changed) => {
    bridge.hostContext = { ...bridge.hostContext, ...changed };
    ifText(changed.theme, (theme) => (html.style.colorScheme = html.dataset["theme"] = theme));
    ifText(changed.locale, (locale) => (html.lang = locale));
    ifText(changed.displayMode, (mode) => (html.dataset["displayMode"] = mode));
    for (const [variable, value] of Object.entries(Object(changed.styles?.variables)))
      if (variable.startsWith("--")) ifText(value, (text) => html.style.setProperty(variable, text));
    ifText(changed.styles?.css?.fonts, (css) => {
      fonts ??= document.head.appendChild(document.createElement("style"));
      fonts.textContent = css;
    });
    for (const side of ["top", "right", "bottom", "left"]) {
      const inset = changed.safeAreaInsets?.[side];
      if (Number.isFinite(inset)) html.style.setProperty(`--safe-area-inset-${side}`, `${inset}px`);
    }
    tell("hostcontextchanged", changed);
  };

  // The card

  /** @type {Element | null | undefined} */
  let card;

  /** Some hosts put a head of their own before the document; the parser then takes the document's head for a part of the body. */
  const root = () =>
    card?.isConnected ? card : (card = body.querySelector(":scope > :not(base, link, meta, script, style, template, title)"));

  /** @param {string} state */
  const setState = (state) => (html.dataset["toolState"] = state);

  /**
   * Whether a name is one of the element's event handlers: `onclick`, but not `once` or a component's own `online`.
   * @type {(element: Element, name: string) => unknown}
   */
  const isHandler = (element, name) =>
    name.startsWith("on") &&
    (name in (element.localName.includes("-") ? HTMLElement.prototype : Object.getPrototypeOf(element)) ||
      name in Document.prototype ||
      Object.getOwnPropertyDescriptor(window, name)?.set);

  /**
   * Sets a property by its name, or by the name in camel case if only that is there; answers whether it was allowed to and could.
   * @type {(element: any, key: string, value: unknown) => boolean}
   */
  const set = (element, key, value) => {
    const camel = key.replace(/(?<=.)_+([a-z\d])/g, (_, letter) => letter.toUpperCase());
    const name = !(key in element) && camel in element ? camel : key;
    if (NEVER.has(name) || isHandler(element, name)) return false;
    try {
      const present = element[name];
      return typeof present !== "function" && !(present instanceof Node) && Reflect.set(element, name, value);
    } catch {
      return false;
    }
  };

  /** @param {Fields} data */
  const fill = (data) => {
    const element = root();
    if (!element) return;
    const { litroMcpApply: apply } = page;
    if (typeof apply === "function") {
      // An async function's promise is rejected by what is thrown at once, too.
      (async () => apply(element, data))().catch((error) => warn(`The app's own apply failed. ${error}`));
      return;
    }
    const refused = Object.keys(data).filter((key) => !set(element, key, data[key]));
    if (refused.length) warn(`<${element.localName}> was not given the following properties: ${refused.join(", ")}.`);
  };

  /** @param {Result} result A failed one shows nothing: it is the card's `toolError`. */
  const applyResult = ({ content, structuredContent: data, isError }) => {
    const element = /** @type {any} */ (root());
    if (isError || element?.toolError !== undefined) {
      const texts = Array.isArray(content) ? content.filter((block) => block?.type === "text").map(({ text }) => text) : [];
      if (element) set(element, "toolError", isError ? texts.join("\n") : undefined);
    }
    setState(isError ? "error" : "result");
    // Hosts of the handshake get a list or a number as a `value`: cards are to see one form.
    const isObject = data && typeof data === "object" && !Array.isArray(data);
    if (!isError && data !== undefined) fill(/** @type {Fields} */ (isObject ? data : { value: data }));
    reportSize();
  };

  /** @param {unknown} input */
  const setInput = (input) => {
    const element = root();
    if (element && !set(element, "toolInput", input)) warn(`<${element.localName}> did not take toolInput.`);
    reportSize();
  };

  /** As text. Hosts tell the same more than once, and the card may have moved on since. @type {string | undefined} */
  let lastInput;
  /** @type {string | undefined} */
  let lastResult;

  /** @type {Map<unknown, (params: any) => void>} */
  const notified = new Map(
    Object.entries({
      "ui/notifications/host-context-changed": adapt,
      "ui/notifications/tool-input-partial": (params) => {
        if (lastInput === undefined) setInput(params.arguments);
        tell("toolinputpartial", params);
      },
      "ui/notifications/tool-input": (params) => {
        const text = JSON.stringify(params);
        if (text === lastInput) return;
        lastInput = text;
        lastResult = undefined;
        if (html.dataset["toolState"] === "waiting") setState("input");
        setInput(params.arguments);
        tell("toolinput", params);
      },
      "ui/notifications/tool-result": (params) => {
        const text = JSON.stringify(params);
        if (text === lastResult) return;
        lastResult = text;
        applyResult(params);
        tell("toolresult", params);
      },
      "ui/notifications/tool-cancelled": (params) => {
        lastResult = undefined;
        setState("cancelled");
        tell("toolcancelled", params);
        reportSize();
      },
    }),
  );

  // The size

  let isReady = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let measuring;
  let [reported, echoes, width, height] = [-1, 0, 0, 0];

  const reportSize = () => {
    if (isReady) measuring ??= setTimeout(measure, SIZE_PAUSE);
  };

  const tellSize = () => notify("ui/notifications/size-changed", { height: reported });

  /** What the content needs, whatever room there is: of the width nothing is told, or some hosts would make it less each time. */
  const measure = () => {
    measuring = undefined;
    const { style } = html;
    const { height: own, overflow } = style;
    style.height = "max-content";
    style.overflow = "hidden";
    const shown = html.getBoundingClientRect();
    const needed = Math.ceil(Math.max(shown.height, body.scrollHeight));
    Object.assign(style, { height: own, overflow });
    const isEcho = innerWidth === width && innerHeight !== height;
    [width, height] = [innerWidth, innerHeight];
    // Without a width it is not shown, whatever the window says of its own.
    if (!shown.width || needed === reported) return;
    reported = needed;
    echoes = isEcho ? echoes + 1 : 0;
    if (echoes <= MOST_ECHOES) tellSize();
    else if (echoes === MOST_ECHOES + 1) setTimeout(tellSize, SIZE_QUIET);
  };

  // The card's own requests

  /** @param {unknown} content @returns {unknown} */
  const blocks = (content) => [content].flat().map((block) => (typeof block === "string" ? { type: "text", text: block } : block));

  const bridge = Object.assign(new EventTarget(), {
    hostContext: /** @type {Fields} */ ({}),
    hostCapabilities: /** @type {Fields} */ ({}),
    applyResult,
    reportSize,
    /** @type {(name: string, args?: Fields, options?: Options) => Promise<Result>} A failed result is an answer, too. */
    callTool: (name, args = {}, options) => call("tools/call", { name, arguments: args }, options),
    /** @type {(uri: string | URL, options?: Options) => Promise<{contents: Fields[]}>} */
    readResource: (uri, options) => call("resources/read", { uri }, options),
    /** @type {(url: string | URL, options?: Options) => Promise<{isError?: boolean}>} */
    openLink: (url, options) => call("ui/open-link", { url }, options),
    /** @type {(content: string | Block | Block[], options?: Options) => Promise<{isError?: boolean}>} */
    sendMessage: (content, options) => call("ui/message", { role: "user", content: blocks(content) }, options),
    /** @type {(context: {content?: string | Block | Block[], structuredContent?: Fields}, options?: Options) => Promise<Fields>} */
    updateModelContext: ({ content, structuredContent }, options) =>
      call("ui/update-model-context", { content: content === undefined ? content : blocks(content), structuredContent }, options),
    /** @type {(mode: string, options?: Options) => Promise<{mode: string}>} */
    requestDisplayMode: (mode, options) => call("ui/request-display-mode", { mode }, options),
  });

  /** What the parser does with declarative shadow roots, unless a host wrote the document by hand. @param {ParentNode} scope */
  const attachShadowRoots = (scope) => {
    for (const template of scope.querySelectorAll("template")) {
      attachShadowRoots(template.content);
      const mode = /** @type {ShadowRootMode | null} */ (template.getAttribute("shadowrootmode"));
      if (!mode) continue;
      try {
        const delegatesFocus = template.hasAttribute("shadowrootdelegatesfocus");
        /** @type {Element} */ (template.parentElement).attachShadow({ mode, delegatesFocus }).append(template.content);
        template.remove();
      } catch {
        // No host for a shadow root, or one that has its own: a template like any other, as it is to the parser.
      }
    }
  };

  const start = async () => {
    if (parent === window) throw new Error("This document is in no frame of an MCP host.");
    addEventListener("message", receive);
    const appCapabilities = { availableDisplayModes: displayModes };
    const params = { protocolVersion: "2026-01-26", appInfo: { name, version }, appCapabilities };
    const { hostCapabilities, hostContext } = Object(await request("ui/initialize", params, 0));
    bridge.hostCapabilities = Object(hostCapabilities);
    adapt(Object(hostContext));
    notify("ui/notifications/initialized", {});
    isReady = true;
    reportSize();
    addEventListener("resize", reportSize);
    const observer = new ResizeObserver(reportSize);
    for (const element of [body, root()]) if (element) observer.observe(element);
  };

  page.litroMcp = bridge;
  attachShadowRoots(document);
  setState("waiting");
  const ready = start();
  // Without a host the shell stays as it is; who asks for something is told.
  ready.catch(() => {});
})();
