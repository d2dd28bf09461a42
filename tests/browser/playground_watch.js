// Watches the cards of the example's pages from before anything wakes them: those of the page, and those that the chat puts in.

import { Probe, settled } from "./card_probe.js";

window.settled = settled;
window.probe = new Probe();
window.probe.watch([...document.querySelectorAll("[data-litro-hydrate]")]);

const { replaceChildren } = Element.prototype;
Element.prototype.replaceChildren = function (...tops) {
  if (this.hasAttribute("data-litro-card")) window.probe.watch(tops);
  replaceChildren.apply(this, tops);
};
