"""Takeovers at every instant: whoever has lost a session writes no more of it, and what was acknowledged stays.

Seeded schedules of several handles that open, append, flush and close, among them writers whose lease has lapsed and
who do not know it. SOAK_TAKEOVERS is how many of them a store gets.
"""

import asyncio
import itertools
import os
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from litro.errors import LeaseLost, SessionBusy, StoreFailed
from litro.events import Event
from litro.sessions.base import SessionKey, SessionStore, SessionWriter
from litro.sessions.file import FileStore
from litro.sessions.postgres import PostgresStore
from litro.sessions.sqlite import SqliteStore
from litro.wire import events_of
from sessions.databases import Database

pytestmark = pytest.mark.once

SCHEDULES = int(os.environ.get("SOAK_TAKEOVERS", "25"))
STEPS = 40
LOST = (LeaseLost, StoreFailed)


@dataclass(frozen=True)
class Storage:
    """A place that several handles share."""

    connect: Callable[[], SessionStore]
    lapse: Callable[[SessionKey], Awaitable[None]] | None = None
    """Take the lease from its holder, who is not told; None where the kernel keeps it as long as the holder lives."""
    is_shared: bool = False
    """Whether schedules share handles."""


@dataclass(eq=False)
class Holder:
    """A writer, and what it did."""

    number: int
    store: SessionStore
    writer: SessionWriter
    tail: int
    sent: int = 0
    acknowledged: int = 0
    is_closed: bool = False
    flushing: list[asyncio.Task[None]] = field(default_factory=list[asyncio.Task[None]])

    def append(self, count: int) -> None:
        """Some events, each with who says it and how many it has said."""
        for _ in range(count):
            event = Event(kind="text-delta", payload=[self.number, self.sent], turn=1)
            with suppress(*LOST):
                assert self.writer.append(event) == self.tail + self.sent + 1
                self.sent += 1

    def flush(self) -> None:
        """Begin to flush; it may take longer than the lease lasts."""
        self.flushing.append(asyncio.create_task(self._flush(self.sent)))

    async def _flush(self, sent: int) -> None:
        with suppress(*LOST):
            await self.writer.flush()
            self.acknowledged = max(self.acknowledged, sent)

    async def close(self) -> None:
        """Give the lease back, where it is still held. Closing commits."""
        await self.writer.close()
        self.is_closed = True
        await asyncio.gather(*self.flushing)


class Schedule:
    """One session's history, which a seed decides."""

    def __init__(self, storage: Storage, seed: int) -> None:
        self.key = SessionKey("takeovers", f"s{seed}")
        self.storage = storage
        self.chance = random.Random(seed)
        self.handles: list[SessionStore] = []
        self.holders: list[Holder] = []
        self.seen: list[list[Event]] = []
        self.is_lapsed = False

    async def run(self) -> None:
        """Every step, and then what has to be true."""
        steps = [self.take, self.take, self.append, self.append, self.append, self.flush]
        steps += [self.look, self.wait, self.close, self.lapse]
        for _ in range(STEPS):
            await self.chance.choice(steps)()
        for holder in self.holders:
            await holder.close()
        self.check(await self.log())

    async def take(self) -> None:
        """Open the session, and append at once, as whoever takes a session over does."""
        store = self.storage.connect()
        self.handles.append(store)
        try:
            writer = await store.open(self.key, owner=None)
        except SessionBusy:
            # A handle keeps a writer of its own that has lost the session, until it is closed.
            mine = [holder for holder in self.holders if holder.store is store]
            assert self.is_lapsed or not all(h.is_closed for h in [*mine, *self.holders[-1:]])
            return
        assert not self.holders or self.is_lapsed or self.holders[-1].is_closed
        self.is_lapsed = False
        holder = Holder(len(self.holders), store, writer, writer.meta.tail)
        self.holders.append(holder)
        holder.append(1)

    async def append(self) -> None:
        """Mostly by who holds it, or else by anybody who ever did."""
        for holder in self._some():
            holder.append(self.chance.randint(1, 3))

    async def flush(self) -> None:
        for holder in self._some():
            holder.flush()

    async def close(self) -> None:
        for holder in self._some():
            await holder.close()

    async def lapse(self) -> None:
        if self.storage.lapse is not None and self.holders:
            await self.storage.lapse(self.key)
            self.is_lapsed = True

    async def wait(self) -> None:
        if self.chance.random() < 0.5:
            await asyncio.gather(*(task for holder in self._some() for task in holder.flushing))
        for _ in range(self.chance.randint(1, 20)):
            await asyncio.sleep(0)

    async def look(self) -> None:
        """What readers have seen must stay."""
        self.seen.append(await self.log())

    async def log(self) -> list[Event]:
        store = self.storage.connect()
        self.handles.append(store)
        return [event async for block in store.read(self.key, 1) for event in events_of(block)]

    def check(self, log: list[Event]) -> None:
        assert [event.seq for event in log] == list(range(1, len(log) + 1))
        said = [tuple(event.payload) for event in log]
        # Grouped by holder, in the order of takeovers: a zombie's row would stand among its successor's.
        assert said == sorted(said)
        for holder in self.holders:
            own = [count for number, count in said if number == holder.number]
            assert own == list(range(len(own)))
            assert holder.acknowledged <= len(own) <= holder.sent
        for seen in self.seen:
            assert log[: len(seen)] == seen

    def _some(self) -> list[Holder]:
        if not self.holders:
            return []
        return [
            self.holders[-1] if self.chance.random() < 0.6 else self.chance.choice(self.holders)
        ]


async def run(storage: Storage, seed: int) -> None:
    schedule = Schedule(storage, seed)
    try:
        await schedule.run()
    except AssertionError as error:
        error.add_note(f"seed {seed}")
        raise
    finally:
        for store in () if storage.is_shared else schedule.handles:
            await store.close()


@pytest.mark.timeout(60 + SCHEDULES)
async def test_a_file_that_changes_hands_has_no_rows_of_the_dead(tmp_path: Path):
    for seed in range(SCHEDULES):
        await run(Storage(lambda: FileStore(tmp_path)), seed)


@pytest.mark.timeout(60 + SCHEDULES)
async def test_a_database_file_whose_leases_vanish_has_no_rows_of_zombies(tmp_path: Path):
    database = tmp_path / "sessions.db"

    async def lapse(key: SessionKey) -> None:
        # Handles that are opened from now on find another file to lock.
        database.with_name(f"{database.name}-leases").unlink(missing_ok=True)

    for seed in range(SCHEDULES):
        await run(Storage(lambda: SqliteStore(database), lapse), seed)


@pytest.mark.timeout(60 + SCHEDULES)
async def test_a_postgres_whose_leases_run_out_has_no_rows_of_zombies(postgres: Database):
    stores = [PostgresStore(postgres.url) for _ in range(3)]

    async def lapse(key: SessionKey) -> None:
        await postgres.run(
            "UPDATE {s}.sessions SET expires = 'epoch' WHERE session = $1", key.session
        )

    handles = itertools.cycle(stores)
    for seed in range(SCHEDULES):
        await run(Storage(lambda: next(handles), lapse, is_shared=True), seed)
    for store in stores:
        await store.close()
