from markupsafe import Markup

from litro import tool
from litro.ui import ui


@tool
def card(city: str):
    """Show a card."""
    return ui(Markup("<b>{}</b>").format(city), data={"city": city})
