// @ts-check
/**
 * The inspector of `litro dev`: every agent, every session, and what its model and its person saw.
 *
 * Here is which view is shown, as the address says; each view is a module. It shows what the server tells and keeps nothing:
 * a reload of the page is always safe.
 */

import { make, say } from "../chat/dom.js";
import { here, onMove } from "./address.js";
import { AgentView } from "./agent.js";
import { load, wordsOf } from "./api.js";
import { ChatPane } from "./chat-pane.js";
import { announcer } from "./json.js";
import { onEdit } from "./edits.js";
import { Side } from "./side.js";
import { SessionView } from "./session.js";
import { ToolView } from "./tool.js";

/** @typedef {import("./api.js").Project} Project */
/** @typedef {import("./address.js").At} At */
/**
 * @typedef {object} View
 * @property {HTMLElement} element
 * @property {(at: At, project: Project) => void} show
 * @property {() => void} close
 * @property {() => void} [pause] Nobody sees the page.
 * @property {() => void} [resume]
 */

class Page {
  /** @type {Project | null} */
  project = null;
  /** @type {View | null} */
  view = null;
  key = "";
  main = /** @type {HTMLElement} */ (document.getElementById("view"));
  link = /** @type {HTMLElement} */ (document.getElementById("link"));
  side = new Side(/** @type {HTMLElement} */ (document.getElementById("side")));
  chat = new ChatPane(/** @type {HTMLElement} */ (document.getElementById("talk")), () => this.side.refresh());

  start() {
    document.body.append(announcer.element);
    onMove(() => this.show());
    onEdit({ edited: () => void this.load(), reached: (isReached) => say(this.link, isReached ? "" : "The server is away. Trying again…") });
    document.addEventListener("visibilitychange", () => (document.hidden ? this.view?.pause?.() : this.view?.resume?.()));
    menu(this.side);
    void this.load();
  }

  async load() {
    try {
      this.project = /** @type {Project} */ (await load("agents"));
      say(/** @type {HTMLElement} */ (document.getElementById("project")), this.project.project);
      this.show();
    } catch (error) {
      if (!this.view) this.main.replaceChildren(make("p", { class: "trouble", role: "alert" }, wordsOf(error)));
    }
  }

  show() {
    if (!this.project) return;
    const at = here();
    const { agents } = this.project;
    // Where nothing is named, what is broken is what somebody came for.
    const first = (agents.find(({ status }) => status !== "ok") ?? agents[0])?.name;
    const seen = { ...at, agent: at.agent ?? first };
    const key = JSON.stringify([seen.agent, at.session, at.session ? null : at.tool]);
    if (key !== this.key || !this.view) {
      this.view?.close();
      this.key = key;
      this.view = viewOf(seen, this.project);
      this.main.replaceChildren(this.view.element);
    }
    this.side.show(this.project, seen);
    this.view.show(seen, this.project);
    this.chat.show(seen);
    document.title = [at.session ?? at.tool, seen.agent, "Litro inspector"].filter(Boolean).join(" · ");
  }
}

/** @type {(at: At, project: Project) => View} */
function viewOf(at, project) {
  if (!at.agent) return nothing(project);
  if (at.session) return new SessionView(at.agent, at.session);
  return at.tool ? new ToolView(at.agent, at.tool) : new AgentView();
}

/** @param {Project} project @returns {View} */
function nothing({ project }) {
  const words = `There is no agent in ${project} yet. Write agents/<name>/agent.py, and it appears here.`;
  return { element: make("div", { class: "sheet" }, make("h2", {}, "No agents"), make("p", {}, words)), show() {}, close() {} };
}

/** On a narrow page, the side is behind a button. @param {Side} side */
function menu(side) {
  const button = /** @type {HTMLElement} */ (document.getElementById("menu"));
  const set = (/** @type {boolean} */ isOpen) => {
    button.setAttribute("aria-expanded", String(isOpen));
    document.body.classList.toggle("menu-open", isOpen);
  };
  button.addEventListener("click", () => set(button.getAttribute("aria-expanded") !== "true"));
  side.element.addEventListener("click", (event) => event.target instanceof Element && event.target.closest("a, button.new") && set(false));
  document.getElementById("skip")?.addEventListener("click", (event) => {
    // The address is of what is shown, so the link must not write its own into it.
    event.preventDefault();
    document.getElementById("view")?.focus();
  });
}

new Page().start();
