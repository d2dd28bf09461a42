"""Messages that come while a turn runs: they wait, join or are withdrawn, and none is lost or answered twice."""

import asyncio
import datetime as dt
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from litro import tool
from litro.definitions import TurnContext
from litro.errors import AgentError, MessageReused, NotOwner, SessionBusy, TooManyTurns
from litro.events import Event
from litro.providers import call
from litro.providers.base import AssistantMessage, UserMessage
from litro.sessions.base import SessionKey
from litro.sessions.file import FileStore
from litro.testing.stores.checking import writing_once_free
from litro.turn.conversations import Conversations, Message, Queued, QueuedMessage
from litro.turn.elsewhere import Elsewhere
from litro.wire import events_of
from turn.conftest import MakeTalk, Talk, kinds

KEY = SessionKey("demo", "s1")


class Gate:
    """A model that says what it was told, and in each turn stops before the end until it may go on."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self.open = asyncio.Event()

    async def __call__(self, request: Any, turn: int) -> AsyncIterator[Any]:
        yield f"heard {request.messages[-1].text}"
        self.reached.set()
        await self.open.wait()


async def busy(talk: MakeTalk, **options: Any) -> tuple[Talk, Gate]:
    """A session with a turn that runs."""
    gate = Gate()
    one = talk(gate, **options)
    await one.begin("first")
    await gate.reached.wait()
    return one, gate


def collect(events: AsyncIterator[Event]) -> "asyncio.Task[list[Event]]":
    async def collected() -> list[Event]:
        return [event async for event in events]

    return asyncio.create_task(collected())


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    """Ask again until it is so."""
    async with asyncio.timeout(10):
        while not await condition():
            await asyncio.sleep(0.01)


async def add(where: Conversations, text: str, **options: Any) -> Any:
    principal = options.pop("principal", None)
    options.setdefault("on_busy", "queue")
    return await where.begin(KEY, Message(text=text, **options), principal=principal)


def ids(waiting: tuple[QueuedMessage, ...]) -> list[str]:
    return [message.id for message in waiting]


async def test_a_busy_session_refuses_a_message_unless_it_may_wait(talk: MakeTalk):
    one, gate = await busy(talk)
    with pytest.raises(SessionBusy) as raised:
        await one.say("second")
    assert raised.value.turn == 1
    gate.open.set()


async def test_a_queued_message_is_durable_and_answered_in_a_turn_of_its_own_in_order(
    talk: MakeTalk,
):
    one, gate = await busy(talk)
    for text in ("second", "third"):
        queued = await add(one.conversations, text, id=text)
        assert (queued.id, queued.mode, queued.turn) == (text, "queue", 1)
        assert f'"text":"{text}"'.encode() in await one.log()
    assert ids(await one.session().queue()) == ["second", "third"]
    gate.open.set()
    heard = await collect(one.hear(queued))
    assert {event.turn for event in heard} == {3}
    events = list(events_of(await one.log()))
    asked = [e.payload["message"] for e in events if e.kind == "turn-start"]
    assert asked[1:] == ["second", "third"]
    assert [e.payload["status"] for e in events if e.kind == "turn-end"] == ["completed"] * 3
    assert await one.session().queue() == ()


async def test_send_answers_the_events_of_the_turn_that_its_message_waited_for(talk: MakeTalk):
    one, gate = await busy(talk)
    sent = collect(one.session().send("second", id="b", on_busy="queue"))
    await until(one.waits)
    gate.open.set()
    events = await sent
    assert kinds(events) == ["turn-start", "message", "text-delta", "message", "turn-end"]
    assert {event.turn for event in events} == {2}


async def test_send_answers_a_message_that_joined_from_there_to_the_end_of_the_turn(talk: MakeTalk):
    one, gate = await busy(talk)
    sent = collect(one.session().send("hurry", id="b", on_busy="steer"))
    await until(one.waits)
    gate.open.set()
    events = await sent
    assert kinds(events) == ["message", "text-delta", "message", "turn-end"]
    assert events[0].payload == {"id": "b", "role": "user", "text": "hurry"}
    assert (events[0].turn, events[0].round) == (1, 2)
    assert one.requests[1].messages == (
        UserMessage("first"),
        AssistantMessage(text="heard first"),
        UserMessage("hurry"),
    )


async def test_a_message_that_steers_joins_behind_the_results_of_the_round(talk: MakeTalk):
    is_running, go_on = asyncio.Event(), asyncio.Event()

    @tool
    async def waits():
        """Waits."""
        is_running.set()
        await go_on.wait()
        return "waited"

    def script(request: Any, turn: int) -> list[Any]:
        return ["Done."] if len(request.messages) > 1 else [call("t")]

    one = talk(script, tools={"t": waits})
    await one.begin("first")
    await is_running.wait()
    await add(one.conversations, "hurry", on_busy="steer")
    go_on.set()
    events = [event async for event in one.session().resume()]
    assert [e.turn for e in events if e.kind == "turn-end"] == [1]
    assert [type(m).__name__ for m in one.requests[1].messages] == [
        "UserMessage",
        "AssistantMessage",
        "ResultsMessage",
        "UserMessage",
    ]


async def test_the_agent_says_what_becomes_of_messages_and_a_message_may_say_otherwise(
    talk: MakeTalk,
):
    one, gate = await busy(talk, on_busy="queue")
    assert isinstance(await add(one.conversations, "second", on_busy=None), Queued)
    with pytest.raises(SessionBusy):
        await add(one.conversations, "third", on_busy="reject")
    gate.open.set()


async def test_another_on_busy_is_refused_in_words(talk: MakeTalk):
    with pytest.raises(ValueError, match="on_busy is 'wait'"):
        talk(Gate(), on_busy="wait")
    with pytest.raises(ValueError, match="on_busy is 'wait'"):
        await talk(Gate()).say("Hi", on_busy="wait")


async def test_a_message_that_waits_counts_once_under_its_id_and_is_answered_with_what_became_of_it(
    talk: MakeTalk,
):
    one, gate = await busy(talk)
    first = await add(one.conversations, "second", id="b")
    again = await add(one.conversations, "second", id="b")
    assert (again.id, again.mode, again.turn) == (first.id, first.mode, first.turn)
    assert len(await one.session().queue()) == 1
    with pytest.raises(MessageReused, match="another text"):
        await add(one.conversations, "other", id="b")
    gate.open.set()
    events = await one.say("second", id="b")
    assert {event.turn for event in events} == {2}
    assert events[0].kind == "turn-start"


async def test_a_message_is_withdrawn_or_started_and_never_both(talk: MakeTalk):
    one, gate = await busy(talk)
    sent = collect(one.session().send("second", id="b", on_busy="steer"))
    await add(one.conversations, "third", id="c")
    await until(one.waits)
    assert await one.session().withdraw("b")
    assert kinds(await sent) == ["withdrawn"]
    assert not await one.session().withdraw("b")
    assert not await one.session().withdraw("nobody")
    with pytest.raises(MessageReused, match="withdrawn"):
        await add(one.conversations, "second", id="b")
    gate.open.set()
    events = await one.say("third", id="c")
    assert events[0].turn == 2
    assert not await one.session().withdraw("c")
    assert [r.messages[-1] for r in one.requests] == [UserMessage("first"), UserMessage("third")]


async def test_cancelling_ends_the_running_turn_and_what_waits_comes_next(talk: MakeTalk):
    one, gate = await busy(talk)
    sent = collect(one.session().send("second", id="b", on_busy="queue"))
    await until(one.waits)
    assert await one.session().cancel()
    gate.reached.clear()
    await gate.reached.wait()
    gate.open.set()
    assert (await sent)[-1].payload == {"status": "completed"}
    ends = [e.payload["status"] for e in events_of(await one.log()) if e.kind == "turn-end"]
    assert ends == ["cancelled", "completed"]


async def test_a_cancel_that_comes_late_does_not_stop_the_next_turn(talk: MakeTalk):
    one, gate = await busy(talk)
    await add(one.conversations, "second", id="b")
    store = one.conversations.store
    gate.open.set()
    gate.open = asyncio.Event()
    gate.reached.clear()
    await gate.reached.wait()
    await store.post(KEY, b'{"cancel":1}', id="cancel-1")
    await until(one.mail_is_taken)
    gate.open.set()
    assert (await one.say("second", id="b"))[-1].payload == {"status": "completed"}


async def test_a_cancel_between_two_turns_of_another_process_stops_neither(talk: MakeTalk):
    here = talk(lambda request, turn: ["hello"])
    await here.say("first")
    other = FileStore(here.folder / "sessions")
    async with writing_once_free(other, KEY):
        assert not await here.session().cancel()
    await other.close()
    assert (await here.say("second"))[-1].payload == {"status": "completed"}


async def test_a_message_that_waited_is_answered_for_the_principal_that_sent_it(talk: MakeTalk):
    told: list[Any] = []

    def instructions(context: TurnContext) -> str:
        told.append(context.principal)
        return "."

    gate = Gate()
    one = talk(gate, instructions=instructions)
    ann = {"id": "ann", "roles": ["a"]}
    running = one.session("s1", ann).send("first")
    await anext(running)
    await gate.reached.wait()
    await add(one.conversations, "second", id="b", principal=ann | {"roles": ["b"]})
    for refused in (add(one.conversations, "x"), one.session("s1", "bob").queue()):
        with pytest.raises(NotOwner):
            await refused
    with pytest.raises(NotOwner):
        await one.session("s1", "bob").withdraw("b")
    (waiting,) = await one.session("s1", "ann").queue()
    assert waiting.by == "ann"
    assert "roles" not in repr(list(events_of(await one.log())))
    gate.open.set()
    _ = [e async for e in one.session("s1", ann).send("second", id="b")]
    assert told == [ann, {"id": "ann", "roles": ["b"]}]


async def test_a_principal_that_cannot_be_recorded_cannot_wait_and_is_told_so(talk: MakeTalk):
    gate = Gate()
    one = talk(gate)
    principal = {"id": "ann", "secret": object()}
    await anext(one.session("s1", principal).send("first"))
    with pytest.raises(AgentError, match="Let access return JSON values"):
        await add(one.conversations, "second", principal=principal)
    await add(one.conversations, "t", principal={"id": "ann", "at": dt.date(2026, 1, 2)})
    gate.open.set()


async def test_no_more_messages_wait_than_may_and_the_refusal_says_what_to_do(talk: MakeTalk):
    one, gate = await busy(talk)
    await asyncio.gather(*(add(one.conversations, "x", id=f"m{n}") for n in range(99)))
    await add(one.conversations, "x")
    with pytest.raises(TooManyTurns, match=r"100 messages wait .* or withdraw one"):
        await add(one.conversations, "y")
    for waiting in await one.session().queue():
        assert await one.session().withdraw(waiting.id)
    gate.open.set()


async def test_a_message_from_another_process_waits_is_listed_and_is_answered_by_the_holder(
    talk: MakeTalk,
):
    here, gate = await busy(talk)
    elsewhere = talk(lambda request, turn: ["not me"])
    queued = await add(elsewhere.conversations, "second", id="b")
    assert isinstance(queued, Queued)
    steered = await add(elsewhere.conversations, "hurry", id="s", on_busy="steer")
    assert ids(await elsewhere.session().queue()) == ["b", "s"]
    again = await add(elsewhere.conversations, "second", id="b")
    assert again.id == "b"
    with pytest.raises(MessageReused):
        await add(elsewhere.conversations, "other", id="b")
    gate.open.set()
    heard = await collect(elsewhere.hear(steered))
    assert (heard[0].kind, heard[-1].kind, heard[-1].turn) == ("message", "turn-end", 1)
    heard = await collect(elsewhere.hear(queued))
    assert (heard[0].kind, heard[-1].kind, heard[-1].turn) == ("turn-start", "turn-end", 2)
    assert len(here.requests) == 3
    assert elsewhere.requests == []


async def test_a_message_is_withdrawn_from_another_process(talk: MakeTalk):
    here, gate = await busy(talk)
    elsewhere = talk(gate)
    await add(here.conversations, "second", id="b")
    assert await elsewhere.session().withdraw("b")
    assert not await elsewhere.session().withdraw("b")
    gate.open.set()
    _ = [event async for event in here.session().resume()]
    assert len(here.requests) == 1


async def test_nobody_is_told_that_a_message_stays_whose_holder_may_still_withdraw_it(
    talk: MakeTalk,
):
    here, _ = await busy(talk)
    await add(here.conversations, "second", id="b")
    # The holder says nothing within no time at all, as one that died whose lease lasts on.
    elsewhere = talk(lambda request, turn: []).conversations
    asked = Elsewhere(elsewhere.store, elsewhere._tenures, patience=0)
    with pytest.raises(SessionBusy):
        await asked.withdraw(KEY, "b")
    await until(here.mail_is_taken)
    assert await here.session().queue() == ()


async def test_whoever_asks_another_process_at_once_is_answered_by_it_each(talk: MakeTalk):
    here, gate = await busy(talk)
    elsewhere = talk(gate)
    names = [f"m{n}" for n in range(5)]
    queued = await asyncio.gather(*(add(elsewhere.conversations, name, id=name) for name in names))
    assert [waiting.id for waiting in queued] == names
    assert await asyncio.gather(*map(elsewhere.session().withdraw, names)) == [True] * 5
    gate.open.set()
    _ = [event async for event in here.session().resume()]
    assert len(here.requests) == 1


async def test_whoever_finds_another_process_busy_at_the_last_moment_is_not_stranded(
    talk: MakeTalk,
):
    one, gate = await busy(talk)
    elsewhere = talk(gate)
    gate.open.set()
    for n in range(20):
        name = f"m{n}"
        said = await asyncio.gather(
            one.say(f"a {n}", on_busy="queue"),
            elsewhere.say(f"b {n}", id=name, on_busy="queue"),
        )
        assert [events[-1].payload for events in said] == [{"status": "completed"}] * 2
    ends = [e.turn for e in events_of(await one.log()) if e.kind == "turn-end"]
    assert ends == list(range(1, 42))


async def test_a_title_that_is_posted_is_recorded_by_the_holder(talk: MakeTalk):
    one, gate = await busy(talk)
    await one.conversations.store.post(KEY, b'{"title":"T"}', id="title-1")
    await one.conversations.store.post(KEY, b'{"of":"tomorrow"}', id="x")
    await until(one.mail_is_taken)
    gate.open.set()
    events = [event async for event in one.session().resume()]
    assert [(e.payload, e.turn) for e in events if e.kind == "title"] == [({"text": "T"}, 1)]
