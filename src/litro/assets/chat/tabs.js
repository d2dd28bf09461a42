// @ts-check
/** A hint between tabs of one browser that a session has more in it. What it is, the session's log says. */

export class Tabs {
  /**
   * @param {string} name The session's, unique in this origin.
   * @param {() => unknown} onHint
   */
  constructor(name, onHint) {
    this.channel = new BroadcastChannel(`litro ${name}`);
    this.channel.addEventListener("message", onHint);
  }

  hint() {
    this.channel.postMessage(null);
  }

  close() {
    this.channel.close();
  }
}

/** Hints at all who listen, in this tab as well. @param {string} name */
export function hint(name) {
  const tabs = new Tabs(name, () => {});
  tabs.hint();
  tabs.close();
}
