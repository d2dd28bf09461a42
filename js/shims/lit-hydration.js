// Lit's hydration support, and what it leaves to the application: markup that was stored before its component changed, and text that
// was sent empty. In the first, Lit throws, and leaves what it could not take over beside what it renders next: here it is cleared and
// rendered from the properties. In the second, it would write later text into the comment that ends the part.

import "@lit-labs/ssr-client/lit-element-hydrate-support.js";
import { adoptStyles } from "@lit/reactive-element/css-tag.js";

const support = globalThis.litElementHydrateSupport;

globalThis.litElementHydrateSupport = (lit) => {
  support(lit);
  const { prototype } = lit.LitElement;
  const { update } = prototype;
  prototype.update = function (changed) {
    // "Needs hydration", as the support that is pinned beside this file calls it. It is cleared before the attempt.
    const wasSent = this._$AG && this.renderRoot === this.shadowRoot;
    if (wasSent && !hasParts(this.renderRoot)) {
      this._$AG = false;
      clear(this);
    }
    if (!wasSent || !this._$AG) return update.call(this, changed);
    makeTexts(this.renderRoot);
    try {
      update.call(this, changed);
    } catch {
      clear(this);
      update.call(this, changed);
    }
  };
};

/** Whether Lit has rendered what is there. */
function hasParts(root) {
  return [...root.childNodes].some((node) => node.nodeType === Node.COMMENT_NODE && node.data.startsWith("lit-part"));
}

/** Lit takes whatever is behind the start of a part for its text. The parser makes no text of nothing. */
function makeTexts(root) {
  const comments = document.createTreeWalker(root, NodeFilter.SHOW_COMMENT);
  for (let start = comments.nextNode(); start; start = comments.nextNode()) {
    const { nextSibling: end } = start;
    const isEmpty = start.data === "lit-part" && end?.nodeType === Node.COMMENT_NODE && end.data === "/lit-part";
    if (isEmpty) start.after("");
  }
}

function clear(element) {
  element.renderRoot.replaceChildren();
  // What was sent brought its styles along.
  adoptStyles(element.renderRoot, element.constructor.elementStyles);
  element.renderOptions.renderBefore = element.renderRoot.firstChild;
}
