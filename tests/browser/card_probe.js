// Puts a UI result into the page, and watches every node of it from before it arrives.

export const problems = [];

/** All nodes below, shadow roots included, and the roots among them. */
export function* nodes(scope) {
  for (const node of scope.childNodes) {
    yield node;
    yield* nodes(node);
    if (node.shadowRoot) yield* nodes(node.shadowRoot);
  }
}

export class Probe {
  constructor() {
    this.sent = [];
    this.changes = [];
    this.observer = new MutationObserver((records) => this.changes.push(...records));
  }

  watch(tops) {
    for (const top of tops) {
      this.sent.push(top, ...nodes(top));
      if (top.shadowRoot) this.sent.push(...nodes(top.shadowRoot));
    }
    const roots = this.sent.flatMap((node) => (node.shadowRoot ? [node.shadowRoot] : []));
    for (const root of [...tops, ...roots]) this.observer.observe(root, { childList: true, subtree: true });
  }

  report() {
    this.changes.push(...this.observer.takeRecords());
    const isBlank = (node) => node.nodeType === Node.TEXT_NODE && !node.data.trim();
    const lost = this.sent.filter((node) => !node.isConnected);
    // The parser makes no text of nothing, so the client has to where a component may fill it later.
    const isNothing = (node) => node.nodeType === Node.TEXT_NODE && node.data === "";
    const changed = this.changes
      .flatMap(({ addedNodes, removedNodes }) => [...addedNodes, ...removedNodes])
      .filter((node) => !isNothing(node));
    return {
      sent: this.sent.length,
      lost: lost.length,
      lostBeyondBlank: lost.filter((node) => !isBlank(node)).length,
      changes: changed.length,
      changesBeyondBlank: changed.filter((node) => !isBlank(node)).length,
    };
  }
}

export const settled = () => new Promise((resolve) => setTimeout(resolve, 60));

export async function arrive(client, result) {
  const host = document.body.appendChild(document.createElement("main"));
  const probe = new Probe();
  host.replaceChildren = function (...tops) {
    probe.watch(tops);
    Element.prototype.replaceChildren.apply(host, tops);
  };
  const { hydrateUIResult } = await import(client);
  await hydrateUIResult(host, result);
  await settled();
  return probe.report();
}
