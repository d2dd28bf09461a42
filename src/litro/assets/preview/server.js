// The preview's server: what there is to show, told as it changes, and the project's agent, which answers for the host.

import { Refusal } from "./host.js";

/** @typedef {Record<string, any>} Json */
/**
 * @typedef {object} App
 * @property {string} name
 * @property {string} uri
 * @property {string} title
 * @property {string} version Of its document.
 * @property {number} bytes
 * @property {number} compressed
 * @property {Json} ui What the resource's `_meta.ui` says.
 */
/** @typedef {{ place: string, text: string, detail: string }} Problem */
/**
 * @typedef {object} Shown
 * @property {string} project
 * @property {string} agent
 * @property {App[]} apps
 * @property {{ app: string, tool: Json }[]} tools Those that have an app.
 * @property {Problem[]} problems
 */

/**
 * Hear what there is, again whenever the server has been away.
 * @param {(shown: Shown) => void} take
 * @param {(isThere: boolean) => void} meet
 */
export function listen(take, meet) {
  const source = new EventSource("events");
  source.addEventListener("message", (event) => {
    meet(true);
    take(JSON.parse(event.data));
  });
  // The port stays open while the server restarts: whoever asks at once is answered by the next one.
  source.addEventListener("bye", () => {
    source.close();
    listen(take, meet);
  });
  source.addEventListener("error", () => {
    meet(false);
    if (source.readyState === EventSource.CLOSED) setTimeout(() => listen(take, meet), 1000);
  });
}

/**
 * Ask the project's agent.
 * @param {string} method
 * @param {Json} params
 * @param {boolean} isForCard Whether the card wants it, which may call fewer tools.
 * @returns {Promise<Json>}
 */
export async function ask(method, params, isForCard) {
  /** @type {Json} */
  let answer;
  try {
    const response = await fetch("rpc", {
      method: "POST",
      headers: { "content-type": "application/json", "x-litro-agent": "1" },
      body: JSON.stringify({ method, params, from: isForCard ? "card" : "host" }),
    });
    answer = await response.json();
  } catch (error) {
    throw new Refusal(-32000, `the preview's server cannot be asked: ${error}`);
  }
  if (answer["result"] !== undefined) return answer["result"];
  throw new Refusal(answer["error"]?.code ?? -32000, answer["error"]?.message ?? answer["message"]);
}
