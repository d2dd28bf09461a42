"""Any interleaving of two handles on two sessions, against a model that is a list."""

import asyncio
import itertools
import tempfile
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from litro.errors import SessionBusy
from litro.events import Private
from litro.sessions.base import SessionKey, SessionWriter
from litro.sessions.file import FileStore
from litro.wire import events_of
from sessions.logs import event

SESSIONS = ("s1", "s2")

handles = st.integers(0, 1)
sessions = st.sampled_from(SESSIONS)
steps = st.one_of(
    st.tuples(st.just("open"), handles, sessions),
    st.tuples(st.just("append"), sessions, st.integers(0, 4)),
    st.tuples(st.just("private"), sessions),
    st.tuples(st.just("flush"), sessions),
    st.tuples(st.just("close"), sessions),
    st.tuples(st.just("read"), handles, sessions, st.integers(-1, 9)),
    st.tuples(st.just("follow"), handles, sessions, st.integers(-1, 9)),
    st.tuples(st.just("meta"), handles, sessions),
    st.tuples(st.just("post"), handles, sessions, st.sampled_from("abcdef")),
    st.tuples(st.just("take"), sessions),
    st.tuples(st.just("delete"), handles, sessions),
    st.tuples(st.just("unfinished"), handles),
    st.tuples(st.just("restart"), handles),
    st.tuples(st.just("turn"), st.integers(1, 5)),
)


@dataclass
class Session:
    """What a session must be."""

    exists: bool = False
    payloads: list[int] = field(default_factory=list[int])
    acknowledged: int = 0
    writer: SessionWriter | None = None
    holder: int | None = None
    mail: list[str] = field(default_factory=list[str])
    taken: int = 0
    followers: list[tuple[int, "asyncio.Task[list[int]]"]] = field(
        default_factory=list[tuple[int, "asyncio.Task[list[int]]"]]
    )


