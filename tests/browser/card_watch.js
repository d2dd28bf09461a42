// Watches what the parser made of a page's components, before anything wakes them.

import { Probe, settled } from "./card_probe.js";

window.settled = settled;
window.probe = new Probe();
window.probe.watch([...document.body.children].filter(({ localName }) => localName.includes("-")));
