"""Turns in process, on a real store: whatever happens, they end once and the log is whole."""

import asyncio
import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from litro import tool
from litro.definitions import TurnContext
from litro.errors import (
    GoingAway,
    MessageReused,
    NotOwner,
    ProviderError,
    SessionBusy,
    TooManyTurns,
    UnknownAgent,
)
from litro.providers import call
from litro.providers.base import AssistantMessage, ResultsMessage, UserMessage
from litro.sessions.base import SessionKey
from litro.turn.conversations import Message
from litro.wire import events_of
from turn.conftest import MakeTalk, Talk, kinds, only


def hello(request: Any, turn: int) -> list[Any]:
    return ["Hel", "lo."]


async def test_the_events_are_the_log(talk: MakeTalk):
    one = talk(hello)
    events = await one.say("Hi")
    assert kinds(events) == [
        "turn-start",
        "message",
        "text-delta",
        "text-delta",
        "message",
        "turn-end",
    ]
    assert [e.seq for e in events] == [1, 2, 3, 4, 5, 6]
    assert list(events_of(await one.log())) == events


async def test_the_model_reads_what_was_said_before(talk: MakeTalk):
    one = talk(hello)
    await one.say("Hi")
    await one.say("Again")
    assert one.requests[1].messages == (
        UserMessage("Hi"),
        AssistantMessage(text="Hello."),
        UserMessage("Again"),
    )


async def test_another_process_reads_the_same_history(talk: MakeTalk):
    first = talk(hello)
    await first.say("Hi")
    await first.conversations.close()
    second = talk(hello)
    await second.say("Again")
    assert second.requests[0].messages == (
        UserMessage("Hi"),
        AssistantMessage(text="Hello."),
        UserMessage("Again"),
    )


async def test_leaving_the_loop_does_not_stop_the_turn(talk: MakeTalk):
    go_on = asyncio.Event()

    async def script(request: Any, turn: int) -> AsyncIterator[Any]:
        yield "one"
        await go_on.wait()
        yield "two"

    one = talk(script)
    stream = one.session().send("Hi")
    async for event in stream:
        if event.kind == "text-delta":
            break
    await stream.aclose()
    go_on.set()
    rest = [event async for event in one.session().resume(0)]
    assert only(rest, "turn-end") == {"status": "completed"}
    assert [e.payload["text"] for e in rest if e.kind == "text-delta"] == ["one", "two"]


async def test_resuming_hears_the_turn_in_flight_to_its_end_and_not_an_older_ones(talk: MakeTalk):
    started, go_on = asyncio.Event(), asyncio.Event()

    async def script(request: Any, turn: int) -> AsyncIterator[Any]:
        yield "a"
        if turn == 2:
            started.set()
            await go_on.wait()

    one = talk(script)
    await one.say("first")
    await one.begin("second")
    await started.wait()
    heard: list[Any] = []
    async for event in one.session().resume(0):
        heard.append(event)
        if event.kind == "text-delta" and event.turn == 2:
            go_on.set()
    assert [e.turn for e in heard if e.kind == "turn-end"] == [1, 2]
    assert [e.seq for e in heard] == list(range(1, heard[-1].seq + 1))


async def test_whoever_heard_the_end_may_speak_again_at_once(talk: MakeTalk):
    one = talk(hello)
    for n in range(20):
        async for event in one.session().send(f"message {n}"):
            if event.kind == "turn-end":
                break
    assert len(one.requests) == 20


async def test_one_turn_at_a_time(talk: MakeTalk):
    go_on = asyncio.Event()

    async def script(request: Any, turn: int) -> AsyncIterator[Any]:
        await go_on.wait()
        yield "a"

    one = talk(script)
    await one.begin()
    with pytest.raises(SessionBusy) as raised:
        await one.begin()
    assert raised.value.turn == 1
    go_on.set()


async def test_a_message_counts_once_under_its_id(talk: MakeTalk):
    one = talk(hello)
    first = await one.say("Hi", id="k1")
    assert await one.say("Hi", id="k1") == first
    with pytest.raises(MessageReused):
        await one.say("Other", id="k1")
    assert len(one.requests) == 1


