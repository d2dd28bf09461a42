// @ts-check
/** Tabs as ARIA has them: one is in the way of the Tab key, the arrows go to the others. */

import { make } from "../chat/dom.js";

export class Tabs {
  /**
   * @param {string} label
   * @param {readonly {id: string, words: string}[]} choices
   * @param {(id: string) => void} chosen
   */
  constructor(label, choices, chosen) {
    this.panel = make("div", { class: "panel", role: "tabpanel", id: "panel", tabindex: -1 });
    this.tabs = choices.map(({ id, words }) =>
      make("button", { "type": "button", "role": "tab", "id": `tab-${id}`, "aria-controls": "panel", "data-tab": id, "click": () => chosen(id) }, words),
    );
    this.element = make("div", { "role": "tablist", "aria-label": label, "keydown": (event) => this.#key(event) }, ...this.tabs);
    this.chosen = chosen;
  }

  /** @param {string} id */
  show(id) {
    for (const tab of this.tabs) {
      const isIt = tab.dataset.tab === id;
      tab.setAttribute("aria-selected", String(isIt));
      tab.tabIndex = isIt ? 0 : -1;
    }
    this.panel.setAttribute("aria-labelledby", `tab-${id}`);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const at = this.tabs.findIndex((tab) => tab.getAttribute("aria-selected") === "true");
    const last = this.tabs.length - 1;
    const to = { ArrowRight: at === last ? 0 : at + 1, ArrowLeft: at === 0 ? last : at - 1, Home: 0, End: last }[event.key];
    const tab = to === undefined ? undefined : this.tabs[to];
    if (!tab) return;
    event.preventDefault();
    tab.focus();
    this.chosen(tab.dataset.tab ?? "");
  }
}
