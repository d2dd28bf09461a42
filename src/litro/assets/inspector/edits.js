// @ts-check
/** Tells when the project was edited, as `GET ../dev` says, and whether the server is there. */

/** Milliseconds before another attempt. */
const PACE = 1000;

/** @param {{edited: () => void, reached: (isReached: boolean) => void}} told */
export function onEdit(told) {
  let build = "";
  /** @type {EventSource | null} */
  let source = null;
  function listen() {
    source?.close();
    source = new EventSource("../dev");
    source.addEventListener("open", () => told.reached(true));
    source.addEventListener("message", ({ data }) => {
      const { components } = JSON.parse(data);
      if (build && components && components !== build && hasComponents()) return location.reload();
      build = components || build;
      told.edited();
    });
    source.addEventListener("bye", listen);
    source.addEventListener("error", () => {
      told.reached(false);
      if (source?.readyState === EventSource.CLOSED && !document.hidden) setTimeout(listen, PACE);
    });
  }
  // A tab that nobody sees leaves its connection to the others.
  document.addEventListener("visibilitychange", () => (document.hidden ? source?.close() : listen()));
  listen();
}

/** Whether a component of the project was loaded here: its tag cannot be defined a second time. */
function hasComponents() {
  const folder = new URL("../components/", location.href).href;
  return performance.getEntriesByType("resource").some(({ name }) => name.startsWith(folder));
}
