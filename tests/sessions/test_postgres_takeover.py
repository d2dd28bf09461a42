"""Leases of the Postgres store: a holder that was paused, cut off or killed adds nothing to what its successor has."""

import asyncio
import random
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from litro.errors import LeaseLost, SessionBusy, SessionError
from litro.events import Event
from litro.sessions.base import SessionKey
from litro.sessions.postgres import PostgresStore
from litro.sessions.postgres.log import PostgresWriter
from sessions.databases import Database
from sessions.logs import KEY, event, payloads_of, seqs_of, write

pytestmark = pytest.mark.once

SOON = 20

EXPIRE = "UPDATE {s}.sessions SET expires = clock_timestamp() - interval '1 second'"
"""What time does to a lease whose holder is paused."""

PROGRAM = """
import asyncio, sys
from litro.events import Event
from litro.sessions.base import SessionKey
from litro.sessions.postgres import PostgresStore

async def main():
    store = PostgresStore(sys.argv[1], ttl=float(sys.argv[2]))
    writer = await store.open(SessionKey("demo", "s1"), owner=None)
    n = 0
    while True:
        n += 1
        seq = writer.append(*(Event(kind="text-delta", payload="x" * n, turn=1) for _ in range(3)))
        await writer.flush()
        print(seq, flush=True)

asyncio.run(main())
"""


@asynccontextmanager
async def connected(url: str, **options: float) -> AsyncGenerator[PostgresStore]:
    store = PostgresStore(url, **options)
    try:
        yield store
    finally:
        await store.close()


async def append_until_refused(writer: PostgresWriter, acknowledged: list[str], name: str) -> None:
    """As fast as it goes; what was acknowledged is noted."""
    for n in range(10_000):
        payload = f"{name}{n}"
        try:
            writer.append(event(payload))
            await writer.flush()
        except LeaseLost:
            return
        acknowledged.append(payload)


@pytest.mark.parametrize("seed", range(25))
async def test_a_zombie_adds_nothing_behind_a_takeover(seed: int, postgres: Database):
    rng = random.Random(seed)
    async with connected(postgres.url) as first, connected(postgres.url) as second:
        acknowledged: list[str] = []
        writer = await first.open(KEY, owner=None)
        assert isinstance(writer, PostgresWriter)
        zombie = asyncio.create_task(append_until_refused(writer, acknowledged, "a"))
        wanted = rng.randrange(8)
        while len(acknowledged) < wanted:
            await asyncio.sleep(0)
        for _ in range(rng.randrange(40)):
            await asyncio.sleep(0)
        await postgres.run(EXPIRE)
        taker = await second.open(KEY, owner=None)
        assert taker.append(event("taken")) == taker.meta.tail + 1
        await taker.flush()
        await zombie
        await taker.close()
        await writer.close()
        payloads = await payloads_of(second)
        assert payloads == [*acknowledged, "taken"]
        assert await seqs_of(second) == list(range(1, len(payloads) + 1))


SLOW = """
CREATE FUNCTION {s}.slow() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_sleep(0.3); RETURN NULL; END $$;
"""
TRIGGER = """
CREATE TRIGGER slow AFTER INSERT ON {s}.chunks FOR EACH ROW WHEN (%s) EXECUTE FUNCTION {s}.slow()
"""


@pytest.mark.parametrize(
    ("slow", "wanted"),
    [("NEW.n > 0 AND NEW.fence = 1", ["last words", "mine"]), ("NEW.fence = 2", ["mine"])],
    ids=["the holder's statement came first", "the taker's statement came first"],
)
async def test_of_two_statements_that_are_under_way_one_waits_for_the_other(
    slow: str, wanted: list[str], postgres: Database
):
    async with connected(postgres.url) as first, connected(postgres.url) as second:
        writer = await first.open(KEY, owner=None)
        await postgres.run(SLOW)
        await postgres.run(TRIGGER % slow)
        await postgres.run(EXPIRE)
        is_first = len(wanted) == 2
        taking = None if is_first else asyncio.create_task(second.open(KEY, owner=None))
        if not is_first:
            await until_asleep(postgres)
        writer.append(event("last words"))
        flushing = asyncio.ensure_future(writer.flush())
        if is_first:
            await until_asleep(postgres)
        taker = await (taking or second.open(KEY, owner=None))
        assert taker.meta.tail == len(wanted) - 1
        taker.append(event("mine"))
        results = await asyncio.gather(flushing, taker.flush(), return_exceptions=True)
        assert [type(result) for result in results] == [
            type(None) if is_first else LeaseLost,
            type(None),
        ]
        await writer.close()
        await taker.close()
        assert await payloads_of(second) == wanted


async def until_asleep(postgres: Database) -> None:
    async with asyncio.timeout(SOON):
        while not await postgres.run(
            "SELECT FROM pg_stat_activity WHERE application_name = 'litro' AND wait_event = 'PgSleep'"
        ):
            pass


async def test_a_paused_holder_stops_before_it_asks_the_server(postgres: Database):
    async with connected(postgres.url, ttl=1.5) as first, connected(postgres.url) as second:
        writer = await first.open(KEY, owner=None)
        writer.append(event("mine"))
        await writer.flush()
        # The whole loop stands still, as in a process that is paused: nothing is renewed.
        time.sleep(1.6)
        with pytest.raises(LeaseLost, match="could not be renewed in time"):
            writer.append(event("late"))
        taker = await second.open(KEY, owner=None)
        await writer.close()
        with pytest.raises(SessionBusy):
            await first.open(KEY, owner=None)
        await taker.close()
        assert await payloads_of(second) == ["mine"]


