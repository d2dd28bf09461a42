// @ts-check
/** The chat's heading, and the ways to other chats. */

import { css } from "./styles.js";
import { button, icon, make, say } from "./dom.js";

export const looks = css`
  .head { display: flex; flex: none; align-items: center; gap: .5rem; min-block-size: 3.25rem; padding: .375rem .75rem; border-block-end: 1px solid var(--line); }
  .head h1 { flex: 1; min-inline-size: 0; margin: 0; overflow: hidden; font-size: 1rem; font-weight: 600; text-overflow: ellipsis; white-space: nowrap; }
  .head button.quiet { inline-size: 2.25rem; block-size: 2.25rem; }
  .head button.plain { flex: none; }
  @container chat (inline-size < 30rem) {
    .head button.plain { inline-size: 2.25rem; padding: 0; justify-content: center; }
    .head button.plain > span { display: none; }
  }
`;

/** Pixels of the chat below which there is no room for the list of sessions beside it. */
export const ROOM = 800;

export class Header {
  /**
   * @param {import("./texts.js").Texts} texts
   * @param {{newChat: () => void, sessions: () => void}} act
   */
  constructor(texts, act) {
    this.heading = make("h1", { dir: "auto" });
    this.sessions = button(texts.sessions, act.sessions, { icon: "list", isQuiet: true });
    this.sessions.ariaExpanded = "false";
    this.newChat = make(
      "button",
      { "type": "button", "class": "plain", "part": "button", "aria-label": texts.newChat, "click": act.newChat },
      icon("plus"),
      make("span", {}, texts.newChat),
    );
    this.element = make(
      "header",
      { class: "head", part: "header" },
      this.sessions,
      this.heading,
      make("slot", { name: "header" }),
      this.newChat,
    );
  }

  /** @param {{heading: string, hasSessions: boolean}} shown */
  show({ heading, hasSessions }) {
    say(this.heading, heading);
    this.sessions.hidden = !hasSessions;
  }
}
