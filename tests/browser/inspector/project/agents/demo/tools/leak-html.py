"""A tool that puts its card into its data as well, which is what the inspector is to find."""

from markupsafe import Markup

from litro import tool
from litro.ui import UIResult, ui

CARD = Markup('<p class="card">The card of "Ada" &amp; others</p>')


@tool
async def leak_html() -> UIResult[dict[str, str]]:
    """Leak."""
    return ui(CARD, data={"html": str(CARD)})
