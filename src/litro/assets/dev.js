// What is wrong in the project, shown over the page while somebody writes it. `client.js` loads this in development only.
// It hears `GET dev` beside this module and shows text and nothing else. It reloads the page in one case: where that has loaded a
// component that was made anew, since a tag cannot be defined twice.

/** @typedef {{ place: string, text: string, detail: string }} Problem */

const STYLE = `
  :host { all: initial; position: fixed; inset: auto 1rem 1rem; z-index: 2147483647; display: block; }
  section { box-sizing: border-box; max-width: 60rem; max-height: 60vh; margin: 0 auto; overflow: auto; padding: 1rem;
    border: 2px solid #ff8a80; border-radius: .5rem; background: #1b1b1f; color: #f5f5f5; font: 14px/1.5 system-ui, sans-serif;
    box-shadow: 0 4px 24px #0008; }
  header { display: flex; justify-content: space-between; align-items: center; gap: 1rem; }
  h2 { margin: 0; font-size: 1rem; }
  h3 { margin: .75rem 0 .25rem; font: 600 13px/1.5 ui-monospace, monospace; color: #ffb4ab; }
  p { margin: 0; overflow-wrap: anywhere; }
  pre { margin: .5rem 0 0; padding: .5rem; overflow: auto; background: #000; font: 12px/1.5 ui-monospace, monospace; }
  button { padding: .25rem .75rem; border: 1px solid #f5f5f5; border-radius: .25rem; background: none; color: inherit;
    font: inherit; cursor: pointer; }
  [role="status"] { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  button:focus-visible, pre:focus-visible, section:focus-visible { outline: 2px solid #8ab4ff; outline-offset: 2px; }
`;

/** @type {HTMLElement | undefined} */
let host;

/**
 * Show the problems; none takes the overlay away.
 * @param {readonly Problem[]} problems
 */
function show(problems) {
  host?.remove();
  host = undefined;
  if (problems.length === 0) return;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  host = document.createElement("litro-problems");
  const root = host.attachShadow({ mode: "open" });
  root.adoptedStyleSheets = [sheet];
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  const close = element("button", "Dismiss");
  close.setAttribute("type", "button");
  close.addEventListener("click", dismiss);
  const head = document.createElement("header");
  head.append(element("h2", `Litro: ${count} in the project`), close);
  const section = document.createElement("section");
  section.setAttribute("role", "region");
  section.setAttribute("aria-label", "Problems in the project");
  section.append(head, ...problems.flatMap(parts));
  section.addEventListener("keydown", (event) => {
    if (event.key === "Escape") dismiss();
  });
  root.append(section);
  document.body.append(host);
  // Heard by a screen reader only when it is filled after it stands in the page.
  const status = document.createElement("p");
  status.setAttribute("role", "status");
  status.style.cssText = "position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)";
  root.append(status);
  setTimeout(() => (status.textContent = `${count}: ${problems[0]?.place}`), 100);
}

/** The overlay goes until something else is wrong. */
function dismiss() {
  host?.remove();
  host = undefined;
}

/**
 * @param {Problem} problem
 * @returns {HTMLElement[]}
 */
function parts(problem) {
  const told = [element("h3", problem.place), element("p", problem.text)];
  if (problem.detail === "") return told;
  const detail = element("pre", problem.detail);
  // It scrolls, so the keyboard has to reach it.
  detail.tabIndex = 0;
  detail.setAttribute("role", "group");
  detail.setAttribute("aria-label", `Lines of ${problem.place}`);
  return [...told, detail];
}

/**
 * An element that holds text: whatever a file's content is, it is never markup.
 * @param {string} tag
 * @param {string} text
 * @returns {HTMLElement}
 */
function element(tag, text) {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}

/** The build of the components that this page has. */
let used = "";

/** @param {string} components The build that is served now. */
function use(components) {
  const before = used;
  used = components;
  if (before === "" || before === components) return;
  const folder = new URL("components/", import.meta.url).href;
  const hasLoaded = performance.getEntriesByType("resource").some(({ name }) => name.startsWith(folder));
  if (hasLoaded) location.reload();
}

/** Hear what is wrong, again whenever the server has been away. */
function listen() {
  const source = new EventSource(new URL("dev", import.meta.url));
  let shown = "";
  source.addEventListener("message", (event) => {
    const { problems, components } = JSON.parse(event.data);
    if (components !== "") use(components);
    const text = JSON.stringify(problems);
    // What was dismissed comes back only when it has changed.
    if (text !== shown) show(problems);
    shown = text;
  });
  // The port stays open while the server restarts: whoever asks at once is answered by the next one.
  source.addEventListener("bye", () => {
    source.close();
    listen();
  });
  source.addEventListener("error", () => {
    if (source.readyState !== EventSource.CLOSED) return;
    setTimeout(listen, 1000);
  });
}

listen();