async def test_a_lease_is_renewed_for_as_long_as_its_holder_lives(postgres: Database):
    async with connected(postgres.url, ttl=2) as first, connected(postgres.url) as second:
        writer = await first.open(KEY, owner=None)
        (begun,) = await postgres.run("SELECT expires FROM {s}.sessions")
        async with asyncio.timeout(SOON):
            # Three renewals later, the first lease would be long over.
            while not (
                await postgres.run(
                    "SELECT FROM {s}.sessions WHERE expires > $1::timestamptz + interval '2 seconds'",
                    begun[0],
                )
            ):
                writer.append(event("x"))
                await writer.flush()
        with pytest.raises(SessionBusy):
            await second.open(KEY, owner=None)
        await writer.close()


async def test_a_holder_hears_from_its_renewal_that_it_was_taken_over(postgres: Database):
    async with connected(postgres.url, ttl=3) as first, connected(postgres.url) as second:
        writer = await first.open(KEY, owner=None)
        assert isinstance(writer, PostgresWriter)
        await postgres.run(EXPIRE)
        taker = await second.open(KEY, owner=None)
        while writer.log.failure is None:
            await asyncio.wait_for(writer.log.changed(), SOON)
        with pytest.raises(LeaseLost, match="taken this session over"):
            writer.append(event("late"))
        await writer.close()
        taker.append(event("mine"))
        await taker.flush()
        await taker.close()


async def test_an_expired_holder_that_nobody_took_over_from_is_unfinished(postgres: Database):
    async with connected(postgres.url) as first, connected(postgres.url) as second:
        await write(first, "x")
        assert [key async for key in second.unfinished()] == []
        writer = await first.open(KEY, owner=None)
        assert [key async for key in second.unfinished()] == []
        await postgres.run(EXPIRE)
        assert [key async for key in second.unfinished()] == [KEY]
        taker = await second.open(KEY, owner=None)
        assert [key async for key in first.unfinished()] == []
        await taker.close()
        assert [key async for key in first.unfinished()] == []
        await writer.close()


async def test_a_zombie_whose_session_was_deleted_and_made_anew_adds_nothing(postgres: Database):
    async with connected(postgres.url) as first, connected(postgres.url) as second:
        writer = await first.open(KEY, owner=None)
        writer.append(event("old"))
        await writer.flush()
        await postgres.run(EXPIRE)
        assert await second.delete(KEY)
        writer.append(event("never"))
        with pytest.raises(LeaseLost):
            await writer.flush()
        await write(second, "new")
        await writer.close()
        assert await payloads_of(first) == ["new"]


async def test_one_lost_lease_does_not_stop_the_others_of_its_batch(postgres: Database):
    keys = [SessionKey("demo", f"m{n}") for n in range(20)]
    async with connected(postgres.url) as first, connected(postgres.url) as second:
        writers = [await first.open(key, owner=None) for key in keys]
        await postgres.run(f"{EXPIRE} WHERE session = 'm7'")
        taker = await second.open(keys[7], owner=None)
        for writer in writers:
            writer.append(event("x"))
        results = await asyncio.gather(*(w.flush() for w in writers), return_exceptions=True)
        assert [n for n, result in enumerate(results) if result is not None] == [7]
        assert isinstance(results[7], LeaseLost)
        await taker.close()
        for writer in writers:
            await writer.close()


@pytest.mark.parametrize("shot", range(3))
async def test_a_killed_holder_has_lost_nothing_and_is_replaced(shot: int, postgres: Database):
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PROGRAM, postgres.url, "2", stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    for _ in range(random.Random(shot).randint(1, 60)):
        assert await asyncio.wait_for(process.stdout.readline(), SOON)
    process.kill()
    acknowledged = int((await process.stdout.read() or b"0").split()[-1])
    await process.wait()
    async with connected(postgres.url) as store:
        async with asyncio.timeout(SOON):
            await end_of_lease(store)
        writer = await store.open(KEY, owner=None)
        assert writer.meta.tail >= acknowledged
        assert await seqs_of(store) == list(range(1, writer.meta.tail + 1))
        assert writer.append(event("next")) == writer.meta.tail + 1
        await writer.close()


async def end_of_lease(store: PostgresStore) -> None:
    """A follower ends when nobody holds the lease, without being told."""
    async for _ in store.follow(KEY, 1):
        pass
    while [key async for key in store.unfinished()] != [KEY]:
        pass


async def test_closing_the_store_gives_back_what_is_still_held_as_unfinished(postgres: Database):
    first = PostgresStore(postgres.url)
    writer = await first.open(KEY, owner=None)
    writer.append(Event(kind="turn-start", payload={}, turn=3))
    await first.close()
    with pytest.raises(SessionError):
        writer.append(event("late"))
    async with connected(postgres.url) as second:
        assert [key async for key in second.unfinished()] == [KEY]
        taker = await second.open(KEY, owner=None)
        assert taker.meta.tail == 1
        await taker.close()
