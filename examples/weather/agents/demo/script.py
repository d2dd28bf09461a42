"""What the agent says where no model is at hand: enough to show a turn with a tool."""

from collections.abc import Iterator

from litro.providers import call
from litro.providers.base import ModelEvent, ModelRequest, ResultsMessage, UserMessage


def answer(request: ModelRequest, turn: int) -> Iterator[str | ModelEvent]:
    """Ask for the weather where the person does, then speak of it."""
    last = request.messages[-1]
    if isinstance(last, ResultsMessage):
        yield from ("Here is the ", "weather card.")
    elif isinstance(last, UserMessage) and "weather" in last.text.lower():
        yield "Checking the weather. "
        yield call("get-weather", city="Lisbon")
    else:
        yield from ("How can ", "I help?")
