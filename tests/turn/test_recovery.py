"""What dead processes left: each accepted message has its end, whoever comes next, and at whatever line the log was cut."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest

from litro import tool
from litro.definitions import TurnContext
from litro.encoding import encode_value
from litro.errors import StoreFailed
from litro.events import Event
from litro.providers import call
from litro.providers.base import Finished, ModelRequest, ToolSpec
from litro.providers.chat_request import chat_body
from litro.providers.messages_request import messages_body
from litro.sessions.base import SessionKey
from litro.sessions.file import FileStore
from litro.testing import check_chat_request, check_messages_request
from litro.turn.conversations import Message
from litro.wire import events_of
from turn.conftest import MakeTalk, Talk, kinds

KEY = SessionKey("demo", "s1")
TOOLS = (ToolSpec(name="t", description="", input_schema={"type": "object"}),)


def hello(request: Any, turn: int) -> list[Any]:
    return ["Hello."]


def left(folder: Path, *lines: bytes, session: str = "s1") -> None:
    """A log as a process leaves it that died in the turn: its lines, and the mark of its lease."""
    path = folder / "sessions" / "demo" / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    header = f'"session":"{session}"'.encode()
    path.write_bytes(b"".join(lines).replace(b'"session":"s1"', header, 1))
    mark = folder / "sessions" / ".unfinished" / "demo" / f"{session}.lease"
    mark.parent.mkdir(parents=True, exist_ok=True)
    mark.touch()


HEADER = b'{"litro":1,"agent":"demo","session":"s1","owner":null,"created":1}\n'


def line(seq: int, kind: str, payload: Any, turn: int = 1) -> bytes:
    fields = {"seq": seq, "ts": 1, "turn": turn, "kind": kind, "payload": payload}
    return orjson.dumps(fields) + b"\n"


def dead(*more: bytes) -> list[bytes]:
    """A turn that somebody died in."""
    start = {"trigger": "message", "message": "m"}
    said = {"id": "m", "role": "user", "text": "Hi"}
    return [HEADER, line(1, "turn-start", start), line(2, "message", said), *more]


def waiting(seq: int, name: str, principal: Any = None) -> list[bytes]:
    payload = {"id": name, "text": f"say {name}", "mode": "queue"}
    return [
        line(seq, "queued", payload),
        orjson.dumps({"queued": name, "principal": principal}) + b"\n",
    ]


async def settled(one: Talk) -> list[Event]:
    """The session's events, once nobody holds it."""
    return [event async for event in one.session().resume(0)]


def ends(events: list[Event]) -> list[str]:
    return [e.payload["status"] for e in events if e.kind == "turn-end"]


# -- kill and reload at every kind of event


async def rich(folder: Path) -> list[bytes]:
    """The lines of a session that has everything: two calls, one of which fails, steering, a queue, a withdrawal."""
    reached, go_on = asyncio.Event(), asyncio.Event()

    @tool
    async def good():
        """Reports, then answers."""
        yield {"done": 1}
        reached.set()
        await go_on.wait()

    @tool
    async def bad():
        """Fails."""
        raise ValueError

    async def script(request: Any, turn: int) -> AsyncIterator[Any]:
        yield "Let me "
        yield "see."
        if len(request.messages) == 1:
            yield call("good")
            yield call("bad")
            yield Finished(stop="tools", replay={"sig": "S"})

    one = Talk(folder, script, tools={"good": good, "bad": bad}, parallel_tools=1)
    await one.begin("first")
    await reached.wait()
    for name, mode in (("q1", "queue"), ("s1", "steer"), ("w1", "queue"), ("q2", "queue")):
        message = Message(text=f"say {name}", id=name, on_busy=mode)
        last = await one.conversations.begin(KEY, message, principal=None)
    await one.session().withdraw("w1")
    go_on.set()
    _ = [block async for block in one.conversations.hear(KEY, last)]
    await one.conversations.leave(grace=10)
    log = await one.log()
    await one.conversations.close()
    return log.splitlines(keepends=True)


