"""Input from a pydantic model."""

from pydantic import BaseModel, Field

from litro import tool


class Order(BaseModel):
    piece: str
    pieces: int = Field(ge=1, le=10)


@tool(input=Order)
def order(order: Order) -> Order:
    """Order pieces."""
    return order
