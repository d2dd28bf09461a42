"""An agent for the page's tests: what it says depends on what it is asked, and how far it goes on files of the test."""

import asyncio
import os
from collections.abc import AsyncGenerator
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request

from litro import Agent, visitor
from litro.errors import ProviderError
from litro.providers import call, pause, scripted
from litro.providers.base import ModelRequest, ResultsMessage
from litro.providers.script import ScriptItem

GATES = Path(os.environ["GATES"])


async def answer(request: ModelRequest, turn: int) -> AsyncGenerator[ScriptItem]:
    last = request.messages[-1]
    if isinstance(last, ResultsMessage):
        yield "Here is the weather. It is a good day for a walk."
        return
    text = request.messages[-1].text
    word, _, rest = text.partition(" ")
    if "weather" in text:
        yield "Let me look. "
        yield call("get-weather", city="Lisbon")
    elif word == "gate":
        yield "The first half. The sec"
        while not (GATES / rest).exists():  # Another process makes the file.
            await asyncio.sleep(0.02)
        yield "ond half."
    elif word == "endless":
        yield "I begin. "
        yield pause(3600)
    elif word == "fail":
        yield "I try. "
        raise ProviderError("overloaded", "529")
    else:
        yield f"You said: {text}"


async def unless_refused(request: Request) -> str:
    if request.cookies.get("refused"):
        raise HTTPException(403, "Your trial has ended. Ask Ada for access.")
    return request.cookies.get("user") or visitor(request)


agent = Agent(scripted(answer), access=unless_refused)