def check_requests(one: Talk) -> None:
    for request in one.requests:
        for_model = ModelRequest(system="", messages=request.messages, tools=TOOLS)
        fields: Any = {"model": "m", "options": {"max_tokens": 9}, "extra": {}}
        check_chat_request(orjson.loads(encode_value(chat_body(for_model, **fields))))
        body = messages_body(for_model, **fields, cache=False)
        check_messages_request(orjson.loads(encode_value(body)))


def check_calls(events: list[Event]) -> None:
    called = [e.call for e in events if e.kind == "tool-call"]
    started = {e.call for e in events if e.kind == "tool-start"}
    answered = [e for e in events if e.kind in {"tool-result", "ui", "tool-error"}]
    assert sorted(e.call for e in answered) == sorted(called)
    for event in answered:
        if event.kind == "tool-error" and event.payload["type"] == "not-started":
            assert event.call not in started
        elif event.kind == "tool-error" and event.payload["type"] == "interrupted":
            assert event.call in started


async def test_wherever_the_log_is_cut_every_message_has_its_end_and_the_next_request_is_valid(
    tmp_path: Path,
):
    lines = await rich(tmp_path / "whole")
    assert {orjson.loads(x).get("kind") for x in lines} >= {
        "turn-start", "message", "text-delta", "tool-call", "tool-start", "tool-progress", "tool-result",
        "tool-error", "queued", "withdrawn", "turn-end",
    }  # fmt: skip
    for cut in range(1, len(lines) + 1):
        folder = tmp_path / str(cut)
        left(folder, *lines[:cut])
        one = Talk(folder, hello)
        await one.conversations.recover()
        await one.say("And now?", on_busy="queue")
        await one.conversations.leave(grace=10)
        log = await one.log()
        await one.conversations.close()
        assert log.startswith(b"".join(lines[:cut])), cut
        events = list(events_of(log))
        assert [e.seq for e in events] == list(range(1, len(events) + 1))
        turns = [e.turn for e in events if e.kind == "turn-start"]
        assert [e.turn for e in events if e.kind == "turn-end"] == turns, cut
        asked = [e.payload["message"] for e in events if e.kind == "turn-start"]
        assert len(set(asked)) == len(asked), cut
        queued = [e.payload["id"] for e in events if e.kind == "queued"]
        settled = [e.payload["id"] for e in events if e.kind == "withdrawn"]
        settled += [e.payload["id"] for e in events if e.kind == "message"]
        assert [settled.count(name) for name in queued] == [1] * len(queued), cut
        check_calls(events)
        check_requests(one)


# -- the sweep


async def test_the_sweep_closes_what_was_left_open_and_never_runs_a_call_again(
    talk: MakeTalk, tmp_path: Path
):
    left(tmp_path, *dead(line(3, "text-delta", {"text": "Half an ans"})))
    one = talk(hello)
    await one.conversations.recover()
    events = await settled(one)
    assert kinds(events)[3:] == ["turn-end"]
    assert ends(events) == ["interrupted"]
    assert one.requests == []
    await one.say("Again")
    assert [getattr(m, "text", None) for m in one.requests[0].messages] == [
        "Hi",
        "Half an ans",
        "Again",
    ]


async def test_what_ended_well_is_not_looked_at(talk: MakeTalk):
    one = talk(hello)
    await one.say()
    assert [key async for key in one.conversations.store.unfinished()] == []


async def test_messages_that_a_crash_left_waiting_run_in_order_for_who_sent_them(
    talk: MakeTalk, tmp_path: Path
):
    told: list[Any] = []

    def instructions(context: TurnContext) -> str:
        told.append(context.principal)
        return "."

    ann = {"id": "ann", "roles": ["a"]}
    left(tmp_path, *dead(*waiting(3, "b", ann), *waiting(4, "c", "bob")))
    one = talk(hello, instructions=instructions)
    await one.conversations.recover()
    async with asyncio.timeout(10):
        while len(ends(await settled(one))) < 3:
            await asyncio.sleep(0.01)
    events = await settled(one)
    assert ends(events) == ["interrupted", "completed", "completed"]
    assert [e.payload["message"] for e in events if e.kind == "turn-start"] == ["m", "b", "c"]
    assert told == [ann, "bob"]


