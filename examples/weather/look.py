"""The style sheet of the MCP apps: what a host says of colours and fonts, and what holds where it says nothing."""

# A host sets its variables on the root element itself, which wins over the rules here.
STYLES = """
:root {
  color-scheme: light dark;
  --color-text-primary: light-dark(#1d1f23, #eceae6);
  --color-text-secondary: light-dark(#5d6068, #a3a6ae);
  --color-background-primary: light-dark(#fff, #1f2126);
  --color-border-primary: light-dark(#dcdad5, #373a41);
  --color-border-secondary: light-dark(#8b8e96, #74777f);
  --color-ring-primary: light-dark(#1a5fb4, #8ab8f5);
  --font-sans: system-ui, sans-serif;
}
:root[data-theme="light"] { color-scheme: light }
:root[data-theme="dark"] { color-scheme: dark }
body {
  margin: 0;
  color: var(--color-text-primary);
  font: var(--font-text-md-size, 1rem) / var(--font-text-md-line-height, 1.5) var(--font-sans);
}
"""
