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
    """The next process writes its end, at its start or before the next message: heard if it is there by then."""
    first = await start()
    proxy = await behind(target=first)

    async def crash() -> None:
        await asyncio.to_thread(first.kill)
        proxy.target = (await start()).port

    heard = await heard_while(speaker, proxy, "say one; wait g; say two", crash)
    await speaker.say(proxy.url, "s1", "say three")
    whole = await speaker.hear(proxy.url, "s1")
    assert heard == whole[: len(heard)]
    assert "text-delta" in [event.kind for event in heard]
    assert [e.payload["status"] for e in whole if e.kind == "turn-end"] == [
        "interrupted",
        "completed",
    ]


async def test_a_message_that_waits_is_answered_by_the_process_that_comes_next(
    speaker: Speaker, behind, start
):
    first = await start()
    proxy = await behind(target=first)
    waiting: list[asyncio.Task[list[Event]]] = []

    async def ask() -> list[Event]:
        said = speaker.events(proxy.url, "s1", "say four", id="m1", on_busy="queue")
        return [event async for event in said]

    async def queue_then_crash() -> None:
        waiting.append(asyncio.create_task(ask()))
        while not await speaker.do(proxy.url, "s1", "queue"):
            await asyncio.sleep(0.01)
        await asyncio.to_thread(first.kill)
        proxy.target = (await start()).port

    await heard_while(speaker, proxy, "say one; wait g; say two", queue_then_crash)
    heard = await waiting[0]
    assert (heard[0].kind, heard[0].turn) == ("turn-start", 2)
    assert heard[-1].payload == {"status": "completed"}
