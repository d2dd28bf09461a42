// The page of `litro mcp preview`: somebody chooses an app or a tool, and plays the host of its card.

import { Host, PROTOCOL, Refusal } from "./host.js";
import { Log } from "./log.js";
import { Look } from "./look.js";
import { at, button, element, sizeOf } from "./page.js";
import { partsOf, sampleOf } from "./samples.js";
import { ask, listen } from "./server.js";
import { MODES, Stage } from "./stage.js";
import { Field } from "./typed.js";
import { Wishes } from "./wishes.js";

/** @typedef {import("./server.js").App} App */
/** @typedef {import("./server.js").Problem} Problem */
/** @typedef {import("./server.js").Shown} Shown */
/** @typedef {Record<string, any>} Json */
/** @typedef {{ kind: "app" | "tool", name: string }} Choice */

/** What a card may ask the agent for. */
const ASKED = ["tools/call", "tools/list", "resources/read", "resources/list", "resources/templates/list", "prompts/list"];
/** The buttons that tell a card something. */
const SENDING = ["send-input", "send-partial", "send-result", "send-error", "cancel"];
/** How fast a model seems to write. */
const STEP = 80;
/** @type {Record<string, string>} */
const PHASES = {
  loading: "Waiting for the card",
  greeted: "Waiting for the card to be ready",
  ready: "Ready",
  gone: "Torn down",
};

const log = new Log(at("log"), at("log-count"), at("log-filter", HTMLInputElement));
const stage = new Stage(at("stage"));
const wishes = new Wishes();
const look = new Look(changed);
const given = new Field(at("arguments", HTMLTextAreaElement), at("arguments-trouble"));
const result = new Field(at("result", HTMLTextAreaElement), at("result-trouble"));

/** @type {Shown | undefined} */
let shown;
/** @type {Choice | undefined} */
let choice;
/** @type {Host | undefined} */
let host;
/** What the shown frame has: `name version`. */
let loaded = "";
let sizes = 0;
/** The last input and what it came to, for a card that is loaded again. @type {Map<string, [string, Json]>} */
let told = new Map();

/** @returns {App | undefined} */
function app() {
  const name = choice?.kind === "tool" ? shown?.tools.find(({ tool }) => tool["name"] === choice?.name)?.app : choice?.name;
  return shown?.apps.find((one) => one.name === name);
}

/** The tool that is chosen, or else the first one of the chosen app. @returns {Json | undefined} */
function tool() {
  const of = shown?.tools ?? [];
  const found = choice?.kind === "tool" ? of.find((one) => one.tool["name"] === choice?.name) : of.find((one) => one.app === choice?.name);
  return found?.tool;
}

/** @param {Shown} now What there is to show has changed. */
function take(now) {
  shown = now;
  document.title = `${now.project}: Litro preview`;
  at("where").textContent = now.agent === "" ? now.project : `${now.project}, agent ${now.agent}`;
  showProblems(now.problems);
  list("tools", now.tools.map(({ tool: one }) => ({ kind: "tool", name: one["name"] })));
  list("apps", now.apps.map(({ name }) => ({ kind: "app", name })));
  const isKnown = choice !== undefined && app() !== undefined;
  choose(isKnown ? choice : (wanted() ?? first(now)), false);
}

/** @param {Shown} now @returns {Choice | undefined} */
function first({ tools: [one], apps: [other] }) {
  if (one) return { kind: "tool", name: one.tool["name"] };
  return other && { kind: "app", name: other.name };
}

/** What the address names. @returns {Choice | undefined} */
function wanted() {
  const query = new URLSearchParams(location.search);
  const kind = query.has("tool") ? "tool" : "app";
  const name = query.get(kind);
  return name === null ? undefined : { kind, name };
}

/**
 * @param {string} id
 * @param {Choice[]} choices
 */
