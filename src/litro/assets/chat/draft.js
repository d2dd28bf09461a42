// @ts-check
/** What somebody has begun to write, kept in this tab until it is sent: a reload does not lose it. */

export class Draft {
  /** @param {string} session Its name, unique in this origin. */
  constructor(session) {
    this.name = `litro-draft ${session}`;
  }

  get text() {
    try {
      return sessionStorage.getItem(this.name) ?? "";
    } catch {
      return ""; // Storage is blocked.
    }
  }

  set text(text) {
    try {
      text ? sessionStorage.setItem(this.name, text) : sessionStorage.removeItem(this.name);
    } catch {
      // Then a reload loses it.
    }
  }
}
