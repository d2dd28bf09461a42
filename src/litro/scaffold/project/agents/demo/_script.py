"""What the agent says where no model is at hand: enough to show a turn with a tool. Delete it once you have a key."""

import re
from collections.abc import Iterator

from litro.providers import call
from litro.providers.base import ModelEvent, ModelRequest, ResultsMessage, UserMessage


def answer(request: ModelRequest, turn: int) -> Iterator[str | ModelEvent]:
    """Ask for the weather where the person does, then speak of it."""
    last = request.messages[-1]
    if isinstance(last, ResultsMessage):
        yield from ("Here is ", "the weather.")
    elif isinstance(last, UserMessage) and "weather" in last.text.lower():
        named = re.search(r"\b[Ii]n ((?:[A-Z]\w*[ -]?)+)", last.text)
        yield "Let me look. "
        yield call("get-weather", city=named[1].strip() if named else "Lisbon")
    else:
        yield from ("I follow a script. ", "Ask me: ", "What is the weather in Lisbon?")
