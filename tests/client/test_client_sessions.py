"""Both clients' sessions against a real server: lists, titles, forks, the queue, and parts of a log."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import pytest
from proxy import Plan
from serving import Server
from speakers import Python, Speaker

from litro.errors import RemoteError
from litro.events import Event


@pytest.fixture
def base(server: Server) -> str:
    return f"http://127.0.0.1:{server.port}"


@pytest.fixture
async def running(
    speaker: Speaker, base: str, server: Server, session: str, gate: str
) -> AsyncIterator[asyncio.Task[list[Event]]]:
    """A turn that runs until its gate is opened."""
    running = asyncio.create_task(speaker.say(base, session, f"wait {gate}; say one"))
    await asyncio.to_thread(server.reached, gate)
    yield running
    server.let(gate)
    await running


async def waiting(speaker: Speaker, base: str, session: str, *messages: str) -> None:
    """Wait until exactly these messages wait."""
    while [told["id"] for told in await speaker.do(base, session, "queue")] != list(messages):
        await asyncio.sleep(0.01)


def heard(
    speaker: Speaker, base: str, session: str, text: str, **more: Any
) -> "asyncio.Task[list[Event]]":
    """Say something, as a task."""

    async def collect() -> list[Event]:
        async with aclosing(speaker.events(base, session, text, **more)) as events:  # type: ignore[type-var]
            return [event async for event in events]

    return asyncio.create_task(collect())


async def refused(answer: Any) -> str:
    with pytest.raises(RemoteError) as caught:
        await answer
    return caught.value.type


async def test_a_message_that_waits_is_heard_from_its_own_turn_s_start(
    speaker: Speaker, base: str, server: Server, session: str, gate: str, running: Any
):
    first = heard(speaker, base, session, "say two", id="m 1", on_busy="queue")
    await waiting(speaker, base, session, "m 1")
    second = heard(speaker, base, session, "say three", id="m/2", on_busy="queue")
    await waiting(speaker, base, session, "m 1", "m/2")
    server.let(gate)
    for turn, events in ((2, await first), (3, await second)):
        kinds = [event.kind for event in events]
        assert {event.turn for event in events} == {turn}
        assert (kinds[0], kinds[-1]) == ("turn-start", "turn-end")
    log = await speaker.part(base, session)
    assert (await running) + (await first) + (await second) == [
        event for event in log if event.kind != "queued" or event.turn == 1
    ]


async def test_a_message_that_steers_is_heard_from_where_it_joined(
    speaker: Speaker, base: str, server: Server, session: str, gate: str
):
    running = heard(speaker, base, session, f'call hold {{"gate": "{gate}"}}')
    await asyncio.to_thread(server.reached, gate)
    steering = heard(speaker, base, session, "say two", id="m1", on_busy="steer")
    await waiting(speaker, base, session, "m1")
    server.let(gate)
    whole, part = await running, await steering
    assert part == whole[-len(part) :]
    assert (part[0].kind, part[0].payload["id"]) == ("message", "m1")
    assert part[-1].kind == "turn-end"


async def test_a_message_that_waits_is_heard_once_over_connections_that_break(
    speaker: Speaker,
    behind: Any,
    base: str,
    server: Server,
    session: str,
    gate: str,
    running: Any,
):
    """The answer that it waits is cut, then what comes while it waits, then its own turn."""
    cuts = (Plan(after=20), Plan(after=520, how="rst"), Plan(after=700), Plan(after=900, how="rst"))
    proxy = await behind(*cuts)
    sending = heard(speaker, proxy.url, session, "say two; say three", id="m1", on_busy="queue")
    await waiting(speaker, base, session, "m1")
    server.let(gate)
    await running
    log = await sending
    assert log == [e for e in await speaker.part(base, session) if e.turn == 2]
    assert len(proxy.requests) > 2


@pytest.mark.usefixtures("running")
async def test_of_a_message_that_was_withdrawn_nothing_else_comes(
    speaker: Speaker, base: str, session: str
):
    sending = heard(speaker, base, session, "say two", id="m/1", on_busy="queue")
    await waiting(speaker, base, session, "m/1")
    assert await speaker.do(base, session, "withdraw", "m/1") is True
    assert await speaker.do(base, session, "withdraw", "never") is False
    (event,) = await sending
    assert (event.kind, event.payload) == ("withdrawn", {"id": "m/1"})


@pytest.mark.usefixtures("running")
async def test_a_message_that_may_not_wait_is_an_error_at_once(
    speaker: Speaker, base: str, session: str
):
    assert await refused(heard(speaker, base, session, "say two", on_busy="reject")) == "busy"
    assert await refused(speaker.do(base, session, "delete")) == "busy"


async def test_sessions_are_listed_renamed_forked_and_deleted(
    speaker: Speaker, base: str, session: str
):
    said = await speaker.say(base, session, "say one")
    await speaker.say(base, session, "say two")
    assert await speaker.do(base, session, "rename", " Zwei Fragen ") == "Zwei Fragen"
    page = await speaker.do(base, session, "sessions", None, 1)
    (told,) = page["sessions"]
    assert (told["session"], told["title"]) == (session, "Zwei Fragen")
    fork = await speaker.do(base, session, "fork", said[-1].seq + 1, f"{session}-fork")
    assert fork == {"session": f"{session}-fork", "at": said[-1].seq}
    assert await speaker.part(base, fork["session"]) == said
    assert (await speaker.do(base, session, "fork", None, None))["at"] > said[-1].seq
    behind = await speaker.do(base, session, "sessions", page["next"], 200)
    assert session not in [told["session"] for told in behind["sessions"]]
    assert await speaker.do(base, session, "delete") is None
    assert await speaker.part(base, session) == []
    assert await refused(speaker.do(base, session, "rename", "x")) == "unknown-session"


async def test_a_refusal_is_an_error_with_its_type(speaker: Speaker, base: str, session: str):
    await speaker.say(base, session, "say one")
    assert await refused(speaker.do(base, session, "rename", "")) == "invalid-title"
    assert await refused(speaker.do(base, session, "fork", 1, None)) == "no-turn-end"
    assert await refused(speaker.do(base, session, "fork", None, session)) == "session-exists"
    assert await refused(speaker.do(base, session, "sessions", "x", 5)) == "invalid-cursor"


async def test_a_part_of_a_log_has_gaps_where_text_deltas_were_left_out_and_ends_at_its_limit(
    speaker: Speaker, base: str, session: str
):
    await speaker.say(base, session, "say one; think two; say three")
    await speaker.say(base, session, "say four")
    whole = await speaker.part(base, session)
    left = [event for event in whole if event.kind != "text-delta"]
    assert len(left) < len(whole)
    assert await speaker.part(base, session, deltas=False) == left
    assert await speaker.part(base, session, deltas=False, limit=3) == left[:3]
    assert await speaker.part(base, session, -4, limit=2) == whole[-4:-2]


async def test_a_reader_without_deltas_hears_the_round_in_flight(
    speaker: Speaker, base: str, server: Server, session: str, gate: str
):
    running = heard(speaker, base, session, f"say one; wait {gate}; say two")
    await asyncio.to_thread(server.reached, gate)
    reading = asyncio.create_task(speaker.part(base, session, deltas=False))
    server.let(gate)
    assert (await reading)[-1] == (await running)[-1]


async def test_the_python_client_refuses_a_limit_that_is_none(base: str, session: str):
    with pytest.raises(ValueError, match="1 or more"):
        await Python().part(base, session, limit=0)
