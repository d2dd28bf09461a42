"""An agent for the inspector's tests: what it says depends on what it is asked, how far it goes on files of the test."""

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path
from typing import Any

from starlette.requests import Request

from litro import Agent
from litro.errors import ProviderError
from litro.providers import call, reasoning, scripted
from litro.providers.base import ModelEvent, ModelRequest, ResultsMessage, Usage
from litro.providers.script import ScriptItem

GATES = Path(os.environ["GATES"])


async def answer(request: ModelRequest, turn: int) -> AsyncGenerator[ScriptItem]:
    last = request.messages[-1]
    yield Usage(input_tokens=1000 + len(request.messages), output_tokens=20, cached_tokens=512)
    if isinstance(last, ResultsMessage):
        yield "It is a good day "
        yield "for a walk."
        return
    word, _, rest = last.text.partition(" ")
    if word == "weather":
        yield reasoning("They want the weather, so I look it up.")
        yield "Let me look. "
        yield call("get-weather", city=rest or "Lisbon")
    elif word == "count":
        yield call("count-to", name=rest)
        yield call("get-weather", city="Porto")
    elif word == "leak":
        yield call("leak-html")
    elif word == "gate":
        yield "The first half. The sec"
        while not (GATES / rest).exists():  # Another process makes the file.
            await asyncio.sleep(0.02)
        yield "ond half."
    elif word == "many":
        for number in range(int(rest)):
            yield f"piece {number} "
    elif word == "fail":
        yield "I try. "
        raise ProviderError("overloaded", "529")
    else:
        yield f"You said: {last.text}"


class Told:
    """The script as a provider that tells what it posts, as those with a server do."""

    name = "told"
    model = "script-1"

    def __init__(self) -> None:
        self._script = scripted(answer)

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        return self._script.stream(request)

    def body(self, request: ModelRequest) -> dict[str, Any]:
        return {"model": self.model, "input": [repr(message) for message in request.messages]}


async def person(request: Request) -> str | None:
    return request.cookies.get("user")


agent = Agent(Told(), access=person)