function list(id, choices) {
  const items = choices.map((one) => {
    const link = document.createElement("a");
    link.href = addressOf(one);
    link.textContent = one.name;
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      choose(one, true);
    });
    const item = document.createElement("li");
    item.append(link);
    return item;
  });
  const none = element("li", id === "tools" ? "No tool has an app." : "No app is packed.", "none");
  at(id).replaceChildren(...(items.length > 0 ? items : [none]));
}

/** @param {Choice} choice */
function addressOf({ kind, name }) {
  return `?${kind}=${encodeURIComponent(name)}`;
}

/**
 * @param {Choice | undefined} now
 * @param {boolean} isNew Whether somebody has just chosen it.
 */
function choose(now, isNew) {
  const isOther = now?.kind !== choice?.kind || now?.name !== choice?.name;
  choice = now;
  if (now && isNew) history.pushState(null, "", addressOf(now));
  mark();
  if (isOther) {
    told = new Map();
    wishes.clear();
    log.clear();
    say("");
  }
  openFields();
  const found = app();
  describe(found);
  if (found === undefined) empty();
  else if (isOther || loaded !== `${found.name} ${found.version}`) load(found);
}

/** Show which one is chosen. */
function mark() {
  const current = choice && addressOf(choice);
  for (const link of document.querySelectorAll("nav a")) {
    if (link.getAttribute("href") === current) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

/** Hold what was typed for the choice. */
function openFields() {
  const name = choice ? addressOf(choice) : "";
  const chosen = tool();
  given.open(`arguments ${name}`, sampleOf(chosen?.["inputSchema"] ?? {}) ?? {});
  result.open(`result ${name}`, sampleOf(chosen?.["outputSchema"] ?? {}) ?? {});
  button("run").disabled = chosen === undefined;
  for (const id of SENDING) button(id).disabled = app() === undefined;
  button("run").textContent = chosen && choice?.kind === "app" ? `Run ${chosen["name"]}` : "Run the tool";
}

/** @param {App | undefined} found */
function describe(found) {
  at("card-title").textContent = found === undefined ? "Nothing to show" : (choice?.name ?? "");
  at("uri").textContent = found === undefined ? "" : found.uri;
  facts();
}

function facts() {
  const found = app();
  const parts = found ? [`Document ${sizeOf(found.bytes)}, ${sizeOf(found.compressed)} compressed`] : [];
  if (host) parts.push(`${stage.height} px high`, sizes === 1 ? "1 size report" : `${sizes} size reports`);
  at("facts").textContent = parts.join(" · ");
}

function empty() {
  host?.close();
  host = undefined;
  loaded = "";
  at("phase").textContent = "";
  const name = choice?.name;
  stage.clear(name === undefined ? "No app is packed yet. Write one in mcp-apps/." : `There is no app or tool with an app named ${name}.`);
}

/** @param {App} found Show its document, from the beginning. */
function load(found) {
  host?.close();
  sizes = 0;
  loaded = `${found.name} ${found.version}`;
  const query = new URLSearchParams({ app: found.name, v: found.version });
  const frame = stage.show(`frame?${query}`, `Card ${found.name}`, found.ui);
  /** @type {Host} */
  const made = new Host(frame, {
    greet: (params) => greet(found, params),
    answer,
    hear,
    record: (isOurs, message, about) => log.add(isOurs, message, about),
    enter,
  });
  host = made;
  enter("loading");
  for (const [method, params] of told.values()) made.notify(method, params);
  facts();
}

function reload() {
  const found = app();
  if (found) load(found);
}

/** @param {import("./host.js").Phase} phase */
function enter(phase) {
  at("phase").textContent = PHASES[phase] ?? phase;
  at("phase").dataset["phase"] = phase;
  for (const id of ["ping", "teardown"]) button(id).disabled = phase === "gone";
}

/**
 * @param {App} found
 * @param {Json} params
 * @returns {Json}
 */
function greet(found, params) {
  look.offer(params["appCapabilities"]?.availableDisplayModes ?? ["inline"]);
  arrange();
  const chosen = tool();
  return {
    protocolVersion: PROTOCOL,
    hostInfo: { name: "litro-preview", version: "1" },
    hostCapabilities: {
      openLinks: {},
      serverTools: {},
      serverResources: {},
      logging: {},
      updateModelContext: { text: {}, structuredContent: {} },
      message: { text: {} },
      sandbox: { csp: found.ui["csp"] ?? {}, permissions: found.ui["permissions"] ?? {} },
    },
    hostContext: {
      ...look.context,
      containerDimensions: stage.dimensions,
      ...(chosen && { toolInfo: { tool: chosen } }),
    },
  };
}

/**
 * @param {string} method
 * @param {Json} params
 * @returns {Promise<Json>}
 */
async function answer(method, params) {
  if (ASKED.includes(method)) return ask(method, params, true);
  switch (method) {
    case "ui/open-link":
      return wishes.open(params);
    case "ui/message":
      return wishes.message(params);
    case "ui/update-model-context":
      return wishes.context(params);
    case "ui/request-display-mode":
      return { mode: switchMode(params["mode"]) };
    default:
      throw new Refusal(-32601, `Method not found: ${method}`);
  }
}

/** @param {unknown} wish */
function switchMode(wish) {
  const mode = MODES.find((one) => one === wish);
  const option = [...at("mode", HTMLSelectElement).options].find(({ value, disabled }) => value === mode && !disabled);
  if (mode && option && mode !== look.mode) {
    look.mode = mode;
    changed("mode");
  }
  return look.mode;
}

/**
 * @param {string} method
 * @param {Json} params
 */
function hear(method, params) {
  if (method === "ui/notifications/size-changed") {
    sizes++;
    stage.resize(params["height"]);
    facts();
  } else if (method === "ui/notifications/request-teardown") {
    teardown();
  }
}

/** @param {string} what Of the host's look has changed. */
function changed(what) {
  arrange();
  const { theme, locale, displayMode, styles } = look.context;
  /** @type {Record<string, Json>} */
  const told = {
    theme: { theme, styles },
    locale: { locale },
    mode: { displayMode, containerDimensions: stage.dimensions },
    width: { containerDimensions: stage.dimensions },
    variables: { styles },
  };
  if (host?.phase === "ready") host.notify("ui/notifications/host-context-changed", told[what] ?? {});
}

function arrange() {
  stage.arrange(look.mode, look.width);
}

/** @param {string} text */
function say(text) {
  at("said").textContent = text;
}

/**
 * Tell the card of its tool's call, and a later one of its kind again what the last was.
 * @param {string} method
 * @param {Json} params
 */
function tell(method, params) {
  const kind = method.endsWith("tool-input") ? "input" : "outcome";
  if (kind === "input") told.delete("outcome");
  told.set(kind, [method, params]);
  // One that was torn down hears nothing more, and one that is loaded again is told all of it.
  if (host?.phase === "gone") reload();
  else host?.notify(method, params);
}

/** @returns {Json | undefined} */
function typedArguments() {
  const value = given.value;
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  say("Arguments have to be a JSON object.");
  at("arguments").focus();
  return undefined;
}

/** @returns {Json | undefined} */
function sendInput() {
  const typed = typedArguments();
  if (typed === undefined) return undefined;
  tell("ui/notifications/tool-input", { arguments: typed });
  say("The input is sent.");
  return typed;
}

async function sendPartial() {
  const typed = typedArguments();
  if (host?.phase === "gone") reload();
  const to = host;
  if (typed === undefined || to === undefined) return;
  for (const part of partsOf(typed)) {
    if (to !== host) return;
    to.notify("ui/notifications/tool-input-partial", { arguments: part });
    await new Promise((resolve) => setTimeout(resolve, STEP));
  }
  say("The input is sent in parts, but for its end.");
}

/** @param {Json} outcome */
function deliver(outcome) {
  wishes.result(outcome);
  tell("ui/notifications/tool-result", outcome);
}

function sendResult() {
  const typed = result.value;
  if (typed === undefined) {
    at("result").focus();
    return;
  }
  deliver(resultOf(typed));
  say("The result is sent.");
}

/** Data alone is told as a server tells it. @param {any} typed */
function resultOf(typed) {
  const isWhole = typeof typed === "object" && typed !== null && ["content", "structuredContent", "isError"].some((key) => key in typed);
  if (isWhole) return "content" in typed ? typed : { content: [], ...typed };
  return { content: [{ type: "text", text: JSON.stringify(typed) }], structuredContent: typed };
}

async function run() {
  const chosen = tool();
  const typed = sendInput();
  const of = choice;
  if (chosen === undefined || typed === undefined) return;
  button("run").disabled = true;
  say(`${chosen["name"]} runs …`);
  try {
    const outcome = await ask("tools/call", { name: chosen["name"], arguments: typed }, false);
    if (of !== choice) return;
    result.fill(outcome);
    deliver(outcome);
    say(outcome["isError"] ? "The tool has failed, and the card is told." : "The tool has run, and its result is sent.");
  } catch (error) {
    say(`The tool could not be called: ${error instanceof Error ? error.message : error}`);
  } finally {
    if (of === choice) button("run").disabled = false;
  }
}

function cancel() {
  tell("ui/notifications/tool-cancelled", { reason: "The user has cancelled the call." });
  say("The card is told that the call was cancelled.");
}

async function teardown() {
  const leaving = host;
  if (leaving === undefined || leaving.phase === "gone") return;
  if (leaving.phase === "ready") {
    const { error } = await leaving.ask("ui/resource-teardown", { reason: "The preview ends it." });
    if (leaving !== host) return;
    say(error ? `The card was torn down: ${error.message}.` : "The card has answered, and was torn down.");
  }
  leaving.leave();
  leaving.close();
  stage.clear("The card is torn down. “Reload” shows it again.");
}

async function ping() {
  const asked = host;
  if (asked?.phase !== "ready") return say("The card is not ready, so it was not asked.");
  const began = performance.now();
  const { error } = await asked.ask("ping", {});
  say(error ? `The card did not answer: ${error.message}.` : `The card has answered in ${Math.round(performance.now() - began)} ms.`);
}

/** @param {readonly Problem[]} problems */
function showProblems(problems) {
  at("problems").hidden = problems.length === 0;
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  const isShown = (shown?.apps.length ?? 0) > 0;
  at("problems-title").textContent = `${count} in the project${isShown ? ". What is shown is what was packed last" : ""}`;
  at("problem-list").replaceChildren(
    ...problems.flatMap(({ place, text, detail }) => {
      const told = [element("h3", place), element("p", text)];
      if (detail === "") return told;
      const lines = element("pre", detail);
      lines.tabIndex = 0;
      lines.setAttribute("role", "group");
      lines.setAttribute("aria-label", `Lines of ${place}`);
      return [...told, lines];
    }),
  );
}

/**
 * @param {string} id
 * @param {() => unknown} press
 */
function on(id, press) {
  button(id).addEventListener("click", press);
}

on("run", run);
on("send-input", sendInput);
on("send-partial", sendPartial);
on("send-result", sendResult);
on("send-error", () => {
  deliver({ isError: true, content: [{ type: "text", text: "The tool has failed." }] });
  say("A result that is an error is sent.");
});
on("cancel", cancel);
on("ping", ping);
on("teardown", teardown);
on("reload", reload);
on("log-clear", () => log.clear());
on("log-copy", async () => {
  await navigator.clipboard.writeText(log.text);
  say("The messages are copied.");
});
addEventListener("popstate", () => choose(wanted() ?? (shown && first(shown)), false));
listen(take, (isThere) => {
  at("link").textContent = isThere ? "" : "The server is away. Waiting for it …";
});
