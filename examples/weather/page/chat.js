/**
 * A chat with one agent, without a framework.
 *
 * Everything on the page comes from the session's events, in the order of their seq: what is sent, what is heard after
 * a reload and what another tab said take the same way through `show`. The session's id is in the address (#...).
 */
import { AgentError, agentSession, hydrateUIResult } from "/__litro/client.js";

/** @typedef {import("/__litro/client.js").AgentEvent} AgentEvent */

const log = element("chat-log");
const empty = element("chat-empty");
const form = /** @type {HTMLFormElement} */ (element("chat-form"));
const input = /** @type {HTMLTextAreaElement} */ (element("chat-input"));
const send = /** @type {HTMLButtonElement} */ (element("chat-send"));
const stop = /** @type {HTMLButtonElement} */ (element("chat-stop"));
const status = element("chat-status");
const agent = log.dataset.agent ?? "demo";

/** What `show` makes of events, from the first one on. */
class Transcript {
  seen = 0;
  lastText = "";
  isRunning = false;
  opened = Date.now();
  /** @type {Map<string, HTMLElement>} */
  calls = new Map();
  /** @type {Answer | null} */
  answer = null;

  /** @param {AgentEvent} event */
  show(event) {
    this.seen = event.seq;
    // What was said before the page was opened is there to read, not to be read out.
    log.ariaLive = event.ts < this.opened ? "off" : "polite";
    const pinned = isAtEnd();
    const shower = SHOWERS[event.kind];
    shower?.(this, event.payload, event.call ?? "");
    if (pinned && shower) scrollToEnd();
  }
}

/** An answer that is being written. A screen reader hears whole sentences: the unfinished one is hidden from it. */
class Answer {
  constructor() {
    this.box = block("said agent", "Agent: ");
    this.rest = this.box.appendChild(document.createElement("span"));
    this.rest.ariaHidden = "true";
  }

  /** @param {string} text */
  add(text) {
    this.rest.append(text);
    const sentences = /^[^]*(?:[.!?…:]["'”’)\]]*\s|[。！？\n])/u.exec(this.rest.textContent ?? "");
    if (!sentences) return;
    this.#finish(sentences[0]);
    this.rest.textContent = (this.rest.textContent ?? "").slice(sentences[0].length);
  }

  end() {
    if (this.rest.textContent) this.#finish(this.rest.textContent);
    this.rest.remove();
  }

  /** @param {string} text */
  #finish(text) {
    const sentence = document.createElement("span");
    sentence.textContent = text;
    this.rest.before(sentence);
  }
}

/** @type {Record<string, (transcript: Transcript, payload: any, call: string) => void>} */
const SHOWERS = {
  "turn-start": () => {
    clearProblems();
    setRunning(true);
  },
  "message": (transcript, { role, text, id }) => {
    if (role === "assistant") return endAnswer(transcript);
    transcript.lastText = text;
    if (id === unsent.id) {
      unsent = { text: "", id: "" };
      if (input.value === text) input.value = "";
    }
    block("said you", "You: ").append(text);
  },
  "text-delta": (transcript, { text }) => {
    transcript.answer ??= new Answer();
    transcript.answer.add(text);
  },
  "tool-call": (transcript, { name }, call) => {
    const line = block("tool");
    line.append(tag("code", name), " ", tag("span", "waits"));
    transcript.calls.set(call, line);
  },
  "tool-start": (transcript, _, call) => setTool(transcript, call, "running", "is running"),
  "tool-progress": (transcript, progress, call) => setTool(transcript, call, "running", wordsOf(progress)),
  "tool-result": (transcript, _, call) => setTool(transcript, call, "done", "is done"),
  "tool-error": (transcript, { message }, call) => setTool(transcript, call, "failed", `failed: ${message}`),
  "ui": (transcript, payload, call) => {
    setTool(transcript, call, "done", "is done");
    showCard(block("card"), payload);
  },
  "error": (transcript, { message }) => {
    endAnswer(transcript);
    problem(message, "Ask again", () => say(transcript.lastText));
  },
  "turn-end": (transcript, { status: how }) => {
    endAnswer(transcript);
    setRunning(false);
    if (how === "cancelled") block("note").append("Stopped.");
    if (how === "interrupted") {
      problem("The server went away in the middle of the answer.", "Ask again", () => say(transcript.lastText));
    }
  },
};

/** Ends the loop that is at work. */
let hearing = new AbortController();
let isHearing = false;
let transcript = new Transcript();
let session = open();
/** What was said and is not in the log yet: said again, it keeps its id, so that it starts one turn only. */
let unsent = { text: "", id: "" };

form.addEventListener("submit", (event) => {
  event.preventDefault();
  say(input.value);
});
input.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  form.requestSubmit();
});
stop.addEventListener("click", async () => {
  tell("Stopping…");
  try {
    await session.cancel();
  } catch (error) {
    problem(`The answer could not be stopped: ${messageOf(error)}`);
  }
});
element("chat-example").addEventListener("click", () => {
  input.focus();
  say(element("chat-example").textContent ?? "");
});
element("chat-new").addEventListener("click", newChat);
addEventListener("hashchange", () => {
  session = open();
  input.focus();
  catchUp();
});
// Another tab, or another device, may have gone on with the conversation.
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible" && !isHearing) catchUp();
});
catchUp();

