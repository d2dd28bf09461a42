// @ts-check
/**
 * What a tool made with `ui()`, in its place.
 *
 * It stands in the page itself, as a child of the chat that is shown through a slot: the page's own styles and scripts
 * reach it as they would anywhere, and the chat's do not.
 */

import { hydrateUIResult } from "../client.js";
import { css } from "./styles.js";
import { make } from "./dom.js";

export const looks = css`
  .card { display: block; max-inline-size: 100%; overflow-x: auto; }
`;

export class CardView {
  /**
   * @param {import("./transcript.js").Card} card
   * @param {import("./turn.js").Context} context
   * @param {import("./transcript.js").Turn} turn
   */
  constructor(card, { host, base }, turn) {
    const slot = `card-${turn.number}-${card.key}`;
    this.element = make("div", { class: "card", part: "card" }, make("slot", { name: slot }));
    this.box = make("div", { "slot": slot, "data-litro-card": true });
    host.append(this.box);
    hydrateUIResult(this.box, card.result, { base }).catch((error) => {
      // Its markup stands all the same; only what its module would have added is missing.
      console.error(error);
    });
  }

  update() {}

  remove() {
    this.box.remove();
  }
}
