"""A component for the person, data for the model, and every option."""

from typing import Annotated, TypedDict

from pydantic import Field

from litro import tool
from litro.ui import UIResult, element, html, ui


class Price(TypedDict):
    """What the model reads."""

    symbol: str
    cents: int


@tool(
    timeout=5,
    title="A share's price",
    read_only=True,
    destructive=False,
    idempotent=True,
    open_world=True,
    icons=["https://shop.example/price.png"],
    app="price-card",
    visibility=("model", "app"),
)
async def get_price(
    symbol: Annotated[str, Field(min_length=1, max_length=8)],
) -> UIResult[Price]:
    """Get a share's price."""
    price: Price = {"symbol": symbol, "cents": 1230}
    card = html("<h2>{count} price</h2>{card}", count=1, card=element("price-card", symbol=symbol))
    return ui(card, data=price)
