"""Litro's app, whose tools are called on the wire as the conformance suite calls them.

The suite wants tools named `test_…`. Litro takes a file of such a name for a test, so the project's are named `case_…`, which is
as long. Bytes of names change here, and nothing else does.
"""

from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any

from litro import create_app

OURS, THEIRS = b"case_", b"test_"

Event = MutableMapping[str, Any]

litro = create_app(Path(__file__).parent)


async def app(
    scope: Event,
    receive: Callable[[], Awaitable[Event]],
    send: Callable[[Event], Awaitable[None]],
) -> None:
    """Every name of the suite's in, and every name of ours out."""

    async def received() -> Event:
        return renamed(await receive(), THEIRS, OURS)

    async def sent(event: Event) -> None:
        await send(renamed(event, OURS, THEIRS))

    if scope["type"] == "http":
        headers = [(name, value.replace(THEIRS, OURS)) for name, value in scope["headers"]]
        await litro({**scope, "headers": headers}, received, sent)
    else:
        await litro(scope, receive, send)


def renamed(event: Event, old: bytes, new: bytes) -> Event:
    return {**event, "body": event["body"].replace(old, new)} if event.get("body") else event
