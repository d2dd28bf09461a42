// @ts-check
/**
 * One request as the model saw it: what is new since the one before stands open, all else is folded.
 *
 * It says of each result that had a card that the card's HTML is not in it, and it says so because it has looked.
 */

import { heard, make } from "../chat/dom.js";
import { difference } from "./difference.js";
import { textOf, valueBox } from "./json.js";
import { count, counted, exact } from "./words.js";

/** @typedef {import("./requests.js").Asked} Asked */
/** @typedef {import("./requests.js").AskedMessage} AskedMessage */
/** @typedef {import("./turns.js").Turns} Turns */
/** @typedef {Map<string, string>} Cards The html of each call that has a card. */

/**
 * @param {Asked} asked
 * @param {Asked | null} before
 * @param {Turns} turns
 */
export function requestCell(asked, before, turns) {
  const { request, body, model } = asked;
  const cards = cardsOf(turns);
  const old = before?.request.messages ?? [];
  const same = sharedBeginning(old, request.messages);
  const fresh = request.messages.slice(same);
  const earlier = request.messages.slice(0, same);
  const element = make(
    "div",
    { class: "request" },
    sourceLine(asked),
    fold("Instructions", `${count(request.system.length)} characters`, changeOf(before, request, "system"), () => instructions(before?.request.system, request.system)),
    fold(counted(request.tools.length, "tool"), request.tools.map(({ name }) => name).join(", "), changeOf(before, request, "tools"), () => toolList(request.tools)),
    earlier.length > 0 && fold(counted(earlier.length, "earlier message"), before?.round ? "as in the request before" : "", "", () => messageList(earlier, cards)),
    same < old.length && make("p", { class: "note" }, `${counted(old.length - same, "message")} of the request before ${old.length - same === 1 ? "is" : "are"} not in this one.`),
    messageList(fresh, cards, true),
    body !== null && fold(`As posted to ${model.provider}`, `${count(textOf(body).length)} characters of JSON`, "", () => valueBox(`Body for ${model.provider}`, body, { isPlain: true })),
  );
  return element;
}

/** @param {Asked} asked */
function sourceLine({ source, at }) {
  const isRecorded = source === "recorded";
  const words = isRecorded ? `sent at ${at ? exact(at) : "an unknown time"}` : "made anew of the log, with today's instructions and tools";
  return make("p", { class: "source" }, make("span", { class: `badge ${source}` }, source), words);
}

/** What a part that differs from the request before is marked with. @type {(before: Asked | null, request: any, name: "system" | "tools") => string} */
function changeOf(before, request, name) {
  return before && JSON.stringify(before.request[name]) !== JSON.stringify(request[name]) ? "changed" : "";
}

/** The instructions, with what has changed since the request before. @type {(before: string | undefined, now: string) => HTMLElement} */
function instructions(before, now) {
  const box = valueBox("Instructions", now, { isPlain: true });
  if (before === undefined || before === now) return box;
  const words = { same: "", gone: "Gone: ", new: "New: " };
  const lines = difference(before, now).map(({ kind, text }) => make("span", { class: `line ${kind}` }, words[kind] && heard(words[kind]), `${text}\n`));
  box.querySelector("pre")?.replaceChildren(...lines);
  return box;
}

/**
 * A fold, whose inside is made when it is opened.
 * @type {(title: string, more: string, mark: string, inside: () => HTMLElement) => HTMLElement}
 */
export function fold(title, more, mark, inside) {
  const summary = make("summary", {}, make("span", { class: "fold-title" }, title), make("span", { class: "fold-more" }, more), mark && make("span", { class: "badge new" }, mark));
  const element = make("details", { class: "fold", toggle: () => element.open && element.childElementCount === 1 && element.append(inside()) }, summary);
  return element;
}

/** @type {(messages: AskedMessage[], cards: Cards, isNew?: boolean) => HTMLElement} */
function messageList(messages, cards, isNew = false) {
  return make("ol", { class: "messages" }, ...messages.map((message) => messageItem(message, cards, isNew)));
}

/** @type {(message: AskedMessage, cards: Cards, isNew: boolean) => HTMLElement} */
function messageItem(message, cards, isNew) {
  const head = make("p", { class: "role" }, message.role, isNew && make("span", { class: "badge new" }, "new"));
  /** @type {HTMLElement[]} */
  let parts = [];
  if (message.role === "results") parts = message.results.map((result) => resultPart(result, cards));
  else if (message.text) parts.push(make("div", { class: "text", dir: "auto" }, message.text));
  if (message.role === "assistant") parts.push(...(message.calls ?? []).map(callPart));
  if (message.role === "assistant" && message.replay !== undefined) parts.push(fold("State of the provider", "sent back as it was", "", () => valueBox("State of the provider", message.replay, { isPlain: true })));
  return make("li", { class: `message ${message.role}${isNew ? " fresh" : ""}` }, head, ...parts);
}

/** @param {import("./requests.js").AskedCall} call */
function callPart({ id, name, input }) {
  return make("div", { "class": "part", "data-call": id }, make("p", { class: "part-head" }, make("span", { class: "mono" }, name), make("span", { class: "id mono" }, id)), valueBox(`Input of ${name}`, input, { isPlain: true }));
}

/** @type {(result: import("./requests.js").AskedResult, cards: Cards) => HTMLElement} */
function resultPart({ id, name, content, failed }, cards) {
  const html = cards.get(id);
  return make(
    "div",
    { "class": "part", "data-call": id },
    make("p", { class: "part-head" }, make("span", { class: "mono" }, name), make("span", { class: "id mono" }, id), failed && make("span", { class: "badge broken" }, "failed")),
    valueBox(`Result of ${name}`, content, { isPlain: true }),
    html !== undefined && htmlNote(html, content),
  );
}

/** Whether a card's HTML is in what the model reads of it. @type {(html: string, content: string) => HTMLElement} */
export function htmlNote(html, content) {
  const core = html.trim();
  const isIn = core.length > 0 && (content.includes(core) || content.includes(JSON.stringify(core).slice(1, -1)));
  const words = isIn
    ? "The card's HTML is in this message: the tool has put it into its data as well."
    : `The card's HTML (${count(html.length)} characters) is not in this message. The model reads its data alone.`;
  return make("p", { class: isIn ? "channel-note bad" : "channel-note" }, words);
}

/** @param {import("./requests.js").ModelRequest["tools"]} tools */
function toolList(tools) {
  return make("ul", { class: "tool-list" }, ...tools.map(({ name, description, input_schema }) => make(
    "li",
    {},
    make("p", {}, make("span", { class: "mono strong" }, name), ` ${description}`),
    fold("Schema", "", "", () => valueBox(`Schema of ${name}`, input_schema, { isPlain: true })),
  )));
}

/** @param {Turns} turns @returns {Cards} */
function cardsOf({ all }) {
  const calls = [...all.values()].flatMap(({ rounds }) => rounds).flatMap((round) => round.calls);
  return new Map(calls.flatMap(({ id, card }) => (card ? [[id, card.html]] : [])));
}

/** How many messages are at the beginning of both. @type {(before: AskedMessage[], now: AskedMessage[]) => number} */
export function sharedBeginning(before, now) {
  const first = before.findIndex((message, at) => JSON.stringify(message) !== JSON.stringify(now[at]));
  return first < 0 ? Math.min(before.length, now.length) : first;
}
