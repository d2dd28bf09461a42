import { css } from "lit";

/**
 * What the cards have in common. An MCP host that names its colours and fonts (as `--color-…`, `--font-…`) gets them; anywhere else,
 * they are those of the page.
 */
export const look = css`
  :host {
    font-family: var(--font-sans, inherit);
    color: var(--color-text-primary, inherit);
  }
  article {
    box-sizing: border-box;
    padding: 0.75rem 1rem;
    border: var(--border-width-regular, 1px) solid var(--color-border-primary, currentColor);
    border-radius: var(--border-radius-lg, 0.75rem);
    background: var(--color-background-primary, transparent);
    overflow-wrap: anywhere;
  }
  h2,
  p {
    /* As high empty as filled: a host need not make room once the data is there. */
    min-height: 1lh;
    margin: 0;
    font-size: 1rem;
  }
  button,
  input {
    box-sizing: border-box;
    padding: 0.25rem 0.75rem;
    border: var(--border-width-regular, 1px) solid var(--color-border-secondary, currentColor);
    border-radius: var(--border-radius-md, 0.5rem);
    background: none;
    color: inherit;
    font: inherit;
    font-size: 0.875rem;
  }
  button {
    cursor: pointer;
  }
  button[aria-disabled="true"] {
    opacity: 0.6;
    cursor: progress;
  }
  :focus-visible {
    outline: 2px solid var(--color-ring-primary, currentColor);
    outline-offset: 2px;
  }
`;