async def test_two_processes_that_sweep_at_once_close_a_turn_once(talk: MakeTalk, tmp_path: Path):
    for n in range(10):
        left(tmp_path, *dead(*waiting(3, "b")), session=f"s{n}")
    one, other = talk(hello), talk(hello)
    await asyncio.gather(one.conversations.recover(), other.conversations.recover())
    await asyncio.gather(one.conversations.leave(10), other.conversations.leave(10))
    for n in range(10):
        events = list(events_of(await one.log(f"s{n}")))
        assert ends(events) == ["interrupted", "completed"]
    assert len(one.requests) + len(other.requests) == 10


async def test_a_session_that_two_find_at_once_is_recovered_once_and_given_back(
    talk: MakeTalk, tmp_path: Path
):
    left(tmp_path, *dead(*waiting(3, "b")))
    one = talk(hello)
    await asyncio.gather(one.conversations.recover(), one.session().withdraw("none"))
    assert (await one.say("last"))[-1].payload == {"status": "completed"}
    assert ends(await settled(one)) == ["interrupted", "completed", "completed"]


async def test_a_message_to_a_session_that_is_recovered_is_not_refused(
    talk: MakeTalk, tmp_path: Path
):
    for n in range(10):
        left(tmp_path, *dead(), session=f"s{n}")
    one = talk(hello)
    recovering = asyncio.create_task(one.conversations.recover())
    said = await asyncio.gather(*(one.say("Hi", f"s{n}") for n in range(10)))
    await recovering
    assert [events[0].turn for events in said] == [2] * 10


async def test_a_message_comes_behind_those_that_a_crash_left_waiting(
    talk: MakeTalk, tmp_path: Path
):
    left(tmp_path, *dead(*waiting(3, "b")))
    one = talk(hello)
    post = {"message": {"id": "c", "text": "posted", "mode": "queue", "principal": None}}
    await one.conversations.store.post(KEY, orjson.dumps(post), id="message-c")
    events = await one.say("last", id="d", on_busy="queue")
    assert events[-1].payload == {"status": "completed"}
    asked = [e.payload["message"] for e in await settled(one) if e.kind == "turn-start"]
    assert asked == ["m", "b", "c", "d"]


async def test_what_waits_outlasts_a_shutdown(talk: MakeTalk):
    async def forever(request: Any, turn: int) -> AsyncIterator[Any]:
        yield "a"
        await asyncio.Event().wait()

    one = talk(forever)
    await one.begin("first")
    message = Message(text="second", id="b", on_busy="queue")
    await one.conversations.begin(KEY, message, principal=None)
    await one.conversations.leave(grace=0)
    await one.conversations.close()
    after = talk(hello)
    await after.conversations.recover()
    events = await after.say("second", id="b")
    assert (events[0].turn, events[-1].payload) == (2, {"status": "completed"})
    assert ends(await settled(after)) == ["interrupted", "completed"]