async def test_principals_do_not_share_a_session(talk: MakeTalk):
    one = talk(hello)
    mine, theirs, nobodys = (one.session("s1", p) for p in ("me", {"id": "them"}, None))
    _ = [e async for e in mine.send("Hi")]
    for other in (theirs, nobodys):
        with pytest.raises(NotOwner):
            _ = [e async for e in other.send("Hi")]
        with pytest.raises(NotOwner):
            _ = [e async for e in other.resume()]
        with pytest.raises(NotOwner):
            await other.cancel()
    assert only([e async for e in mine.resume()], "turn-start")["by"] == "me"


async def test_an_unknown_agent_is_named(talk: MakeTalk):
    one = talk(hello)
    with pytest.raises(UnknownAgent, match="'nope'"):
        await one.conversations.begin(SessionKey("nope", "s"), Message(text="x"), principal=None)


async def test_no_more_turns_run_than_may(talk: MakeTalk):
    go_on = asyncio.Event()

    async def script(request: Any, turn: int) -> AsyncIterator[Any]:
        await go_on.wait()
        yield "a"

    one = talk(script)
    for n in range(10):
        await one.begin(session=f"s{n}")
    with pytest.raises(TooManyTurns, match="max_turns"):
        await one.begin(session="one-more")
    go_on.set()
    await one.conversations.leave(grace=10)
    with pytest.raises(GoingAway):
        await one.begin(session="late")


FAILURES = [
    (
        ProviderError("overloaded", "server says: secret", retryable=True, status=529),
        "overloaded",
        529,
    ),
    (ProviderError("truncated", "secret"), "truncated", None),
    (ValueError("secret"), "internal", None),
    (SystemExit("secret"), "internal", None),
    (asyncio.CancelledError("secret"), "internal", None),
    (KeyError("secret"), "internal", None),
]


@pytest.mark.parametrize(("error", "type_", "status"), FAILURES, ids=lambda v: type(v).__name__)
async def test_whatever_the_provider_raises_the_turn_fails_once_and_the_session_goes_on(
    talk: MakeTalk, error: BaseException, type_: str, status: int | None
):
    async def script(request: Any, turn: int) -> AsyncIterator[Any]:
        yield "half"
        if turn == 1:
            raise error

    one = talk(script)
    events = await one.say()
    assert kinds(events)[-2:] == ["error", "turn-end"]
    told = only(events, "error")
    assert (told["type"], told.get("status")) == (type_, status)
    assert "secret" not in repr(events)
    assert events[-1].payload == {"status": "failed"}
    again = await one.say("Again")
    assert again[-1].payload == {"status": "completed"}
    assert one.requests[1].messages[1] == AssistantMessage(text="half")


async def test_half_a_stream_never_acts(talk: MakeTalk):
    ran: list[int] = []

    @tool
    async def acts():
        """Acts."""
        ran.append(1)

    async def script(request: Any, turn: int) -> AsyncIterator[Any]:
        yield call("t")
        raise ProviderError("stream-incomplete", "cut")

    events = await talk(script, tools={"t": acts}).say()
    assert ran == []
    assert "tool-call" not in kinds(events)


async def test_the_round_limit_is_told(talk: MakeTalk):
    @tool
    async def again():
        """Again."""
        return 1

    one = talk(lambda request, turn: [call("t")], tools={"t": again}, max_rounds=3)
    events = await one.say()
    assert len(one.requests) == 3
    assert only(events, "error")["type"] == "max-rounds"
    assert kinds(events).count("tool-start") == 2


async def test_cancelling_stops_the_model_and_the_tools(talk: MakeTalk):
    is_running, is_closed = asyncio.Event(), asyncio.Event()

    async def script(request: Any, turn: int) -> AsyncIterator[Any]:
        try:
            yield "a"
            is_running.set()
            await asyncio.Event().wait()
        finally:
            is_closed.set()

    one = talk(script)
    await one.begin()
    await is_running.wait()
    assert await one.session().cancel()
    events = [event async for event in one.session().resume()]
    assert only(events, "turn-end") == {"status": "cancelled"}
    await asyncio.wait_for(is_closed.wait(), 10)
    assert not await one.session().cancel()


