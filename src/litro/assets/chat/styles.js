// @ts-check
/**
 * How the chat looks: its colours, its frame, and what all of its parts share. Each part's own looks are in its module.
 *
 * Constructed sheets need no `style-src`. Directions are logical, so that right-to-left is a mirror; whether it is light or
 * dark follows the page's `color-scheme`.
 */

/**
 * Text of a style sheet. It is checked and coloured by editors under this name.
 * @param {TemplateStringsArray} text
 */
export function css(text) {
  return text.join("");
}

/** Sheets, by their texts: all chats of a page share them. @type {Map<string, CSSStyleSheet>} */
const sheets = new Map();

/** @param {string[]} texts */
export function sheetOf(...texts) {
  const text = texts.join("\n");
  const sheet = sheets.get(text) ?? new CSSStyleSheet();
  if (!sheets.has(text)) sheet.replaceSync(text);
  sheets.set(text, sheet);
  return sheet;
}

/**
 * Adds looks to a chat's shadow root, unless it has them: a part that is loaded when it is needed brings its own.
 * @param {ShadowRoot | null} root
 * @param {...string} texts
 */
export function adopt(root, ...texts) {
  const sheet = sheetOf(...texts);
  if (root && !root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet);
}

export const looks = css`
  :host {
    --page: var(--litro-page, light-dark(#fff, #17181c));
    --raised: var(--litro-raised, light-dark(#fff, #212329));
    --sunk: var(--litro-sunk, light-dark(#f4f4f6, #101114));
    --mine: var(--litro-mine, light-dark(#f0f1f4, #2a2d35));
    --ink: var(--litro-ink, light-dark(#1b1c20, #ebebee));
    --quiet: var(--litro-quiet, light-dark(#5c5f69, #a6a9b3));
    --faint: light-dark(#9a9da6, #71747e);
    --line: var(--litro-line, light-dark(#e4e5e9, #34373f));
    --edge: var(--litro-edge, light-dark(#868a94, #797d88));
    --accent: var(--litro-accent, light-dark(#2f5bd7, #93b4ff));
    --on-accent: var(--litro-on-accent, light-dark(#fff, #0f1830));
    --good: var(--litro-good, light-dark(#23794a, #7fd0a3));
    --bad: var(--litro-bad, light-dark(#b3261e, #ffb4ab));
    --bad-soft: var(--litro-bad-soft, light-dark(#fdecea, #3a2423));
    --mono: var(--litro-mono, ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, monospace);
    display: block; block-size: 100%; min-block-size: min(16rem, 100dvh); container: chat / inline-size; background: var(--page); color: var(--ink);
    font: 1rem/1.6 var(--litro-font, system-ui, sans-serif); text-align: start; -webkit-text-size-adjust: 100%;
  }
  :host([hidden]), [hidden] { display: none !important; }
  *, ::before, ::after { box-sizing: border-box; }
  .frame { display: flex; block-size: 100%; min-block-size: inherit; }
  .main { display: flex; flex: 1; flex-direction: column; min-inline-size: 0; }
  .scroller { position: relative; display: flex; flex: 1; flex-direction: column; min-block-size: 0; overflow: auto; overscroll-behavior: contain;
    scroll-padding-block: 1rem 10rem; scrollbar-width: thin; scrollbar-color: var(--line) transparent; }
  .column { inline-size: 100%; max-inline-size: var(--litro-width, 46rem); margin-inline: auto; padding-inline: 1rem; }
  .talk { display: flex; flex: 1 0 auto; flex-direction: column; padding-block: .5rem 1.5rem; }
  .empty { display: grid; gap: 1.25rem; justify-items: center; margin: auto 0; padding-block: 2rem; text-align: center; }
  .empty h2, .empty ::slotted(h2) { margin: 0; font-size: 1.5rem; font-weight: 600; letter-spacing: -.01em; text-wrap: balance; }
  .suggestions { display: flex; flex-wrap: wrap; justify-content: center; gap: .5rem; }
  ::slotted([slot="suggestion"]) { padding: .5rem 1rem; border: 1px solid var(--line); border-radius: 1.25rem; background: var(--raised); color: var(--ink);
    font: inherit; font-size: .9375rem; cursor: pointer; }
  ::slotted([slot="suggestion"]:hover) { background: var(--mine); }
  .foot { position: sticky; inset-block-end: 0; z-index: 1; flex: none; background: var(--page); }
  .foot > .column { position: relative; padding-block-end: .75rem; }
  .foot > .column::before { content: ""; position: absolute; inset: -1.5rem 0 100%; background: linear-gradient(transparent, var(--page)); pointer-events: none; }

  button { font: inherit; color: inherit; cursor: pointer; }
  button.plain { display: inline-flex; align-items: center; gap: .375rem; min-block-size: 2.25rem; padding: .25rem .875rem; border: 1px solid var(--line); border-radius: 1.125rem; background: var(--raised); font-size: .875rem; }
  button.plain:hover { background: var(--mine); }
  button.chief { border-color: var(--accent); background: var(--accent); color: var(--on-accent); font-weight: 600; }
  button.chief:hover { background: var(--accent); filter: brightness(1.08); }
  button.quiet { display: inline-grid; place-items: center; inline-size: 2rem; block-size: 2rem; padding: 0; border: 0; border-radius: .5rem; background: none; color: var(--quiet); }
  button.quiet:hover { background: var(--mine); color: var(--ink); }
  button.link { min-block-size: 1.5rem; padding: 0; border: 0; background: none; color: var(--accent); text-decoration: underline; text-underline-offset: .2em; }
  textarea { min-inline-size: 0; border: 0; background: none; color: inherit; font: inherit; resize: none; field-sizing: content; }
  textarea:focus { outline: none; }
  .edit:focus-within { border-color: var(--accent); outline: 1px solid var(--accent); }
  .composer:has(textarea:focus) { outline: 1px solid var(--accent); }
  :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
  ::slotted(:focus-visible) { outline: 2px solid var(--accent); outline-offset: 2px; }
  .icon { inline-size: 1.125rem; block-size: 1.125rem; flex: none; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
  .actions { display: flex; gap: .125rem; min-block-size: 2rem; transition: opacity .15s; }
  .end > .actions { margin-inline-start: -.5rem; }
  .heard { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

  .fold > summary { display: inline-flex; align-items: center; gap: .5rem; max-inline-size: 100%; min-block-size: 1.75rem; padding-inline-end: .5rem; border-radius: .5rem;
    color: var(--quiet); font-size: .875rem; list-style: none; cursor: pointer; }
  .fold > summary::-webkit-details-marker { display: none; }
  .fold > summary:hover { color: var(--ink); }
  .fold > summary > .icon { inline-size: .875rem; block-size: .875rem; transition: rotate .15s; }
  .fold[open] > summary > .icon { rotate: 90deg; }
  :host(:dir(rtl)) .fold:not([open]) > summary > .icon { rotate: 180deg; }
  .fold .words { min-inline-size: 0; overflow-wrap: anywhere; }
  .busy .words { animation: breathe 1.4s ease-in-out infinite; }

  @media (hover: hover) {
    .said:not(:hover, :focus-within) > .actions { opacity: 0; }
    .turn:not(:hover, :focus-within, :last-child) > .end > .actions { opacity: 0; }
  }
  @container chat (inline-size < 30rem) {
    .said { margin-inline-start: 0; }
    .hint { display: none; }
  }
  /* So low, such as at 400 %, that a composer which stays would leave no room to read. */
  @media (max-height: 22rem) {
    .foot { position: static; }
    .scroller { scroll-padding-block: 0; }
  }
  @keyframes breathe { 50% { opacity: .4; } }
  @media (prefers-reduced-motion: reduce) {
    *, ::before, ::after { animation: none !important; transition: none !important; scroll-behavior: auto !important; }
  }
  @media (forced-colors: active) {
    .bubble, .problem, .value pre { border: 1px solid; }
    .dot { forced-color-adjust: none; }
  }
`;
