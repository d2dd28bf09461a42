// @ts-check
/** A card as in a chat: hydrated, and in a tree of its own, so that this page's style is not the card's. */

import { make } from "../chat/dom.js";
import { hydrateUIResult } from "../hydrate.js";

const STYLE = ":host { all: initial; display: block; color: inherit; font: 16px/1.5 system-ui, sans-serif; color-scheme: inherit; overflow-x: auto; }";

/** @param {import("../hydrate.js").UIResult} result */
export function cardBox(result) {
  const host = make("div", { class: "card" });
  const root = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];
  const box = make("div", {});
  root.append(box);
  hydrateUIResult(box, result).catch((error) => console.error(error));
  return host;
}
