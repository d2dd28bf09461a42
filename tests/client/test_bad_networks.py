"""Both clients on networks that cut, stall, split and delay: every event once, in order, and the turn runs once."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from secrets import token_hex
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from proxy import Plan, Proxy
from serving import Server
from speakers import SILENCE, WAIT, Speaker

from litro.client import AgentClient
from litro.errors import RemoteError
from litro.events import Event
from litro.wire import events_of

SAYS = "say é€😀; say two"
STRIDE = 11
"""The classes of positions are hit exactly; every single byte of an answer (1 here) takes a minute."""

BUSY = b'{"type":"busy","message":"A turn is running.","status":409}'
STREAM = b"content-type: application/x-ndjson"

Behind = Callable[..., Any]


def log(server: Server, session: str) -> list[Event]:
    return list(events_of(b"".join(server.log(session))))


async def say(
    speaker: Speaker, proxy: Proxy, server: Server, text: str = SAYS, **how: float
) -> Proxy:
    """Say it in a session of its own; what is heard has to be the log, and the log one whole turn."""
    session = token_hex(8)
    heard = await speaker.say(proxy.url, session, text, key="k" * 32, **how)
    recorded = log(server, session)
    assert heard == recorded
    assert [event.kind for event in recorded].count("turn-start") == 1
    assert recorded[-1].payload == {"status": "completed"}
    return proxy


async def undisturbed(speaker: Speaker, behind: Behind, server: Server) -> bytes:
    """The bytes of an answer that nothing happened to."""
    return bytes((await say(speaker, await behind(), server)).responses[0])


def classes(answer: bytes) -> dict[str, int]:
    """Where the classes of positions are in an answer."""
    body = answer.index(b"\r\n\r\n") + 4
    end = answer.index(b'"kind":"turn-end"')
    after_end = answer.index(b"\n", end)
    return {
        "nothing": 0,
        "status line": 5,
        "headers": answer.index(b"litro-turn") + 4,
        "last byte of the headers": body - 1,
        "before the body": body,
        "first byte": answer.index(b"\n\r\n", body) + 1,
        "in a line": answer.index(b'"kind":"message"') + 3,
        "between lines": answer.index(b'{"seq":2'),
        "before a line's end": answer.index(b"\n", answer.index(b'{"seq":2')),
        "in a character of two bytes": answer.index("é".encode()) + 1,
        "in a character of three bytes": answer.index("€".encode()) + 2,
        "in a character of four bytes": answer.index("😀".encode()) + 3,
        "in the turn's end": end + 8,
        "before the end of the turn's end": after_end,
        "after the turn's end": after_end + 1,
        "in the done line": answer.index(b'{"done"') + 4,
        "before the last byte": len(answer) - 1,
    }


@pytest.mark.parametrize("how", ["fin", "rst", "stall"])
async def test_a_cut_in_any_class_of_positions_is_mended(
    speaker: Speaker, behind: Behind, server: Server, how
):
    answer = await undisturbed(speaker, behind, server)
    for position in classes(answer).values():
        proxy = await behind(Plan(after=position, how=how))
        await say(speaker, proxy, server, silence=0.3)


@pytest.mark.parametrize("how", ["fin", "rst"])
async def test_a_cut_after_any_byte_is_mended(
    speaker: Speaker, behind: Behind, server: Server, how
):
    length = len(await undisturbed(speaker, behind, server))
    every = [await behind(Plan(after=position, how=how)) for position in range(0, length, STRIDE)]
    for start in range(0, len(every), 16):
        batch = every[start : start + 16]
        await asyncio.gather(*(say(speaker, proxy, server) for proxy in batch))


PLANS = st.builds(
    Plan,
    after=st.one_of(st.integers(0, 1600), st.integers(0, 30)),
    how=st.sampled_from(["fin", "rst"]),
    request_after=st.one_of(st.none(), st.integers(0, 400)),
    piece=st.sampled_from([1, 2, 7, 65536]),
)


@given(plans=st.lists(PLANS, min_size=1, max_size=6))
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
async def test_any_cuts_one_after_the_other_are_mended(
    speaker: Speaker, behind: Behind, server: Server, plans
):
    await say(speaker, await behind(*plans), server)


async def test_an_answer_in_single_bytes_is_whole(speaker: Speaker, behind: Behind, server: Server):
    proxy = await say(speaker, await behind(Plan(piece=1)), server)
    assert len(proxy.requests) == 1


async def test_an_answer_that_is_slow_but_never_silent_is_heard_on_one_connection(
    speaker: Speaker, behind: Behind, server: Server
):
    slow = Plan(piece=100, every=0.1)
    proxy = await say(speaker, await behind(slow), server, silence=1.0)
    assert len(proxy.requests) == 1


@pytest.mark.parametrize("how", ["fin", "rst"])
async def test_a_request_that_is_cut_half_way_is_sent_again(
    speaker: Speaker, behind: Behind, server: Server, how
):
    whole = await say(speaker, await behind(), server)
    length = len(whole.requests[0])
    body = whole.requests[0].index(b"\r\n\r\n") + 4
    for position in (0, 1, 30, body - 1, body, body + 3, length - 1, length):
        await say(speaker, await behind(Plan(request_after=position, how=how)), server)


async def test_a_repeated_message_has_the_key_of_the_first(
    speaker: Speaker, behind: Behind, session
):
    proxy = await behind(Plan(after=3), Plan(after=0))
    await speaker.say(proxy.url, session, SAYS)
    keys = [
        line.lower()
        for request in proxy.requests
        for line in bytes(request).split(b"\r\n")
        if line.lower().startswith(b"idempotency-key: ")
    ]
    assert len(keys) == 3
    assert len(set(keys)) == 1


async def test_what_was_heard_is_not_asked_for_again(
    speaker: Speaker, behind: Behind, server: Server
):
    answer = await undisturbed(speaker, behind, server)
    position = answer.index(b'{"seq":4')
    proxy = await say(speaker, await behind(Plan(after=position)), server)
    assert proxy.requests[1].startswith(b"GET /__litro/agent/open/")
    assert b"?from=4 " in proxy.requests[1]


async def test_a_turn_in_flight_is_followed_after_a_cut(
    speaker: Speaker, behind: Behind, server: Server, gate
):
    """The gate opens only when the second connection is there, so the rest comes over it."""
    answer = await undisturbed(speaker, behind, server)
    proxy = await behind(Plan(after=answer.index(b'{"seq":3') + 20))

    async def let() -> None:
        await proxy.connections(2)
        server.let(gate)

    text = f"say é€😀; wait {gate}; say two"
    await asyncio.gather(say(speaker, proxy, server, text), let())


@pytest.mark.parametrize("how", ["fin", "rst", "stall"])
async def test_a_session_that_is_resumed_over_cuts_is_whole(
    speaker: Speaker, behind: Behind, server: Server, session, how
):
    good = await behind()
    for _ in range(2):
        await speaker.say(good.url, session, SAYS)
    recorded = log(server, session)
    for positions in ((0, 700), (900, 300, 20), (1500, 1200, 1)):
        proxy = await behind(*(Plan(after=position, how=how) for position in positions))
        assert await speaker.hear(proxy.url, session, silence=0.2) == recorded
        assert await speaker.hear(proxy.url, session, -3) == recorded[-3:]


async def test_the_next_turn_of_the_session_is_not_heard_with_a_cut_one(
    speaker: Speaker, behind: Behind, server: Server, session
):
    """While the client is away its turn ends, and another is started and over."""
    answer = await undisturbed(speaker, behind, server)
    cut, good = Plan(after=answer.index(b'{"seq":3'), refuse=0.3), await behind()
    proxy = await behind(cut)
    heard: list[Event] = []
    async with aclosing(speaker.events(proxy.url, session, SAYS)) as events:
        async for event in events:
            heard.append(event)
            if event.seq == 2:
                await speaker.hear(good.url, session)
                await speaker.say(good.url, session, "say three")
    assert heard == [event for event in log(server, session) if event.turn == 1]


def says(status: str, body: bytes, *headers: bytes) -> Plan:
    head = [f"HTTP/1.1 {status}".encode(), b"content-length: %d" % len(body), *headers]
    return Plan(says=b"\r\n".join(head) + b"\r\n\r\n" + body)


@pytest.mark.parametrize("status", ["502 Bad Gateway", "503 Busy", "504 Gateway Timeout"])
async def test_a_gateway_that_cannot_reach_the_server_is_asked_again(
    speaker: Speaker, behind: Behind, server: Server, status
):
    page = says(status, b"<html>nginx</html>", b"content-type: text/html")
    proxy = await say(speaker, await behind(page, page, Plan(after=700), page), server)
    assert len(proxy.requests) == 5


async def test_connections_that_are_refused_for_a_while_are_waited_for(
    speaker: Speaker, behind: Behind, server: Server
):
    answer = await undisturbed(speaker, behind, server)
    for after in (0, answer.index(b'{"seq":3')):
        proxy = await say(speaker, await behind(Plan(after=after, refuse=0.2)), server)
        assert len(proxy.requests) == 2


async def test_busy_on_a_repeated_message_is_waited_out_as_the_server_asks(
    speaker: Speaker, behind: Behind, server: Server
):
    busy = says("409 Conflict", BUSY, b"content-type: application/json", b"retry-after: 1")
    going = BUSY.replace(b"busy", b"going-away")
    leaving = says("503 Away", going, b"content-type: application/json", b"retry-after: 0")
    proxy = await say(speaker, await behind(Plan(after=0), busy, leaving), server)
    assert len(proxy.requests) == 4


async def test_busy_on_a_first_message_is_an_error(speaker: Speaker, behind: Behind, session):
    proxy = await behind(says("409 No", BUSY, b"retry-after: 1"))
    with pytest.raises(RemoteError, match="A turn is running") as caught:
        await speaker.say(proxy.url, session, "say one")
    assert (caught.value.type, caught.value.status) == ("busy", 409)
    assert len(proxy.requests) == 1


async def test_a_server_that_stays_busy_is_given_up_with_its_own_words(
    speaker: Speaker, behind: Behind, session
):
    proxy = await behind(*[says("503 No", BUSY)] * 500)
    with pytest.raises(RemoteError, match="A turn is running") as caught:
        await speaker.say(proxy.url, session, "say one", patience=0.2)
    assert (caught.value.type, caught.value.status) == ("busy", 503)
    assert len(proxy.requests) > 1


async def test_a_server_that_never_answers_is_given_up_with_what_to_do(
    speaker: Speaker, behind: Behind, session
):
    proxy = await behind(*[Plan(after=0, how=how) for how in ("fin", "rst")] * 200)
    with pytest.raises(RemoteError, match=r"could not be .* 0\.3 s") as caught:
        await speaker.say(proxy.url, session, "say one", patience=0.3)
    assert caught.value.type == "unreachable"
    with pytest.raises(RemoteError, match=r"could not be .* 0\.3 s"):
        await speaker.hear(proxy.url, session, patience=0.3)


async def test_a_server_that_opens_streams_and_drops_them_is_given_up(
    speaker: Speaker, behind: Behind, session
):
    """Its first byte comes whatever follows, so it must not count as a sign of life."""
    first = b"HTTP/1.1 200 OK\r\n" + STREAM + b"\r\nconnection: close\r\n\r\n\n"
    proxy = await behind(*[Plan(says=first)] * 500)
    with pytest.raises(RemoteError, match="could not be"):
        await speaker.say(proxy.url, session, "say one", patience=0.3)


async def test_a_reader_that_was_away_for_longer_than_the_patience_is_not_given_up(
    speaker: Speaker, behind: Behind, server: Server
):
    """A laptop that was asleep finds its connection broken, and has waited for nothing yet."""
    answer = await undisturbed(speaker, behind, server)
    proxy = await behind(Plan(after=answer.index(b'{"seq":2')))
    session = token_hex(8)
    heard = await speaker.say(proxy.url, session, SAYS, patience=0.2, linger=0.3)
    assert heard == log(server, session)


async def test_what_was_heard_comes_before_the_error_that_ends_a_stream(
    speaker: Speaker, behind: Behind, session
):
    body = (
        b'\n{"seq":1,"ts":1,"turn":1,"kind":"turn-start","payload":{}}\n'
        b'{"err":{"type":"store","message":"Not stored.","status":503,"ref":"3f9c"}}\n'
    )
    proxy = await behind(says("200 OK", body, STREAM))
    events = speaker.events(proxy.url, session, "say one")
    assert (await anext(events)).seq == 1
    with pytest.raises(RemoteError, match=r"Not stored\.") as caught:
        await anext(events)
    error = caught.value
    assert (error.type, error.status, error.ref) == ("store", 503, "3f9c")


async def test_a_line_that_is_no_event_and_a_goodbye_are_asked_again(
    speaker: Speaker, behind: Behind, server: Server, session
):
    await speaker.say((await behind()).url, session, SAYS)
    first = next(line for line in server.log(session) if line.startswith(b'{"seq"'))
    proxy = await behind(
        says("200 OK", b'{"seq":1,"broken\n{"done":true}\n', STREAM),
        says("200 OK", first + b'{"bye":{"next":2}}\n', STREAM),
        says("200 OK", b'{"later":{}}\n{"bye":{"next":2}}\n', STREAM),
    )
    assert await speaker.hear(proxy.url, session) == log(server, session)
    assert [request.split()[1][-7:] for request in proxy.requests] == [
        b"?from=0", b"?from=0", b"?from=2", b"?from=2",
    ]  # fmt: skip


async def test_a_goodbye_says_where_a_count_from_the_end_began(
    speaker: Speaker, behind: Behind, server: Server, session
):
    await speaker.say((await behind()).url, session, SAYS)
    proxy = await behind(says("200 OK", b'\n{"bye":{"next":2}}\n', STREAM))
    assert await speaker.hear(proxy.url, session, -1) == log(server, session)[1:]


def quick(proxy: Proxy) -> AgentClient:
    return AgentClient(proxy.url, silence=SILENCE, wait=WAIT)


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (says("200 OK", b"<p>Sign in</p>", b"content-type: text/html"), "text/html"),
        (says("301 Moved", b"", b"location: https://other/ai"), "https://other/ai"),
        (says("404 Not Found", b"<p>no</p>", b"content-type: text/html"), "answered 404"),
    ],
)
async def test_what_answers_as_no_litro_server_does_is_an_error_at_once(
    behind: Behind, session, plan, words
):
    proxy = await behind(plan)
    async with quick(proxy) as client:
        with pytest.raises(RemoteError, match=words) as caught:
            await anext(client.session("open", session).send("say one"))
    assert caught.value.type == "unexpected-answer"
    assert len(proxy.requests) == 1


async def test_a_gap_between_events_is_asked_for_again(behind: Behind, server: Server, session):
    async with quick(await behind()) as client:
        sent = [event async for event in client.session("open", session).send(SAYS)]
    first, _, third, *_ = [line for line in server.log(session) if line.startswith(b'{"seq"')]
    proxy = await behind(says("200 OK", first + third + b'{"done":true}\n', STREAM))
    async with quick(proxy) as client:
        assert [event async for event in client.session("open", session).resume()] == sent


async def test_leaving_the_loop_closes_the_connection(
    behind: Behind, server: Server, session, gate
):
    proxy = await behind()
    async with quick(proxy) as client:
        running = client.session("open", session).send(f"say one; wait {gate}")
        await anext(running)
        await running.aclose()
        await proxy.idle()
    server.let(gate)
    assert len(proxy.requests) == 1


async def test_cancel_is_asked_again(behind: Behind, session, gate):
    async with quick(await behind()) as client:
        running = client.session("open", session).send(f"say one; wait {gate}")
        await anext(running)
        cuts = Plan(request_after=40), Plan(request_after=90, how="rst")
        async with quick(await behind(*cuts)) as other:
            assert await other.session("open", session).cancel()
        events = [event async for event in running]
    assert events[-1].payload == {"status": "cancelled"}


async def test_cancel_gives_up_too(behind: Behind, session):
    proxy = await behind(*[Plan(after=0)] * 200)
    async with AgentClient(proxy.url, patience=0.2, wait=WAIT) as client:
        with pytest.raises(RemoteError, match="base_url"):
            await client.session("open", session).cancel()