class Model:
    """Does each step with the store and with lists, and compares."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.stores = [FileStore(directory), FileStore(directory)]
        self.sessions = {name: Session() for name in SESSIONS}
        self.numbers = itertools.count()

    async def open(self, handle: int, name: str) -> None:
        session = self.sessions[name]
        try:
            writer = await self.stores[handle].open(SessionKey("demo", name), owner=None)
        except SessionBusy:
            assert session.writer is not None
            return
        assert session.writer is None
        assert writer.meta.tail == len(session.payloads)
        session.writer, session.holder, session.exists = writer, handle, True

    async def append(self, name: str, count: int) -> None:
        session = self.sessions[name]
        if session.writer is not None:
            new = [next(self.numbers) for _ in range(count)]
            session.payloads += new
            last = session.writer.append(*(event(payload) for payload in new))
            assert last == len(session.payloads)

    async def private(self, name: str) -> None:
        session = self.sessions[name]
        if session.writer is not None:
            assert session.writer.append(Private({"replay": 1})) == len(session.payloads)

    async def flush(self, name: str) -> None:
        session = self.sessions[name]
        if session.writer is not None:
            await session.writer.flush()
            session.acknowledged = len(session.payloads)

    async def close(self, name: str) -> None:
        session = self.sessions[name]
        if session.writer is not None:
            await session.writer.close()
            session.writer = session.holder = None
            session.acknowledged = len(session.payloads)

    async def read(self, handle: int, name: str, start: int) -> None:
        session, found = self.sessions[name], list[int]()
        least = session.payloads[max(0, start - 1) : session.acknowledged]
        async for block in self.stores[handle].read(SessionKey("demo", name), start):
            assert block.endswith(b"\n")
            found += [event.payload for event in events_of(block)]
        assert found[: len(least)] == least
        assert found == session.payloads[max(0, start - 1) :][: len(found)]

    async def follow(self, handle: int, name: str, start: int) -> None:
        session = self.sessions[name]
        if session.writer is not None:
            task = asyncio.create_task(self._followed(handle, name, start))
            session.followers.append((start, task))

    async def _followed(self, handle: int, name: str, start: int) -> list[int]:
        blocks = self.stores[handle].follow(SessionKey("demo", name), start)
        return [event.payload async for block in blocks for event in events_of(block)]

    async def meta(self, handle: int, name: str) -> None:
        session = self.sessions[name]
        meta = await self.stores[handle].meta(SessionKey("demo", name))
        if meta is None:
            # A new session is known once its header is durable.
            assert not session.exists or (session.writer is not None and not session.acknowledged)
        else:
            assert session.acknowledged <= meta.tail <= len(session.payloads)
            assert (meta.running is None) == (session.writer is None)

    async def post(self, handle: int, name: str, item: str) -> None:
        session = self.sessions[name]
        if session.exists:
            posted = await self.stores[handle].post(
                SessionKey("demo", name), f'"{item}"'.encode(), id=item
            )
            assert posted == (item not in session.mail)
            session.mail += [item] * posted

    async def take(self, name: str) -> None:
        """Take what there is, one item short: the last one was not asked beyond."""
        session = self.sessions[name]
        if session.writer is not None and session.taken < len(session.mail):
            waiting = session.mail[session.taken :]
            async with aclosing(session.writer.inbox()) as inbox:
                assert [(await anext(inbox)).decode() for _ in waiting] == [
                    f'"{m}"' for m in waiting
                ]
            session.taken = len(session.mail) - 1

    async def delete(self, handle: int, name: str) -> None:
        session = self.sessions[name]
        if session.writer is None:
            await self._settle_followers(session)
        try:
            deleted = await self.stores[handle].delete(SessionKey("demo", name))
        except SessionBusy:
            assert session.writer is not None
        else:
            assert session.writer is None
            assert deleted == session.exists
            self.sessions[name] = Session()

    async def unfinished(self, handle: int) -> None:
        """Every close here is a good one, so only mail leaves something to do."""
        store = self.stores[handle]
        waiting = {
            name
            for name, session in self.sessions.items()
            if session.exists and session.writer is None and session.taken < len(session.mail)
        }
        assert {key.session async for key in store.unfinished()} == waiting
        for name, session in self.sessions.items():
            if session.writer is None:
                assert await store.has_mail(SessionKey("demo", name)) == (name in waiting)

    async def restart(self, handle: int) -> None:
        for name, session in self.sessions.items():
            if session.holder == handle:
                await self.close(name)
        await asyncio.gather(
            *(self._settle_followers(s) for s in self.sessions.values() if not s.writer)
        )
        await self.stores[handle].close()
        self.stores[handle] = FileStore(self.directory)

    async def turn(self, count: int) -> None:
        for _ in range(count):
            await asyncio.sleep(0)

    async def _settle_followers(self, session: Session) -> None:
        for start, task in session.followers:
            found = await task
            # One that begins when the lease has just been given back, or beyond the end, gets what there is.
            assert found == session.payloads[max(0, start - 1) :][: len(found)]
        session.followers.clear()

    async def finish(self) -> None:
        for name, session in self.sessions.items():
            await self.close(name)
            await self._settle_followers(session)
            for handle in (0, 1):
                await self.read(handle, name, 1)
                await self.meta(handle, name)
        for handle, store in enumerate(self.stores):
            await self.unfinished(handle)
            await store.close()


@settings(max_examples=120, deadline=None)
@given(st.lists(steps, min_size=5, max_size=40))
def test_every_interleaving_is_a_list(sequence: list[tuple[object, ...]]):
    async def run(directory: Path) -> None:
        model = Model(directory)
        # Most sequences would spend themselves on sessions that nobody holds.
        await model.open(0, "s1")
        for name, *arguments in sequence:
            await getattr(model, str(name))(*arguments)
        await model.finish()

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(run(Path(folder)))