async def test_what_waits_for_an_agent_that_is_gone_is_kept_told_once_and_answered_when_it_is_back(
    talk: MakeTalk, tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    left(tmp_path, *dead(*waiting(3, "b")))
    one = talk(hello)
    agents, one.conversations.agents = one.conversations.agents, {}
    with caplog.at_level(logging.ERROR):
        for _ in range(3):
            await one.conversations.recover()
    assert [record.message for record in caplog.records] == [
        "Session demo/s1 is not recovered yet, which is tried again: Unknown agent: 'demo'."
    ]
    assert ends(await settled(one)) == ["interrupted"]
    assert await one.waits()
    one.conversations.agents = agents
    await one.conversations.recover()
    assert (await one.say("say b", id="b"))[-1].payload == {"status": "completed"}


async def test_a_log_that_cannot_be_recovered_is_told_once_and_stops_no_other(
    talk: MakeTalk, tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    left(tmp_path, HEADER.replace(b'"litro":1', b'"litro":99'), session="a-newer")
    left(tmp_path, HEADER, b"damaged\n", line(1, "turn-end", {}), session="b-damaged")
    left(tmp_path, HEADER, line(1, "turn-start", ["of another shape"]), session="c-odd")
    left(tmp_path, *dead())
    one = talk(hello)
    with caplog.at_level(logging.ERROR):
        for _ in range(3):
            await one.conversations.recover()
    told = sorted(
        record.message.partition(" cannot be recovered: ")[0] for record in caplog.records
    )
    assert told == [f"Session demo/{name}" for name in ("a-newer", "b-damaged", "c-odd")]
    assert ends(await settled(one)) == ["interrupted"]


async def test_what_waits_is_left_until_there_is_room_for_its_turn(talk: MakeTalk, tmp_path: Path):
    go_on = asyncio.Event()

    async def script(request: Any, turn: int) -> AsyncIterator[Any]:
        await go_on.wait()
        yield "a"

    left(tmp_path, *dead(*waiting(3, "b")), session="left")
    one = talk(script)
    for n in range(10):
        await one.begin(session=f"s{n}")
    await one.conversations.recover()
    assert ends(list(events_of(await one.log("left")))) == ["interrupted"]
    go_on.set()
    for n in range(10):
        _ = [event async for event in one.session(f"s{n}").resume()]
    await one.conversations.recover()
    events = await one.say("say b", "left", id="b")
    assert events[-1].payload == {"status": "completed"}


class Counted(FileStore):
    """A store that tells when a session was asked for."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        self.asked = asyncio.Event()

    async def open(self, key: SessionKey, *, owner: str | None) -> Any:
        try:
            return await super().open(key, owner=owner)
        finally:
            self.asked.set()


async def test_a_message_waits_a_moment_for_another_process_to_give_the_session_back(
    talk: MakeTalk, tmp_path: Path
):
    store = Counted(tmp_path / "sessions")
    one, other = talk(hello, store=store), FileStore(tmp_path / "sessions")
    held = await other.open(KEY, owner=None)
    said = asyncio.create_task(one.say())
    await store.asked.wait()
    await held.close()
    assert (await said)[-1].payload == {"status": "completed"}
    await other.close()


class Failing(FileStore):
    """A store of which the named method fails as often as it is told to."""

    fails: str | None = None
    failures = 0

    async def open(self, key: SessionKey, *, owner: str | None) -> Any:
        self._fail("open")
        return await super().open(key, owner=owner)

    async def unfinished(self) -> AsyncIterator[SessionKey]:
        self._fail("unfinished")
        async for key in super().unfinished():
            yield key

    async def has_mail(self, key: SessionKey) -> bool:
        self._fail("has_mail")
        return await super().has_mail(key)

    def _fail(self, method: str) -> None:
        if self.fails == method and self.failures:
            self.failures -= 1
            msg = "the disk is away"
            raise StoreFailed(msg)


@pytest.mark.parametrize("method", ["open", "unfinished", "has_mail"])
async def test_a_store_that_fails_is_told_once_and_tried_again(
    talk: MakeTalk, tmp_path: Path, caplog: pytest.LogCaptureFixture, method: str
):
    left(tmp_path, *dead(*waiting(3, "b")))
    store = Failing(tmp_path / "sessions")
    store.fails, store.failures = method, 2
    one = talk(hello, store=store)
    with caplog.at_level(logging.ERROR):
        for _ in range(3):
            await one.conversations.recover()
    assert ["tried again: the disk is away" in r.message for r in caplog.records] == [True]
    assert (await one.say("say b", id="b"))[-1].payload == {"status": "completed"}
    assert ends(await settled(one)) == ["interrupted", "completed"]


@asynccontextmanager
async def sweeping(one: Talk) -> AsyncIterator[None]:
    one.conversations.recovery.begin()
    yield
    await one.conversations.recovery.end()


async def test_recovery_begins_at_once_and_ends_when_it_is_told(talk: MakeTalk, tmp_path: Path):
    left(tmp_path, *dead())
    one = talk(hello)
    async with sweeping(one), asyncio.timeout(10):
        while not ends(await settled(one)):
            await asyncio.sleep(0.01)
    one.conversations.recovery.begin()
    await one.conversations.leave(grace=0)
    assert "litro-recovery" not in {task.get_name() for task in asyncio.all_tasks()}
