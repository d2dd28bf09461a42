// @ts-check
/** What is looked at, as the address has it: a reload, a link and the step back all lead to the same. */

/**
 * @typedef {object} At
 * @property {string} [agent]
 * @property {string} [session]
 * @property {string} [tool]
 * @property {number} [turn] Without one it is the newest, also when a newer one begins.
 * @property {Tab} [tab]
 * @property {number} [seq] The event that is looked at.
 * @property {boolean} [chat] Whether the chat is open beside it.
 */
/** @typedef {"channels" | "timeline" | "events"} Tab */

/** @type {readonly Tab[]} */
export const TABS = ["channels", "timeline", "events"];

/** @returns {At} */
export function here() {
  const given = new URLSearchParams(location.hash.slice(1));
  const text = (/** @type {string} */ name) => given.get(name) || undefined;
  const number = (/** @type {string} */ name) => (/^[1-9]\d{0,14}$/.test(given.get(name) ?? "") ? Number(given.get(name)) : undefined);
  return {
    agent: text("agent"),
    session: text("session"),
    tool: text("tool"),
    turn: number("turn"),
    // A link that has only an event's number is to that event.
    tab: TABS.find((tab) => tab === given.get("tab")) ?? (number("seq") ? "events" : undefined),
    seq: number("seq"),
    chat: given.get("chat") === "1" || undefined,
  };
}

/**
 * The address of it.
 * @param {At} at
 */
export function hrefOf(at) {
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries(at)) if (value) parts.set(name, value === true ? "1" : String(value));
  return `#${parts}`;
}

/**
 * Goes there. `isSmall` is a step that the way back leaves out.
 * @param {At} at
 * @param {{isSmall?: boolean}} [how]
 */
export function go(at, { isSmall = false } = {}) {
  const href = hrefOf(at);
  if (href === location.hash) return;
  if (isSmall) history.replaceState(null, "", href);
  else history.pushState(null, "", href);
  dispatchEvent(new Event("litro-moved"));
}

/**
 * Tells of each move, also of those that a link or the way back made.
 * @param {() => void} moved
 */
export function onMove(moved) {
  addEventListener("hashchange", moved);
  addEventListener("popstate", moved);
  addEventListener("litro-moved", moved);
}
