// What the host looks like: the CSS variables of MCP Apps that it hands to cards, for a light and a dark theme.

/** @typedef {"light" | "dark"} Theme */

const SHARED = {
  "--font-sans": "system-ui, sans-serif",
  "--font-mono": "ui-monospace, monospace",
  "--font-weight-normal": "400",
  "--font-weight-medium": "500",
  "--font-weight-semibold": "600",
  "--font-weight-bold": "700",
  "--font-text-xs-size": "0.75rem",
  "--font-text-sm-size": "0.875rem",
  "--font-text-md-size": "1rem",
  "--font-text-lg-size": "1.125rem",
  "--font-heading-sm-size": "1rem",
  "--font-heading-md-size": "1.25rem",
  "--font-heading-lg-size": "1.5rem",
  "--font-text-md-line-height": "1.5",
  "--font-heading-md-line-height": "1.25",
  "--border-radius-sm": "4px",
  "--border-radius-md": "8px",
  "--border-radius-lg": "12px",
  "--border-radius-full": "9999px",
  "--border-width-regular": "1px",
};

const LIGHT = {
  "--color-background-primary": "#ffffff",
  "--color-background-secondary": "#f4f5f7",
  "--color-background-tertiary": "#e9ebef",
  "--color-background-inverse": "#17191e",
  "--color-background-info": "#e6f0ff",
  "--color-background-danger": "#fdeaea",
  "--color-background-success": "#e5f6ea",
  "--color-background-warning": "#fff3d9",
  "--color-text-primary": "#17191e",
  "--color-text-secondary": "#545b68",
  "--color-text-tertiary": "#767d8a",
  "--color-text-inverse": "#ffffff",
  "--color-text-info": "#0b57d0",
  "--color-text-danger": "#b3261e",
  "--color-text-success": "#146c2e",
  "--color-text-warning": "#7a4f01",
  "--color-border-primary": "#d3d7de",
  "--color-border-secondary": "#e4e7ec",
  "--color-ring-primary": "#0b57d0",
  "--shadow-sm": "0 1px 2px rgb(0 0 0 / 0.08)",
  "--shadow-md": "0 4px 12px rgb(0 0 0 / 0.1)",
};

const DARK = {
  "--color-background-primary": "#17191e",
  "--color-background-secondary": "#20242b",
  "--color-background-tertiary": "#2b3038",
  "--color-background-inverse": "#ffffff",
  "--color-background-info": "#11284d",
  "--color-background-danger": "#4a1715",
  "--color-background-success": "#0f3a1d",
  "--color-background-warning": "#402c05",
  "--color-text-primary": "#f1f3f6",
  "--color-text-secondary": "#b3bac6",
  "--color-text-tertiary": "#8b93a1",
  "--color-text-inverse": "#17191e",
  "--color-text-info": "#9ac1ff",
  "--color-text-danger": "#ffb4ab",
  "--color-text-success": "#8fdba4",
  "--color-text-warning": "#f4c969",
  "--color-border-primary": "#3a404a",
  "--color-border-secondary": "#2b3038",
  "--color-ring-primary": "#9ac1ff",
  "--shadow-sm": "0 1px 2px rgb(0 0 0 / 0.4)",
  "--shadow-md": "0 4px 12px rgb(0 0 0 / 0.5)",
};

/**
 * @param {Theme} theme
 * @returns {Record<string, string>}
 */
export function variablesOf(theme) {
  return { ...(theme === "dark" ? DARK : LIGHT), ...SHARED };
}
