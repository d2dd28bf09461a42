// @ts-check
/** A tool, called by hand: its input, and its result in both channels. The call is in no session. */

import { button, make } from "../chat/dom.js";
import { hrefOf } from "./address.js";
import { HandCall } from "./hand-call.js";
import { ToolInput } from "./input.js";
import { valueBox } from "./json.js";
import { fold } from "./request.js";

/** @typedef {import("./api.js").Tool} Tool */

export class ToolView {
  #shown = "";
  /** @type {ToolInput | null} */
  #input = null;

  /**
   * @param {string} agent
   * @param {string} tool
   */
  constructor(agent, tool) {
    this.agent = agent;
    this.tool = tool;
    this.call = new HandCall(agent, tool);
    this.about = make("div", { class: "about" });
    this.form = make("form", { "class": "sheet", "aria-labelledby": "input-title", "keydown": (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.#run();
    }, "submit": (event) => {
      event.preventDefault();
      this.#run();
    } });
    this.element = make("div", { class: "tool" }, this.about, make("div", { class: "two" }, this.form, this.call.element));
  }

  /** @type {(at: unknown, project: import("./api.js").Project) => void} */
  show(_, { agents }) {
    const agent = agents.find(({ name }) => name === this.agent);
    const tool = agent?.tools.find(({ name }) => name === this.tool);
    const shown = JSON.stringify([tool, agent?.problems]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.about.replaceChildren(...this.#head(tool, agent));
    const typed = this.#input?.read() ?? remembered(this.#name);
    this.form.hidden = !tool;
    if (tool) this.#build(tool, typed);
  }

  close() {
    this.call.stop();
  }

  /** @type {(tool: Tool | undefined, agent: import("./api.js").AgentInfo | undefined) => HTMLElement[]} */
  #head(tool, agent) {
    const way = make("p", { class: "way" }, make("a", { href: hrefOf({ agent: this.agent }) }, this.agent), " › tools");
    const title = make("h2", { class: "mono" }, this.tool);
    if (!tool) return [way, title, make("p", { class: "trouble" }, agent?.status === "broken" ? "The agent cannot be loaded. Its page says why." : "There is no such tool.")];
    const more = [tool.title, tool.timeout === null ? null : `ends after ${tool.timeout} s`, tool.app && `app ${tool.app}`, tool.place].filter(Boolean);
    const schemas = fold("Schemas", "of input and output", "", () => make("div", { class: "two" }, valueBox("Input schema", tool.input_schema), valueBox("Output schema", tool.output_schema ?? "none")));
    return [way, title, make("p", { class: "description" }, tool.description), make("p", { class: "place mono" }, more.join(" · ")), schemas];
  }

  /** @type {(tool: Tool, typed: {input: unknown} | undefined) => void} */
  #build(tool, typed) {
    const input = (this.#input = new ToolInput(tool.input_schema));
    if (typed) input.set(typed.input);
    this.principal = make("input", { "class": "mono", "id": "principal", "autocomplete": "off", "spellcheck": "false", "placeholder": "nobody", "aria-describedby": "principal-hint", "value": this.principal?.value });
    this.form.replaceChildren(
      make("div", { class: "row" }, make("h3", { id: "input-title" }, "Input"), input.toggle),
      input.element,
      make("details", { class: "fold" }, make("summary", {}, make("span", { class: "fold-title" }, "In whose name")), make("div", { class: "field" }, make("label", { class: "label", for: "principal" }, "Principal"), this.principal, make("p", { class: "hint", id: "principal-hint" }, "An id, or an object with an id as JSON. Tools read it as ctx.principal."))),
      make("div", { class: "row start" }, make("button", { type: "submit", class: "small main" }, "Call the tool"), button("Reset", () => input.clear(), { class: "small" })),
    );
  }

  get #name() {
    return `litro-inspector ${this.agent} ${this.tool}`;
  }

  #run() {
    const typed = this.#input?.read();
    if (!typed) return;
    remember(this.#name, typed);
    void this.call.run(typed.input, this.principal?.value.trim() ?? "");
  }
}

/** What was sent last stays for as long as the tab is open. @param {string} name @returns {{input: unknown} | undefined} */
function remembered(name) {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

/** @type {(name: string, typed: object) => void} */
function remember(name, typed) {
  try {
    sessionStorage.setItem(name, JSON.stringify(typed));
  } catch {
    // It is full or forbidden: then it is not remembered.
  }
}
