"""Both clients while their server goes away and comes back, on the real one's goodbye and without any."""

import asyncio
import signal
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from proxy import Proxy
from serving import Server, make_project
from speakers import Speaker

from litro.events import Event
from litro.wire import events_of


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[Callable[[], Any]]:
    """Start a server, each over the same project."""
    project = make_project(tmp_path / "app")
    servers: list[Server] = []

    async def start() -> Server:
        servers.append(await asyncio.to_thread(Server, project))
        return servers[-1]

    yield start
    for server in servers:
        if server.process.returncode is None:
            server.kill()


async def heard_while(
    speaker: Speaker, proxy: Proxy, text: str, happens: Callable[[], Any]
) -> list[Event]:
    """What is heard of a turn in which something happens after its first text."""
    heard: list[Event] = []
    happening: asyncio.Task[None] | None = None
    async for event in speaker.events(proxy.url, "s1", text):
        heard.append(event)
        if event.kind == "text-delta" and happening is None:
            happening = asyncio.create_task(happens())
    assert happening is not None
    await happening
    return heard


def log(server: Server) -> list[Event]:
    return list(events_of(b"".join(server.log("s1"))))


async def test_a_turn_goes_on_over_a_rolling_restart(speaker: Speaker, behind, start):
    first, second = await start(), await start()
    proxy = await behind(target=first)

    async def roll() -> None:
        proxy.target = second.port
        first.signal(signal.SIGTERM)
        await proxy.connections(2)
        first.let("g")
        await asyncio.to_thread(first.ended)

    heard = await heard_while(speaker, proxy, "say one; wait g; say two", roll)
    assert heard == log(first)
    assert heard[-1].payload == {"status": "completed"}


async def test_what_a_shutdown_interrupts_is_heard_to_its_end(speaker: Speaker, behind, start):
    first = await start()
    proxy = await behind(target=first)

    async def restart() -> None:
        await asyncio.to_thread(first.stop)
        proxy.target = (await start()).port

    heard = await heard_while(speaker, proxy, "say one; wait g; say two", restart)
    assert heard == log(first)
    assert heard[-1].payload == {"status": "interrupted"}


async def test_a_turn_that_died_with_its_process_ends_where_its_log_does(
    speaker: Speaker, behind, start
):
    """Nobody has written its end: whoever speaks next in the session does."""
    first = await start()
    proxy = await behind(target=first)

    async def crash() -> None:
        await asyncio.to_thread(first.kill)
        proxy.target = (await start()).port

    heard = await heard_while(speaker, proxy, "say one; wait g; say two", crash)
    assert heard == log(first)
    assert heard[-1].kind == "text-delta"
    await speaker.say(proxy.url, "s1", "say three")
    whole = await speaker.hear(proxy.url, "s1")
    assert [e.payload["status"] for e in whole if e.kind == "turn-end"] == [
        "interrupted",
        "completed",
    ]
