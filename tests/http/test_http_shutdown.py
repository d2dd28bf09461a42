"""The server goes away: streams say from where to resume, turns get their grace, nothing is lost."""

import json
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
from serving import Client
from wiretap import events, frames, seqs

from litro import create_app
from litro.app import Litro

GRACE = 1
EXIT = GRACE + 2

Start = Callable[..., Client]
HOSTS = {
    "serve": {},
    "mounted with lifespan": {"app": "with_lifespan", "mount": "/ai"},
    "mounted without lifespan": {"app": "without_lifespan", "mount": "/ai"},
}


@pytest.mark.parametrize(
    ("host", "number"),
    [
        ("serve", signal.SIGTERM),
        ("serve", signal.SIGINT),
        ("mounted with lifespan", signal.SIGTERM),
        ("mounted without lifespan", signal.SIGTERM),
        ("mounted without lifespan", signal.SIGINT),
    ],
)
def test_a_turn_that_outlasts_its_grace_is_interrupted_and_can_be_resumed_without_a_gap(
    start: Start, session: str, gate: str, host: str, number: int
):
    client = start(**HOSTS[host], LITRO_GRACE=str(GRACE))
    client.post(session, "say before").all()
    posted = client.post(session, f"say one; wait {gate}; say two")
    listening = client.get(session, "?from=-1", accept="text/event-stream")
    heard = posted.until("text-delta")
    listening.until("text-delta")
    client.server.signal(number)

    heard += posted.lines()
    following = json.loads(heard.pop())["bye"]["next"]
    assert following == seqs(heard)[-1] + 1
    assert frames(listening.all())[-1] == {
        "event": "bye",
        "data": json.dumps({"bye": {"next": following}}, separators=(",", ":")),
    }
    client.server.ended(EXIT)

    again = start(**HOSTS[host])
    rest = again.get(session, f"?from={following}").lines()
    assert rest.pop() == b'{"done":true}\n'
    log = [line for line in again.server.log(session) if line.startswith(b'{"seq":')]
    assert heard + rest == log[-len(heard + rest) :]
    assert events(rest)[-1]["payload"] == {"status": "interrupted"}


@pytest.mark.parametrize("host", HOSTS)
def test_a_turn_that_ends_within_its_grace_is_completed(
    start: Start, session: str, gate: str, host: str
):
    client = start(**HOSTS[host], LITRO_GRACE="20")
    connection = client.connect()
    posted = client.post(session, f"say one; wait {gate}; say two")
    posted.until("text-delta")
    client.server.signal(signal.SIGTERM)
    assert b"bye" in posted.lines()[-1]
    if host == "mounted without lifespan":
        # The host hears of the signal later, since nobody would tell it to wait for the turn.
        assert b"bye" in client.get(session).lines()[-1]
        assert client.post(f"{session}2", "say late").told() == (503, "going-away")
    else:
        assert connection.closed_by_the_server()
    client.server.let(gate)
    # Its end is what ends the wait, long before the grace does.
    client.server.ended(EXIT)
    assert events(client.server.log(session))[-1]["payload"] == {"status": "completed"}


@pytest.mark.parametrize("host", HOSTS)
def test_a_turn_that_nobody_listens_to_gets_its_grace_as_well(
    start: Start, session: str, gate: str, host: str
):
    client = start(**HOSTS[host], LITRO_GRACE=str(GRACE))
    connection = client.connect()
    body = f'{{"text": "say one; wait {gate}"}}'.encode()
    path = f"{client.mount}/__litro/agent/open/{session}"
    connection.ask("POST", path, body).until("text-delta")
    connection.reset()
    client.server.signal(signal.SIGTERM)
    client.server.ended(EXIT)
    assert events(client.server.log(session))[-1]["payload"] == {"status": "interrupted"}


@pytest.mark.parametrize("host", HOSTS)
def test_idle_connections_keep_nobody_waiting(start: Start, session: str, host: str):
    client = start(**HOSTS[host], LITRO_GRACE="20")
    client.post(session, "say one").all()
    client.server.signal(signal.SIGTERM)
    client.server.ended(EXIT)


@pytest.mark.parametrize(
    "host",
    [
        "serve",
        "mounted with lifespan",
        "mounted without lifespan",
    ],
)
def test_a_client_that_does_not_read_keeps_nobody_waiting(start: Start, session: str, host: str):
    # Only uvicorn can abandon a connection, so a host app's command has to say when.
    options = ["--timeout-graceful-shutdown", "2"] if host != "serve" else []
    client = start(**HOSTS[host], options=options, LITRO_GRACE=str(GRACE))
    client.post(session, "flood 500").all()
    stalled = client.get(session)
    assert stalled.piece()
    # By the time that another has read all of it, the server has long been waiting for this one.
    client.get(session).all()
    client.server.signal(signal.SIGTERM)
    client.server.ended(GRACE + 4, tolerated="ASGI callable returned")


def test_a_blocked_tool_thread_keeps_nobody_waiting(start: Start, session: str, gate: str):
    client = start(LITRO_GRACE="0")
    posted = client.post(session, f'call hold {{"gate": "{gate}"}}')
    client.server.reached(gate)
    client.server.signal(signal.SIGTERM)
    posted.all()
    client.server.ended(EXIT)
    error, end = events(client.server.log(session))[-2:]
    assert (error["kind"], error["payload"]["type"]) == ("tool-error", "interrupted")
    assert end["payload"] == {"status": "interrupted"}


def test_a_second_signal_does_not_wait(start: Start, session: str, gate: str):
    client = start("without_lifespan", mount="/ai", LITRO_GRACE="600")
    posted = client.post(session, f"wait {gate}")
    client.server.reached(gate)
    client.server.signal(signal.SIGINT)
    assert b"bye" in posted.lines()[-1]
    client.server.signal(signal.SIGINT)
    client.server.ended(EXIT)


async def test_an_app_that_ends_before_another_does_not_break_the_chain_of_handlers(project: Path):
    reached: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: reached.append(number))
    try:
        first, second = create_app(project), create_app(project)
        async with second_outlives_first(first, second):
            signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert reached == [signal.SIGTERM]


@asynccontextmanager
async def second_outlives_first(first: Litro, second: Litro) -> AsyncIterator[None]:
    async with AsyncExitStack() as stack:
        async with first.lifespan():
            await stack.enter_async_context(second.lifespan())
        yield


def test_an_app_may_keep_its_signals_to_itself(start: Start, session: str):
    client = start("without_lifespan", mount="/ai", LITRO_SIGNALS="false")
    client.post(session, "say one").all()
    client.server.signal(signal.SIGTERM)
    client.server.ended(EXIT)
