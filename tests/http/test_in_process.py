"""`Litro.session()`: the same turns without a server between."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from litro import create_app
from litro.app import Litro
from litro.app.preview import Preview
from litro.errors import MessageReused, NotOwner, SessionBusy, SettingsError, UnknownAgent
from litro.events import Event
from litro.testing import running
from litro.wire import events_of


@pytest.fixture
async def app(project: Path) -> AsyncIterator[Litro]:
    (project / "gates").mkdir()
    app = create_app(project, signals=False)
    async with app.lifespan():
        yield app


def log(app: Litro, session: str) -> list[Event]:
    path = app.project / ".litro/sessions/open" / f"{session}.jsonl"
    return list(events_of(path.read_bytes()))


async def test_send_answers_the_events_of_the_log(app: Litro):
    session = app.session("open", "s1")
    first = [event async for event in session.send("say one")]
    second = [event async for event in session.send('call card {"city": "Rome"}')]
    assert first + second == log(app, "s1")
    assert second[-1].kind == "turn-end"


async def test_a_message_right_after_the_end_of_a_turn_is_taken(app: Litro):
    session = app.session("open", "s1")
    turns = [[event async for event in session.send("say one")] for _ in range(50)]
    assert [events[-1].turn for events in turns] == list(range(1, 51))


async def test_events_come_while_the_turn_runs(app: Litro):
    heard: list[str] = []
    async for event in app.session("open", "s1").send("say one; wait g"):
        heard.append(event.kind)
        if event.kind == "text-delta":
            (app.project / "gates" / "g").touch()
    assert heard[-1] == "turn-end"


async def test_resume_answers_what_was_and_follows_what_comes(app: Litro):
    session = app.session("open", "s1")
    sent = [event async for event in session.send("say one")]
    assert [event async for event in session.resume()] == sent
    assert [event async for event in session.resume(3)] == sent[2:]
    turn = asyncio.create_task(anext(session.send("wait g; say two")))
    start = await turn
    following = asyncio.create_task(collect(session.resume(start.seq)))
    (app.project / "gates" / "g").touch()
    followed = await following
    assert (followed[0], followed[-1].kind) == (start, "turn-end")


async def collect(events: AsyncIterator[Event]) -> list[Event]:
    return [event async for event in events]


async def test_an_unknown_session_has_no_events(app: Litro):
    assert await collect(app.session("open", "nobody").resume()) == []


async def test_cancel_ends_the_running_turn(app: Litro):
    session = app.session("open", "s1")
    assert not await session.cancel()
    events: list[Event] = []
    async for event in session.send("say one; wait g"):
        events.append(event)
        if event.kind == "text-delta":
            assert await session.cancel()
    assert events[-1].payload == {"status": "cancelled"}


async def test_a_message_that_is_sent_twice_at_once_is_one_turn(app: Litro):
    async def say() -> list[str]:
        return [event.kind async for event in session.send("hello", id="m1")]

    session = app.session("open", "s1")
    answers = await asyncio.gather(say(), say(), say())
    assert [answer[0] for answer in answers] == ["turn-start"] * 3
    log = [event.kind async for event in session.resume()]
    assert log.count("turn-start") == log.count("turn-end") == 1


async def test_leaving_the_loop_does_not_stop_the_turn(app: Litro):
    session = app.session("open", "s1")
    async for _ in session.send("say one; wait g; say two"):
        break
    (app.project / "gates" / "g").touch()
    assert (await collect(session.resume()))[-1].payload == {"status": "completed"}


async def test_a_session_is_its_principals_own(app: Litro):
    await collect(app.session("open", "s1", principal="ann").send("say one"))
    other = app.session("open", "s1", principal={"id": "bob"})
    for attempt in (collect(other.send("say two")), collect(other.resume()), other.cancel()):
        with pytest.raises(NotOwner):
            await attempt
    same = app.session("open", "s1", principal={"id": "ann"})
    assert len(await collect(same.resume())) == len(log(app, "s1"))


async def test_what_http_refuses_is_raised(app: Litro):
    with pytest.raises(UnknownAgent):
        await collect(app.session("nobody", "s1").send("say one"))
    session = app.session("open", "s1")
    await collect(session.send("say one", id="k"))
    assert {event.turn for event in await collect(session.send("say one", id="k"))} == {1}
    with pytest.raises(MessageReused):
        await collect(session.send("say two", id="k"))
    running = session.send("wait g")
    await anext(running)
    with pytest.raises(SessionBusy):
        await collect(session.send("say three"))
    assert await session.cancel()
    await collect(running)


async def test_shutdown_interrupts_what_outlasts_its_grace(project: Path):
    (project / "gates").mkdir()
    app = create_app(project, grace=0.0, signals=False)
    async with app.lifespan():
        await anext(app.session("open", "s1").send("wait g"))
    assert log(app, "s1")[-1].payload == {"status": "interrupted"}


@asynccontextmanager
async def one_after_the_other(project: Path) -> AsyncIterator[tuple[Litro, Litro]]:
    first, second = create_app(project, signals=False), create_app(project, signals=False)
    async with first.lifespan(), second.lifespan():
        yield first, second


async def test_two_generations_of_one_app_share_the_log_not_the_turn(project: Path):
    (project / "gates").mkdir()
    async with one_after_the_other(project) as (first, second):
        running = first.session("open", "s1").send("say one; wait g")
        await anext(running)
        with pytest.raises(SessionBusy):
            await collect(second.session("open", "s1").send("say two"))
        assert await second.session("open", "s1").cancel()
        assert (await collect(running))[-1].payload == {"status": "cancelled"}
        assert len(await collect(second.session("open", "s1").resume())) == len(log(first, "s1"))


async def test_messages_wait_and_are_withdrawn_in_process(app: Litro):
    session = app.session("open", "s1")
    running = session.send("say one; wait g")
    await anext(running)
    second = asyncio.create_task(collect(session.send("say two", id="b", on_busy="queue")))
    third = asyncio.create_task(collect(session.send("say three", id="c", on_busy="queue")))
    while len(await session.queue()) < 2:
        await asyncio.sleep(0.01)
    assert await session.withdraw("c")
    assert [event.kind for event in await third] == ["withdrawn"]
    (app.project / "gates" / "g").touch()
    assert (await collect(running))[-1].turn == 1
    assert [event.turn for event in await second] == [2] * 5


def left_by_a_dead_process(project: Path) -> None:
    """A session in which somebody died who had said something else was waiting."""
    lines = [
        '{"litro":1,"agent":"open","session":"s1","owner":null,"created":1}',
        '{"seq":1,"ts":1,"turn":1,"kind":"turn-start","payload":{"trigger":"message","message":"a"}}',
        '{"seq":2,"ts":1,"turn":1,"kind":"message","payload":{"id":"a","role":"user","text":"say one"}}',
        '{"seq":3,"ts":1,"turn":1,"kind":"queued","payload":{"id":"b","text":"say two","mode":"queue"}}',
        '{"queued":"b","principal":null}',
    ]
    sessions = project / ".litro/sessions"
    (sessions / "open").mkdir(parents=True)
    (sessions / "open/s1.jsonl").write_text("".join(f"{line}\n" for line in lines))
    (sessions / ".unfinished/open").mkdir(parents=True)
    (sessions / ".unfinished/open/s1.lease").touch()


async def ends(app: Litro, wanted: int) -> list[str]:
    """How the turns ended, once so many have."""
    while True:
        found = [e.payload["status"] for e in log(app, "s1") if e.kind == "turn-end"]
        if len(found) == wanted:
            return found
        await asyncio.sleep(0.01)


@pytest.mark.parametrize("begin", ["lifespan", "first request"])
async def test_what_a_dead_process_left_is_recovered_when_the_app_starts(project: Path, begin: str):
    left_by_a_dead_process(project)
    app = create_app(project, signals=False)
    if begin == "lifespan":
        async with app.lifespan():
            assert await ends(app, 2) == ["interrupted", "completed"]
        return
    # A host that runs no lifespan: the app starts with what comes first, whatever it asks for.
    assert await collect(app.session("open", "another").resume()) == []
    assert await ends(app, 2) == ["interrupted", "completed"]
    await app.shutdown()


async def test_the_tests_of_users_recover_with_their_own_model(project: Path):
    left_by_a_dead_process(project)
    shutil.rmtree(project / "agents/broken")
    kept = {"sessions": f"file:{project / '.litro/sessions'}"}
    async with running(project, model=lambda request, turn: ["scripted"], **kept) as tested:
        assert await ends(tested.app, 2) == ["interrupted", "completed"]
        assert [e.payload["text"] for e in log(tested.app, "s1") if e.kind == "text-delta"] == [
            "scripted"
        ]


async def test_what_is_over_soon_leaves_the_sessions_of_others_alone(project: Path):
    left_by_a_dead_process(project)
    app = create_app(project, signals=False, watch=False)
    await collect(app.session("open", "another").send("say one"))
    await app.shutdown()
    assert [e.kind for e in log(app, "s1")][-1] == "queued"


CONFIG = """
from contextlib import asynccontextmanager
from pathlib import Path