async def test_a_tool_that_ignores_its_cancellation_does_not_delay_the_end_and_its_late_words_are_dropped(
    talk: MakeTalk,
):
    blocked, release, reported = threading.Event(), threading.Event(), threading.Event()

    @tool
    def stubborn():
        """Blocks."""
        blocked.set()
        release.wait(30)
        yield {"late": True}
        reported.set()

    @tool
    async def waits():
        """Waits."""

    one = talk(
        lambda request, turn: [call("stubborn"), call("waits")],
        tools={"stubborn": stubborn, "waits": waits},
        parallel_tools=1,
    )
    turn = await one.begin()
    await asyncio.to_thread(blocked.wait, 10)
    turn.stop("cancelled")
    events = [event async for event in one.session().resume()]
    errors = [e.payload["type"] for e in events if e.kind == "tool-error"]
    assert errors == ["cancelled", "not-started"]
    release.set()
    await asyncio.to_thread(reported.wait, 10)
    assert [event async for event in one.session().resume()] == events


async def test_a_cancel_from_another_process_reaches_the_turn(talk: MakeTalk):
    async def script(request: Any, turn: int) -> AsyncIterator[Any]:
        yield "a"
        await asyncio.Event().wait()

    here = talk(script)
    await here.begin()
    elsewhere = talk(hello)
    assert await elsewhere.session().cancel()
    events = [event async for event in elsewhere.session().resume()]
    assert only(events, "turn-end") == {"status": "cancelled"}


async def test_leaving_gives_turns_their_grace_then_interrupts_them(talk: MakeTalk):
    async def script(request: Any, turn: int) -> AsyncIterator[Any]:
        yield "a"
        await asyncio.Event().wait()

    one = talk(script)
    await one.begin()
    await one.conversations.leave(grace=0.05)
    events = list(events_of(await one.log()))
    assert only(events, "turn-end") == {"status": "interrupted"}


async def test_a_cancelled_loop_still_records_that_the_turn_was_cut_off(talk: MakeTalk):
    is_running = asyncio.Event()

    async def script(request: Any, turn: int) -> AsyncIterator[Any]:
        yield "a"
        is_running.set()
        await asyncio.Event().wait()

    one = talk(script)
    await one.begin()
    await is_running.wait()
    (task,) = one.conversations._tenures._tasks.values()
    task.cancel()
    await asyncio.wait({task}, timeout=10)
    assert only(list(events_of(await one.log())), "turn-end") == {"status": "interrupted"}


async def test_a_turn_that_a_crash_left_open_is_closed_before_the_next(talk: MakeTalk):
    one = talk(hello)
    store = one.conversations.store
    writer = await store.open(SessionKey("demo", "s1"), owner=None)
    from litro.events import Event

    writer.append(
        Event(kind="turn-start", payload={"trigger": "message", "message": "m"}, turn=1),
        Event(kind="message", payload={"id": "m", "role": "user", "text": "Hi"}, turn=1),
        Event(
            kind="message",
            payload={"id": "x", "role": "assistant", "text": "", "calls": ["t1c1"]},
            turn=1,
            round=1,
        ),
        Event(kind="tool-call", payload={"name": "t", "input": {}}, turn=1, round=1, call="t1c1"),
        Event(kind="tool-start", payload={}, turn=1, round=1, call="t1c1"),
    )
    await writer.close()
    await one.say("Again")
    events = list(events_of(await one.log()))
    assert kinds(events)[5:8] == ["tool-error", "turn-end", "turn-start"]
    assert [e.payload for e in events if e.kind == "turn-end"] == [
        {"status": "interrupted"},
        {"status": "completed"},
    ]
    results = one.requests[0].messages[2]
    assert isinstance(results, ResultsMessage)
    assert "interrupted" in results.results[0].content


@pytest.mark.parametrize("is_async", [True, False])
async def test_instructions_may_be_asked_for_each_turn(talk: MakeTalk, is_async: bool):
    def text(context: TurnContext) -> str:
        return f"You speak with {context.principal} in {context.session}."

    async def later(context: TurnContext) -> str:
        return text(context)

    one = talk(hello, instructions=later if is_async else text)
    _ = [e async for e in one.session("s1", "Ann").send("Hi")]
    assert one.requests[0].system == "You speak with Ann in s1."


async def test_instructions_that_fail_fail_the_turn(talk: MakeTalk):
    def text(context: TurnContext) -> str:
        raise ValueError

    events = await talk(hello, instructions=text).say()
    assert only(events, "error")["type"] == "internal"
    assert events[-1].payload == {"status": "failed"}


