"""Input from a TypedDict: that of typing_extensions, which pydantic wants before Python 3.12."""

from typing_extensions import TypedDict

from litro import tool


class Query(TypedDict):
    text: str


@tool(input=Query)
async def find(query: Query) -> list[str]:
    """Find pieces."""
    return [query["text"]]
