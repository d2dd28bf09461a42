"""An agent for the element's tests: what it says depends on what it is asked, how far it goes on files of the test."""

import asyncio
import os
from collections.abc import AsyncGenerator
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request

from litro import Agent
from litro.errors import ProviderError
from litro.providers import call, reasoning, scripted
from litro.providers.base import ModelRequest, ResultsMessage
from litro.providers.script import ScriptItem

GATES = Path(os.environ["GATES"])


async def gate(name: str) -> None:
    """Wait for the test's file."""
    while not (GATES / name).exists():  # Another process makes the file.
        await asyncio.sleep(0.02)


async def gated(name: str) -> AsyncGenerator[ScriptItem]:
    yield "The first half. The sec"
    await gate(name)
    yield "ond half."


async def thinking(name: str) -> AsyncGenerator[ScriptItem]:
    yield reasoning("First this. ")
    if name:
        await gate(name)
    yield reasoning("Then that.")
    yield "I have thought."


async def failing(_: str) -> AsyncGenerator[ScriptItem]:
    yield "I try. "
    raise ProviderError("overloaded", "529")


SCRIPTS = {"gate": gated, "think": thinking, "fail": failing}
CALLS = {
    "weather": lambda _: call("get-weather", city="Lisbon"),
    "count": lambda name: call("count-to", name=name),
    "big": lambda _: call("read-file", path="big.txt"),
    "break": lambda _: call("break-it"),
    "echo": lambda text: call("echo", text=text),
}


async def answer(request: ModelRequest, turn: int) -> AsyncGenerator[ScriptItem]:
    last = request.messages[-1]
    if isinstance(last, ResultsMessage):
        yield "Here it is. "
        yield "It is a good day for a walk."
        return
    text = "weather" if "weather" in last.text else last.text
    word, _, rest = text.partition(" ")
    if word in CALLS:
        yield "Let me look. "
        yield CALLS[word](rest)
    elif word in SCRIPTS:
        async for item in SCRIPTS[word](rest):
            yield item
    elif word == "pieces":
        for number in range(int(rest)):
            yield f"Piece {number}.\n\n" if number % 100 == 99 else f"piece {number}, "
    elif word == "lines":
        yield "\n\n".join(f"Line {number}." for number in range(int(rest)))
    else:
        yield f"You said: {text}"


async def unless_refused(request: Request) -> str | None:
    if request.cookies.get("refused"):
        raise HTTPException(403, "Your trial has ended. Ask Ada for access.")
    return request.cookies.get("user")


agent = Agent(scripted(answer), access=unless_refused)
