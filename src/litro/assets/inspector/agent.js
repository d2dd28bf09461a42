// @ts-check
/** An agent: what is wrong with it, its model, instructions, settings and tools. */

import { make } from "../chat/dom.js";
import { hrefOf } from "./address.js";
import { valueBox } from "./json.js";
import { problemList } from "./problems.js";
import { counted } from "./words.js";

/** @typedef {import("./api.js").AgentInfo} AgentInfo */
/** @typedef {import("./api.js").Project} Project */

export class AgentView {
  element = make("div", { class: "agent" });
  #shown = "";

  /** @type {(at: import("./address.js").At, project: Project) => void} */
  show({ agent: name }, project) {
    const agent = project.agents.find((one) => one.name === name);
    const shown = JSON.stringify([agent, project.components, project.problems]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    const elsewhere = [...project.problems, ...project.components.problems];
    this.element.replaceChildren(
      ...(agent ? partsOf(agent) : [make("h2", {}, name ?? ""), make("p", { class: "trouble" }, `There is no agent ${JSON.stringify(name)} in ${project.project}.`)]),
      ...(elsewhere.length ? [problemList(elsewhere, "Problems elsewhere in the project")] : []),
    );
  }

  close() {}
}

/** @param {AgentInfo} agent */
function partsOf(agent) {
  const { name, status, problems, tools } = agent;
  /** @type {HTMLElement[]} */
  const parts = [make("div", { class: "title" }, make("h2", {}, name), make("span", { class: `badge ${status}` }, status))];
  if (problems.length) parts.push(problemList(problems, statusWords(agent)));
  if (status === "broken") return parts;
  parts.push(facts(agent));
  if (agent.instructions) parts.push(instructions(agent.instructions));
  const list = make("ul", { class: "tools" }, ...tools.map((tool) => toolItem(name, tool)));
  parts.push(make("section", { "class": "sheet", "aria-labelledby": "tools-title" }, make("h3", { id: "tools-title" }, counted(tools.length, "tool")), list));
  return parts;
}

/** @param {AgentInfo} agent */
function statusWords({ status, problems }) {
  const found = counted(problems.length, "problem");
  if (status === "broken") return `This agent cannot be loaded: ${found}`;
  return status === "stale" ? `Its newest edit cannot be loaded, so the last good version answers: ${found}` : found;
}

/** @param {AgentInfo} agent */
function facts({ model, guard, mcp, settings }) {
  /** @type {[string, string | null][]} */
  const told = [
    ["Model", model && [model.provider, model.name].filter(Boolean).join(" · ")],
    ["Access", guard ?? "whoever reaches the server"],
    ["MCP", mcp],
    ...Object.entries(settings ?? {}).map((/** @type {[string, unknown]} */ [key, value]) => /** @type {[string, string]} */ ([key, value === null ? "none" : String(value)])),
  ];
  const rows = told.filter(([, value]) => value !== null);
  return make("dl", { class: "sheet facts" }, ...rows.map(([key, value]) => make("div", {}, make("dt", {}, key), make("dd", {}, value))));
}

/** @param {NonNullable<AgentInfo["instructions"]>} instructions */
function instructions(instructions) {
  const isText = instructions.kind === "text";
  const box = isText
    ? valueBox("Instructions", instructions.text, { isPlain: true })
    : make("p", {}, make("code", {}, `${instructions.name}()`), " makes them anew for each request: a session's rounds show what it made.");
  return make("section", { "class": "sheet", "aria-labelledby": "instructions-title" }, make("h3", { id: "instructions-title" }, "Instructions"), box);
}

/** @type {(agent: string, tool: import("./api.js").Tool) => HTMLElement} */
function toolItem(agent, { name, description, input_schema, visibility, app, place }) {
  const isForModel = visibility.includes("model");
  return make(
    "li",
    {},
    make("a", { class: "mono", href: hrefOf({ agent, tool: name }) }, name),
    make("span", { class: "signature mono" }, signature(input_schema)),
    !isForModel && make("span", { class: "badge" }, "not for the model"),
    app && make("span", { class: "badge" }, `app ${app}`),
    make("p", {}, description),
    make("p", { class: "place mono" }, place),
  );
}

/** The parameters' names; those that may be left out have a question mark. @param {import("./api.js").Schema} schema */
function signature({ properties = {}, required = [] }) {
  return `(${Object.keys(properties).map((name) => (required.includes(name) ? name : `${name}?`)).join(", ")})`;
}
