// What a card asks of people and of the model: links to open, messages, what the model should know. Nothing is opened here but by a
// click.

import { Refusal } from "./host.js";
import { action, at, element } from "./page.js";
import { textOf } from "./log.js";

/** @typedef {Record<string, any>} Json */

export class Wishes {
  #asks = at("asks");
  #list = at("ask-list");

  /** Another card stands there now. */
  clear() {
    this.#list.replaceChildren();
    this.#asks.hidden = true;
    at("model-messages").replaceChildren();
    at("model-context").textContent = at("model-result").textContent = "";
  }

  /**
   * A link waits for a person.
   * @param {Json} params
   * @returns {Promise<Json>}
   */
  open({ url }) {
    const address = linkOf(url);
    return new Promise((resolve) => {
      const item = document.createElement("li");
      const done = (/** @type {Json} */ answer) => {
        item.remove();
        this.#asks.hidden = this.#list.childElementCount === 0;
        resolve(answer);
      };
      const link = document.createElement("a");
      link.href = address;
      link.target = "_blank";
      link.rel = "noopener noreferrer";
      link.textContent = `Open ${address}`;
      // A link that is gone before its click is over leads nowhere.
      link.addEventListener("click", () => setTimeout(done, 0, {}));
      item.append(link, action("Refuse", () => done({ isError: true })));
      this.#list.append(item);
      this.#asks.hidden = false;
    });
  }

  /** @param {Json} params */
  message({ role, content }) {
    if (content === undefined) throw new Refusal(-32602, "ui/message: content is required");
    const text = contentText(Array.isArray(content) ? content : [content]);
    at("model-messages").append(element("li", `${String(role ?? "user")}: ${text}`));
    return {};
  }

  /** @param {Json} params */
  context({ content, structuredContent }) {
    const texts = content === undefined ? [] : [contentText(content)];
    if (structuredContent !== undefined) texts.push(textOf(structuredContent));
    // The last one counts.
    at("model-context").textContent = texts.join("\n");
    return {};
  }

  /** @param {Json} result Of the tool. */
  result({ content }) {
    at("model-result").textContent = contentText(content ?? []);
  }
}

/**
 * @param {unknown} url
 * @returns {string}
 */
function linkOf(url) {
  const parsed = URL.canParse(String(url)) ? new URL(String(url)) : undefined;
  if (parsed && ["https:", "http:", "mailto:"].includes(parsed.protocol)) return parsed.href;
  throw new Refusal(-32602, `ui/open-link: ${JSON.stringify(url)} is no address of http, https or mailto`);
}

/** @param {unknown} content */
function contentText(content) {
  if (!Array.isArray(content)) return textOf(content);
  return content.map((block) => (block?.type === "text" ? String(block.text) : textOf(block))).join("\n");
}