async def test_history_may_be_trimmed_for_the_model_and_the_log_keeps_everything(talk: MakeTalk):
    one = talk(hello, history=lambda messages: messages[-1:])
    await one.say("Hi")
    await one.say("Again")
    assert one.requests[1].messages == (UserMessage("Again"),)
    said = [e.payload["text"] for e in events_of(await one.log()) if e.kind == "message"]
    assert said == ["Hi", "Hello.", "Again", "Hello."]


@pytest.mark.parametrize(
    ("history", "told"),
    [
        (lambda messages: (), "begins with nothing"),
        (lambda messages: messages[1:], "begins with AssistantMessage"),
        (lambda messages: [m for m in messages if not isinstance(m, ResultsMessage)], "Keep both"),
        (lambda messages: [messages[0], messages[-1]], "Keep both"),
    ],
)
async def test_a_history_that_no_model_accepts_fails_the_turn_in_words(
    talk: MakeTalk, history: Any, told: str
):
    @tool
    async def looks():
        """Looks."""

    def script(request: Any, turn: int) -> list[Any]:
        return [call("t")]

    first = lambda messages: messages if len(messages) == 1 else history(messages)  # noqa: E731
    events = await talk(script, tools={"t": looks}, history=first).say()
    assert told in only(events, "error")["message"]
    assert events[-1].payload == {"status": "failed"}


async def test_replay_state_is_kept_in_private_lines_and_given_back(talk: MakeTalk):
    from litro.providers.base import Finished

    one = talk(lambda request, turn: ["Hm.", Finished(stop="end", replay={"sig": "S"})])
    events = await one.say()
    assert "sig" not in repr(events)
    assert b'{"replay":{"sig":"S"},"of":4,"provider":"scripted"}\n' in await one.log()
    await one.say("Again")
    assert one.requests[1].messages[1] == AssistantMessage(text="Hm.", replay={"sig": "S"})


TOOL_ACTS = st.sampled_from(["value", "none", "raise", "exit", "nan", "slow", "progress"])


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    rounds=st.lists(st.lists(TOOL_ACTS, max_size=3), max_size=3),
    ending=st.sampled_from(["text", "nothing", "raise", "cut"]),
    stop_at=st.none() | st.integers(1, 12),
)
async def test_whatever_happens_the_log_is_whole_and_the_turn_ends_once(  # noqa: C901 - a model of everything
    tmp_path_factory, rounds, ending, stop_at
):
    acts = {f"t{i}": act for i, act in enumerate(act for names in rounds for act in names)}
    asked = iter(range(len(acts)))

    def behave(act: str) -> Any:
        @tool
        async def behaves():
            """Behaves."""
            if act == "raise":
                raise ValueError
            if act == "exit":
                raise SystemExit
            if act == "slow":
                await asyncio.Event().wait()
            if act == "progress":
                yield 1
            from litro import Result

            yield Result({"value": 1, "none": None, "nan": float("nan")}.get(act))

        return behaves

    def script(request: Any, turn: int) -> list[Any]:
        if turn <= len(rounds) and rounds[turn - 1]:
            return ["x", *(call(f"t{next(asked)}") for _ in rounds[turn - 1])]
        last = {
            "text": ["ok"],
            "nothing": [],
            "raise": [ProviderError("refused", "x")],
            "cut": [ValueError("x")],
        }
        return last[ending]

    one = Talk(
        tmp_path_factory.mktemp("log"),
        script,
        tools={n: behave(a) for n, a in acts.items()},
        tool_timeout=0.05,
    )
    seen = []
    turn = await one.begin()
    async for event in one.session().resume():
        seen.append(event)
        if event.seq == stop_at:
            turn.stop("cancelled")
    await one.conversations.leave(grace=10)
    events = list(events_of(await one.log()))
    await one.conversations.close()
    assert kinds(events).count("turn-end") == 1
    assert events[-1].kind == "turn-end"
    assert seen == events
    called = [e.call for e in events if e.kind == "tool-call"]
    assert sorted(
        e.call for e in events if e.kind in {"tool-result", "ui", "tool-error"}
    ) == sorted(called)
