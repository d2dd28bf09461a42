"""`litro.client` on a good network: the shape of a session in process."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator

import pytest
from serving import Server

from litro.client import AgentClient, ClientSession
from litro.errors import RemoteError
from litro.events import Event
from litro.wire import events_of


def url(server: Server) -> str:
    return f"http://127.0.0.1:{server.port}"


@pytest.fixture
async def client(server: Server) -> AsyncIterator[AgentClient]:
    async with AgentClient(url(server)) as client:
        yield client


async def collect(events: AsyncIterator[Event]) -> list[Event]:
    return [event async for event in events]


async def refused(events: AsyncIterator[Event]) -> RemoteError:
    with pytest.raises(RemoteError) as caught:
        await collect(events)
    return caught.value


def log(server: Server, session: str) -> list[Event]:
    return list(events_of(b"".join(server.log(session))))


async def test_send_answers_the_events_of_the_log(client: AgentClient, server: Server, session):
    spoken = client.session("open", session)
    first = await collect(spoken.send("say öne"))
    second = await collect(spoken.send('call card {"city": "Rome"}'))
    assert first + second == log(server, session)
    assert second[-1].kind == "turn-end"


async def test_half_a_character_is_sent_as_what_stands_for_one(client: AgentClient, session):
    events = await collect(client.session("open", session).send("say t\ud83d"))
    assert events[1].payload["text"] == "say t\ufffd"


async def test_events_come_while_the_turn_runs(client: AgentClient, server: Server, session, gate):
    heard: list[str] = []
    async for event in client.session("open", session).send(f"say one; wait {gate}"):
        heard.append(event.kind)
        if event.kind == "text-delta":
            server.let(gate)
    assert heard[-1] == "turn-end"


async def test_resume_answers_what_was_and_follows_what_comes(
    client: AgentClient, server: Server, session, gate
):
    spoken = client.session("open", session)
    sent = await collect(spoken.send("say one"))
    assert await collect(spoken.resume()) == sent
    assert await collect(spoken.resume(3)) == sent[2:]
    assert await collect(spoken.resume(-2)) == sent[-2:]
    running = spoken.send(f"wait {gate}; say two")
    start = await anext(running)
    following = asyncio.create_task(collect(spoken.resume(start.seq)))
    server.let(gate)
    assert [start, *await collect(running)] == await following


async def test_an_unknown_session_has_no_events(client: AgentClient, session):
    assert await collect(client.session("open", session).resume()) == []


async def test_cancel_ends_the_running_turn(client: AgentClient, session, gate):
    spoken = client.session("open", session)
    assert not await spoken.cancel()
    events: list[Event] = []
    async for event in spoken.send(f"say one; wait {gate}"):
        events.append(event)
        if event.kind == "text-delta":
            assert await spoken.cancel()
    assert events[-1].payload == {"status": "cancelled"}


async def test_leaving_the_loop_does_not_stop_the_turn(
    client: AgentClient, server: Server, session, gate
):
    spoken = client.session("open", session)
    running = spoken.send(f"say one; wait {gate}; say two")
    async for event in running:
        if event.kind == "text-delta":
            break
    await running.aclose()
    server.let(gate)
    assert (await collect(spoken.resume()))[-1].payload == {"status": "completed"}


async def test_a_message_that_was_sent_before_is_not_sent_again(client: AgentClient, session):
    spoken = client.session("open", session)
    sent = await collect(spoken.send("say one", id="k"))
    assert await collect(spoken.send("say one", id="k")) == sent
    again = await refused(spoken.send("say two", id="k"))
    assert (again.type, again.status) == ("message-reused", 422)


async def test_a_session_that_is_busy_is_an_error_at_once(
    client: AgentClient, server: Server, session, gate
):
    spoken = client.session("open", session)
    running = spoken.send(f"wait {gate}")
    await anext(running)
    busy = await refused(spoken.send("say two"))
    server.let(gate)
    await collect(running)
    assert (busy.type, busy.status, busy.retry_after) == ("busy", 409, 1.0)
    assert "must end or be cancelled first" in str(busy)


@pytest.mark.parametrize(
    ("agent", "name", "kind", "status"),
    [
        ("nobody", "s", "unknown-agent", 404),
        ("open", "a/b", "invalid-session", 400),
        ("broken", "s", "broken-agent", 500),
        ("guarded", "s", "refused", 401),
    ],
)
async def test_an_answer_that_refuses_is_an_error_with_its_words(
    server: Server, agent, name, kind, status
):
    async with AgentClient(url(server), headers={"x-as": "refused"}) as client:
        spoken = client.session(agent, name)
        for attempt in (spoken.send("say one"), spoken.resume()):
            error = await refused(attempt)
            assert (error.type, error.status) == (kind, status)
            assert str(error)


async def test_an_error_carries_the_reference_into_the_server_s_log(server: Server):
    async with AgentClient(url(server)) as client:
        spoken = client.session("guarded", "s", headers={"x-as": "crash"})
        error = await refused(spoken.send("say one"))
    assert error.type == "internal"
    assert error.ref is not None
    server.said(error.ref)


async def test_headers_of_a_session_are_its_user_s(client: AgentClient, session):
    ann = client.session("guarded", session, headers={"x-as": "name:ann"})
    bob = client.session("guarded", session, headers={"x-as": "name:bob"})
    assert (await collect(ann.send("say one")))[-1].kind == "turn-end"
    for attempt in (bob.send("say two"), bob.resume()):
        assert (await refused(attempt)).status == 404
    with pytest.raises(RemoteError):
        await bob.cancel()


async def test_no_header_of_the_caller_s_can_change_what_the_stream_is(server: Server, session):
    theirs = {"Accept": "text/event-stream", "Accept-Encoding": "gzip", "X-Litro-Agent": "0"}
    async with AgentClient(url(server), headers=theirs) as client:
        sent = await collect(client.session("open", session, headers=theirs).send("say one"))
    assert sent == log(server, session)


@pytest.mark.parametrize("address", ["", "localhost:8000", "ftp://host/", "http://"])
def test_an_address_that_is_none_is_refused_when_it_is_given(address):
    with pytest.raises(ValueError, match="base_url"):
        AgentClient(address)


@pytest.mark.parametrize("key", ["", "é", "a\nb", " a", "x" * 201])
async def test_an_id_that_no_header_can_hold_is_refused(client: AgentClient, key):
    with pytest.raises(ValueError, match="printable ASCII"):
        await collect(client.session("open", "s").send("say one", id=key))


async def test_a_header_that_cannot_be_sent_is_not_quoted(server: Server):
    async with AgentClient(url(server), headers={"authorization": "secret\n"}) as client:
        with pytest.raises(ValueError, match="a character that none may") as caught:
            await collect(client.session("open", "s").resume())
    assert "secret" not in str(caught.value)


def modules_after(statement: str) -> set[str]:
    code = f"{statement}; import sys; print(*(name for name in sys.modules if name[:5] == 'litro'))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_importing_litro_does_not_load_the_client_nor_the_client_the_server():
    ours = modules_after("import litro")
    assert "litro.client" not in ours
    values = {"litro.errors", "litro.events", "litro.encoding", "litro.wire"}
    loaded = modules_after("import litro.client") - ours - values
    assert all(name.startswith("litro.client") for name in loaded)


def test_a_repr_shows_no_header(server: Server):
    client = AgentClient(url(server), headers={"authorization": "secret"})
    spoken: ClientSession = client.session("open", "s", headers={"authorization": "secret"})
    assert "secret" not in repr(client) + repr(spoken)
