"""Input from an object that checks it."""

from typing import Any

from litro import tool


class Colours:
    def validate(self, value: Any) -> int:
        return int(value["code"], 16)

    def json_schema(self) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": {"code": {"type": "string"}},
            "required": ["code"],
        }


@tool(input=Colours())
def name_colour(code: int) -> str:
    """Name a colour."""
    return "green" if code == 0x0F0 else "another"