/** The session that the address names, on an empty page. */
function open() {
  hearing.abort();
  if (!/^#[\w-]{1,64}$/.test(location.hash)) history.replaceState(null, "", `#${lastId() ?? newId()}`);
  const id = location.hash.slice(1);
  remember(id);
  log.replaceChildren();
  empty.hidden = true;
  transcript = new Transcript();
  setRunning(false);
  return agentSession(agent, id, { onRetry: () => tell("The connection broke. Trying again…") });
}

function newChat() {
  location.hash = newId();
}

/** Shows what the page has not seen yet, to the end of a turn that is running. */
async function catchUp() {
  await hear(
    (signal) => session.resume(transcript.seen + 1, { signal }),
    (message, error) => {
      // It was deleted, or belongs to whoever was signed in before.
      const isGone = error instanceof AgentError && ["unknown-session", "beyond-tail"].includes(error.type);
      if (isGone) problem(message, "Start a new chat", newChat);
      else problem(message, "Try again", catchUp);
    },
  );
  empty.hidden = log.childElementCount > 0;
}

/** @param {string} text */
async function say(text) {
  if (!text.trim() || transcript.isRunning) return;
  if (unsent.text !== text) unsent = { text, id: newId() };
  empty.hidden = true;
  clearProblems();
  setRunning(true);
  await hear(
    (signal) => session.send(text, { id: unsent.id, signal }),
    (message, error) => {
      input.value ||= text;
      problem(message, "Send again", () => say(text));
      if (error instanceof AgentError && error.type === "busy") catchUp();
    },
  );
}

/**
 * Shows events until there are no more.
 * @param {(signal: AbortSignal) => AsyncIterable<AgentEvent>} ask
 * @param {(message: string, error: unknown) => void} onProblem
 */
async function hear(ask, onProblem) {
  hearing.abort();
  const { signal } = (hearing = new AbortController());
  isHearing = true;
  try {
    const missing = await showAll(ask(signal), signal);
    if (missing) await showAll(session.resume(transcript.seen + 1, { signal }), signal);
    if (!signal.aborted) over();
  } catch (error) {
    if (signal.aborted) return;
    over();
    onProblem(messageOf(error), error);
  }
}

/**
 * Shows them in order. True where some are missing before the next one: another tab spoke in between.
 * @param {AsyncIterable<AgentEvent>} events
 * @param {AbortSignal} signal
 */
async function showAll(events, signal) {
  for await (const event of events) {
    if (signal.aborted) return false;
    if (event.seq > transcript.seen + 1) return true;
    if (event.seq <= transcript.seen) continue;
    transcript.show(event);
    if (transcript.isRunning) tell("Working…");
  }
  return false;
}

function over() {
  isHearing = false;
  setRunning(false);
  log.ariaLive = "polite";
}

/** @param {boolean} isRunning */
function setRunning(isRunning) {
  transcript.isRunning = isRunning;
  tell(isRunning ? "Working…" : "");
  // Not `disabled`: a button that has the focus would lose it.
  send.ariaDisabled = String(isRunning);
  if (!isRunning && document.activeElement === stop) input.focus();
  stop.hidden = !isRunning;
}

/**
 * Said again, the same words would be read out again.
 * @param {string} words
 */
function tell(words) {
  if (status.textContent !== words) status.textContent = words;
}

/** @param {Transcript} of */
function endAnswer(of) {
  of.answer?.end();
  of.answer = null;
}

/**
 * @param {Transcript} of
 * @param {string} call
 * @param {string} state
 * @param {string} words
 */
function setTool(of, call, state, words) {
  const line = of.calls.get(call);
  if (!line) return;
  line.dataset.state = state;
  line.lastElementChild?.replaceWith(tag("span", words));
}

/** @param {any} progress */
function wordsOf(progress) {
  if (!Number.isFinite(progress?.done)) return "is running";
  const count = progress.total == null ? `${progress.done}` : `${progress.done} of ${progress.total}`;
  return progress.message ? `${count}, ${progress.message}` : count;
}

/**
 * @param {HTMLElement} host
 * @param {import("/__litro/client.js").UIResult} payload
 */
async function showCard(host, payload) {
  try {
    await hydrateUIResult(host, payload);
  } catch (error) {
    // Its markup stands all the same; only what its module would have added is missing.
    console.error(error);
  }
}

/**
 * Says what went wrong, with a way on.
 * @param {string} message
 * @param {string} [way]
 * @param {() => void} [go]
 */
function problem(message, way, go) {
  const box = block("problem");
  box.append(tag("span", message));
  if (!way || !go) return;
  const button = /** @type {HTMLButtonElement} */ (tag("button", way));
  button.type = "button";
  button.addEventListener("click", () => {
    clearProblems();
    input.focus();
    go();
  });
  box.append(" ", button);
  scrollToEnd();
}

/** Their words stay, their buttons would ask for what is past. */
function clearProblems() {
  for (const button of log.querySelectorAll(".problem button")) button.remove();
}

/**
 * A new part of the log. `speaker` is heard, not seen: colour and place show it.
 * @param {string} kind
 * @param {string} [speaker]
 */
function block(kind, speaker) {
  const box = document.createElement("div");
  box.className = kind;
  if (speaker) box.append(Object.assign(tag("span", speaker), { className: "heard" }));
  return log.appendChild(box);
}

/**
 * @param {string} name
 * @param {string} text
 */
function tag(name, text) {
  return Object.assign(document.createElement(name), { textContent: text });
}

/** @param {string} id */
function element(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no #${id}.`);
  return found;
}

/** @param {unknown} error */
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

function isAtEnd() {
  return innerHeight + scrollY >= document.documentElement.scrollHeight - 100;
}

function scrollToEnd() {
  scrollTo({ top: document.documentElement.scrollHeight });
}

function newId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(9)), (byte) => byte.toString(36).padStart(2, "0")).join("");
}

/** The conversation that this browser had last: a page that is closed and opened again shows it. */
function lastId() {
  try {
    return localStorage.getItem(`litro-${agent}`);
  } catch {
    return null; // Storage is blocked: every page begins a new one.
  }
}

/** @param {string} id */
function remember(id) {
  try {
    localStorage.setItem(`litro-${agent}`, id);
  } catch {
    // Its id is in the address all the same.
  }
}