from litro import Config

LIVES = Path(__file__).with_name("lives.txt")


@asynccontextmanager
async def lifespan():
    yield
    LIVES.write_text(LIVES.read_text() + "ended ")


LIVES.touch()
config = Config(lifespan=lifespan, sessions="postgresql://host/db?schema=pg_reserved")
"""


async def test_a_lifespan_is_left_where_the_app_cannot_start_after_all(tmp_path: Path):
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents/_config.py").write_text(CONFIG)
    app = create_app(tmp_path, signals=False)
    for _ in range(2):
        with pytest.raises(SettingsError, match="pg_"):
            await app.start()
    assert (tmp_path / "agents/lives.txt").read_text() == "ended ended "


FAILING = """
from contextlib import asynccontextmanager

from litro import Config


@asynccontextmanager
async def lifespan():
    raise ValueError("no database")
    yield


config = Config(lifespan=lifespan)
"""


@pytest.mark.parametrize("make", [create_app, lambda project: Preview(project, "demo")])
async def test_a_lifespan_that_raises_is_told_to_the_server_with_the_way_there(
    tmp_path: Path, make: Any
):
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents/_config.py").write_text(FAILING)
    sent: list[Any] = []

    async def receive() -> dict[str, str]:
        return {"type": "lifespan.startup"}

    async def send(message: Any) -> None:
        sent.append(message)

    await make(tmp_path)({"type": "lifespan"}, receive, send)
    (told,) = sent
    assert told["type"] == "lifespan.startup.failed"
    assert "agents/_config.py" in told["message"]
    assert told["message"].endswith("ValueError: no database\n")
