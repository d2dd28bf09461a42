"""An agent whose answers are of every kind. A message is an order: `KIND COUNT #NONCE`.

Each answer begins with how many messages the model has read, and a checksum of their nonces: whether the conversation that
it got is the one that the log has, after whatever happened, is seen by every reader.
"""

import re
import zlib
from collections.abc import AsyncGenerator

from litro import Agent
from litro.errors import ProviderError
from litro.providers import call, pause, reasoning, scripted
from litro.providers.base import (
    AssistantMessage,
    CallMade,
    Finished,
    ModelRequest,
    ToolCall,
    Usage,
    UserMessage,
)
from litro.providers.script import ScriptItem

FAULT = "provoked by the campaign"


def calls(count: int) -> list[ToolCall]:
    """A round of calls, all of which run side by side."""
    all_kinds = [
        call("echo", text="one"),
        call("fails"),
        call("card", city="Lisbon"),
        call("steps", count=6),
        call("blocks", seconds=0.1),
        call("refuses", why=FAULT),
        call("echo", words="no such argument"),
        call("missing"),
    ]
    return all_kinds[:count]


async def script(request: ModelRequest, _count: int) -> AsyncGenerator[ScriptItem]:
    said = [message for message in request.messages if isinstance(message, UserMessage)]
    nonces = re.findall(r"#(\w+)", " ".join(message.text for message in said))
    yield f"[{len(nonces)} {zlib.crc32(' '.join(nonces).encode())}] "
    kind, number, *_ = said[-1].text.split()
    at = max(n for n, message in enumerate(request.messages) if isinstance(message, UserMessage))
    rounds = sum(
        isinstance(message, AssistantMessage)
        and any(isinstance(c, CallMade) for c in message.calls)
        for message in request.messages[at:]
    )
    async for item in answer(kind, int(number), rounds):
        yield item


async def answer(kind: str, count: int, rounds: int) -> AsyncGenerator[ScriptItem]:
    match kind:
        case "rounds" if rounds < count:
            yield call("echo", text=f"round {rounds}")
        case "many" if rounds == 0:
            for each in calls(count):
                yield each
        case "card" if rounds == 0:
            yield call("card", city=f"City {count}")
        case "hold" if rounds == 0:
            yield call("hold", seconds=count)
        case "big" if rounds == 0:
            yield call("big", size=count)
        case "rounds" | "many" | "card" | "hold" | "big":
            yield "That is it."
        case _:
            async for item in words(kind, count):
                yield item


async def words(kind: str, count: int) -> AsyncGenerator[ScriptItem]:
    if kind == "think":
        for n in range(count):
            yield reasoning(f"thought {n} ")
        yield Usage(input_tokens=count, output_tokens=count)
    wait = 0.02 if kind == "long" else 0.002
    for n in range(count):
        yield f"word {n} é\n"
        yield pause(wait)
    if kind == "breaks":
        yield ProviderError("overloaded", FAULT)
    if kind == "raises":
        raise RuntimeError(FAULT)
    yield Finished(stop="end")


agent = Agent(scripted(script), "Follow the order.")
