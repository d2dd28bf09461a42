"""What a type checker has to object to. Each line is marked, and an unneeded mark is an error too."""

from litro import Agent, Agnet, Tool, create_app, tool  # type: ignore[attr-defined]
from litro.providers import scritped  # type: ignore[attr-defined]
from litro.ui import UIResult, ui

misspelt = Agent("openai:gpt-5", max_round=3)  # type: ignore[arg-type]
unknown = Agent("openai:gpt-5", on_busy="wait")  # type: ignore[arg-type]
lost = create_app()  # type: ignore[call-arg]


@tool
def add(a: int, b: int) -> int:
    return a + b


add("1", 2)  # type: ignore[arg-type]
words: str = add(1, 2)  # type: ignore[assignment]
card: UIResult[str] = ui("", data=1)  # type: ignore[arg-type]
other: Tool[[str], int] = add  # type: ignore[assignment]
