"""A card to read: no component's code is in it. What is shown is put into the rendered markup by `apply`, as text."""

from look import STYLES
from weather import card

from litro.mcp import McpApp

APPLY = """
({ shadowRoot }, { city, temp_c, summary }) => {
  const [heading, temperature, words] = shadowRoot.querySelectorAll("h2, p");
  heading.textContent = city;
  temperature.textContent = `${Math.round((temp_c * 9) / 5 + 32)} °F`;
  words.textContent = summary;
}
"""

app = McpApp(
    shell=card(None, plain=True),
    title="Tomorrow's weather",
    styles=STYLES,
    live=False,
    apply=APPLY,
    prefers_border=False,
)
