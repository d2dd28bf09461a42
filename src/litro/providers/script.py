"""A model that follows a script: for demos without a key, and for tests of agents.

    scripted(lambda request, turn: ["Checking ", call("get-weather", city="Lisbon")])

It takes the same way through Litro as any other model. It is not a mock: nothing is patched, and it records nothing.
"""

import asyncio
import inspect
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Iterable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Final, cast

from litro.errors import ProviderError
from litro.providers.base import (
    Finished,
    ModelEvent,
    ModelRequest,
    Provider,
    ReasoningDelta,
    TextDelta,
    ToolCall,
    Usage,
)

_BURST: Final = 16


@dataclass(frozen=True, slots=True)
class Pause:
    """A silence of the model."""

    seconds: float


ScriptItem = str | ModelEvent | Pause | ProviderError
"""A string is a piece of the answer, an event itself, a `ProviderError` is raised."""

ScriptItems = Iterable[ScriptItem] | AsyncIterable[ScriptItem]

Script = Callable[[ModelRequest, int], ScriptItems | Awaitable[ScriptItems]]
"""What the model says to a request. The second argument counts the provider's requests, from 1."""


def call(name: str, /, **input: Any) -> ToolCall:  # noqa: A002 - the log's own name for it
    """A tool call: `call("get-weather", city="Lisbon")`."""
    return ToolCall(name, input)


def pause(seconds: float) -> Pause:
    """A silence before what follows."""
    return Pause(seconds)


def reasoning(text: str) -> ReasoningDelta:
    """A piece of reasoning."""
    return ReasoningDelta(text)


def scripted(script: Script, *, name: str = "scripted") -> Provider:
    """A provider that answers what `script` says.

    The script may be a function, a generator, or async in either form. `Finished` is added at the end (`tools`
    after calls, else `end`) unless the script yields it. Better than counting turns is to look at the request:
    the count is the provider's, not the session's.

    Args:
        script: Takes the request and the count, answers items.
        name: The provider's name.
    """
    return ScriptedModel(script, name)


class ScriptedModel:
    """The provider."""

    def __init__(self, script: Script, name: str) -> None:
        self.name = name
        self._script = script
        self._turn = 0

    def __repr__(self) -> str:
        return f"<scripted {self.name!r}>"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """The script's items, one by one; see `Provider.stream`."""
        self._turn += 1
        items = self._script(request, self._turn)
        if inspect.isawaitable(items):
            items = await items
        called = False
        count = 0
        async with aclosing(_each(items)) as each:
            async for item in each:
                count += 1
                if count % _BURST == 0:
                    # A long script without a pause in it would keep everybody else waiting.
                    await asyncio.sleep(0)
                event = await _event(item)
                if event is None:
                    continue
                yield event
                called = called or isinstance(event, ToolCall)
                if isinstance(event, Finished):
                    return
        yield Finished(stop="tools" if called else "end")


async def _each(items: ScriptItems) -> AsyncGenerator[ScriptItem]:
    if isinstance(items, AsyncGenerator):
        async with aclosing(cast("AsyncGenerator[ScriptItem]", items)) as generator:
            async for item in generator:
                yield item
    elif isinstance(items, AsyncIterable):
        async for item in items:
            yield item
    else:
        for item in [items] if isinstance(items, str) else items:
            yield item


async def _event(item: object) -> ModelEvent | None:
    """What the item says, or None where it only takes its time."""
    if isinstance(item, str):
        return TextDelta(item) if item else None
    if isinstance(item, Pause):
        await asyncio.sleep(item.seconds)
        return None
    if isinstance(item, ProviderError):
        raise item
    if isinstance(item, TextDelta | ReasoningDelta | ToolCall | Usage | Finished):
        return item
    msg = (
        f"scripted: the script answered {item!r:.80}, so an item of another kind is required.\n"
        "Use a string, call(…), reasoning(…), pause(…), a ProviderError or a model event."
    )
    raise TypeError(msg)
