"""A server that restarts, is away, or drops connections: nothing is acknowledged wrongly, doubled or lost."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from urllib.parse import quote

import pytest

from litro.errors import StoreFailed
from litro.sessions.base import SessionKey
from litro.sessions.postgres import PostgresStore
from litro.wire import events_of
from sessions.databases import Database
from sessions.logs import KEY, event, payloads_of, seqs_of, write

pytestmark = pytest.mark.once

SOON = 30
SOCKET = ".s.PGSQL.5432"


@asynccontextmanager
async def connected(url: str, **options: float) -> AsyncGenerator[PostgresStore]:
    store = PostgresStore(url, **options)
    try:
        yield store
    finally:
        await store.close()


class Proxy:
    """Between a store and its server: it can lose what the server answers to a statement that has some word in it."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self.lost = 0
        self._word: bytes | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def lose_answer_to(self, word: bytes) -> None:
        self._word = word

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        theirs = await asyncio.open_unix_connection(str(self.target / SOCKET))
        cut = asyncio.Event()
        pumps = [
            asyncio.create_task(self._pump(reader, theirs[1], cut, is_query=True)),
            asyncio.create_task(self._pump(theirs[0], writer, cut, is_query=False)),
        ]
        await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        for pump in pumps:
            pump.cancel()
        await asyncio.gather(*pumps, return_exceptions=True)
        for end in (writer, theirs[1]):
            end.close()

    async def _pump(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        cut: asyncio.Event,
        *,
        is_query: bool,
    ) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(1 << 16):
                if is_query and self._word is not None and self._word in data:
                    self._word = None
                    cut.set()
                elif not is_query and cut.is_set():
                    # The server has done it: what it says never arrives.
                    self.lost += 1
                    return
                writer.write(data)
                await writer.drain()


@asynccontextmanager
async def proxied(postgres: Database, folder: Path) -> AsyncGenerator[tuple[Proxy, str]]:
    proxy = Proxy(postgres.server.directory)
    served = await asyncio.start_unix_server(proxy.accept, str(folder / SOCKET))
    try:
        directory = quote(str(postgres.server.directory))
        yield proxy, postgres.url.replace(directory, quote(str(folder)))
    finally:
        served.close()


async def test_a_batch_whose_answer_was_lost_is_there_once_and_acknowledged(
    postgres: Database, tmp_path: Path
):
    async with proxied(postgres, tmp_path) as (proxy, url), connected(url) as store:
        writer = await store.open(KEY, owner=None)
        for n in range(4):
            proxy.lose_answer_to(b"payload %d" % n)
            writer.append(event(f"payload {n}"))
            await asyncio.wait_for(writer.flush(), SOON)
        await writer.close()
        assert proxy.lost == 4
        assert await payloads_of(store) == [f"payload {n}" for n in range(4)]


async def test_what_else_was_asked_when_an_answer_was_lost_counts_once(
    postgres: Database, tmp_path: Path
):
    into = SessionKey("demo", "s2")
    async with proxied(postgres, tmp_path) as (proxy, url), connected(url) as store:
        proxy.lose_answer_to(b"COMMIT")
        writer = await store.open(KEY, owner=None)
        writer.append(event("x"))
        proxy.lose_answer_to(b'"hello"')
        assert await store.post(KEY, b'"hello"', id="m1")
        await writer.flush()
        proxy.lose_answer_to(b"COMMIT")
        await writer.close()
        assert not await store.post(KEY, b'"hello"', id="m1")
        proxy.lose_answer_to(b"COMMIT")
        assert await store.post(KEY, b'"hello again"', id="m2")
        proxy.lose_answer_to(b"COMMIT")
        assert (await store.fork(KEY, into, owner=None, at=1)).tail == 1
        proxy.lose_answer_to(b"COMMIT")
        assert await store.delete(into)
        assert not await store.delete(into)
        assert proxy.lost == 6
        writer = await store.open(KEY, owner=None)
        inbox = writer.inbox()
        assert [await anext(inbox), await anext(inbox)] == [b'"hello"', b'"hello again"']
        await writer.close()


async def append_all(store: PostgresStore, key: SessionKey, count: int) -> None:
    writer = await store.open(key, owner=None)
    for n in range(count):
        writer.append(event(n))
        await writer.flush()
    await writer.close()


async def test_a_server_that_restarts_in_the_middle_loses_nothing(postgres: Database):
    keys = [SessionKey("demo", f"r{n}") for n in range(5)]
    async with connected(postgres.url, patience=20) as store:
        appending = [asyncio.create_task(append_all(store, key, 150)) for key in keys]
        following = [asyncio.create_task(follow(store, key)) for key in keys]
        for _ in range(2):
            await postgres_has(postgres, 20)
            await asyncio.to_thread(postgres.server.restart)
        await asyncio.wait_for(asyncio.gather(*appending), SOON)
        for key, follower in zip(keys, following, strict=True):
            assert await payloads_of(store, key=key) == list(range(150))
            seen = await asyncio.wait_for(follower, SOON)
            assert seen in ([], list(range(150)))


async def follow(store: PostgresStore, key: SessionKey) -> list[object]:
    """Empty where the session was not there yet."""
    blocks = [block async for block in store.follow(key, 1)]
    return [found.payload for found in events_of(b"".join(blocks))]


async def postgres_has(postgres: Database, chunks: int) -> None:
    """Wait until the server has so many more chunks."""

    async def count() -> int:
        with suppress(Exception):
            return (await postgres.run("SELECT count(*) FROM {s}.chunks"))[0][0]
        return 0

    goal = await count() + chunks
    async with asyncio.timeout(SOON):
        while await count() < goal:
            pass


async def test_terminated_connections_are_replaced(postgres: Database):
    terminate = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'litro'"
    async with connected(postgres.url) as store, connected(postgres.url) as other:
        writer = await store.open(KEY, owner=None)
        following = asyncio.create_task(follow(other, KEY))
        for n in range(30):
            writer.append(event(n))
            if n % 5 == 4:
                await postgres.run(terminate)
            await asyncio.wait_for(writer.flush(), SOON)
        await writer.close()
        assert await asyncio.wait_for(following, SOON) == list(range(30))
        assert await payloads_of(store) == list(range(30))


async def test_a_follower_goes_on_while_nothing_can_be_heard(postgres: Database):
    async with connected(postgres.url) as store, connected(postgres.url) as other:
        writer = await store.open(KEY, owner=None)
        writer.append(event("a"))
        await writer.flush()
        seen: asyncio.Queue[object] = asyncio.Queue()

        async def watch() -> None:
            async for block in other.follow(KEY, 1):
                for found in events_of(block):
                    seen.put_nowait(found.payload)

        watching = asyncio.create_task(watch())
        assert await asyncio.wait_for(seen.get(), SOON) == "a"
        # As if nobody had ever said that it listens: nobody is notified, and only the net is left.
        await postgres.run("CREATE RULE deaf AS ON INSERT TO {s}.listeners DO INSTEAD NOTHING")
        await postgres.run("DELETE FROM {s}.listeners")
        writer.append(event("b"))
        await writer.flush()
        assert await asyncio.wait_for(seen.get(), SOON) == "b"
        await writer.close()
        await asyncio.wait_for(watching, SOON)


async def test_a_server_that_is_away_fails_soon_and_comes_back(postgres: Database):
    async with connected(postgres.url, patience=0.3) as store:
        await write(store, "before")
        writer = await store.open(KEY, owner=None)
        with postgres.server.stopped():
            writer.append(event("never"))
            with pytest.raises(StoreFailed, match="postgres at"):
                await asyncio.wait_for(writer.flush(), SOON)
            with pytest.raises(StoreFailed):
                writer.append(event("nor this"))
            for asked in (store.meta(KEY), store.post(KEY, b"1", id="m"), seqs_of(store)):
                with pytest.raises(StoreFailed):
                    await asyncio.wait_for(asked, SOON)
            await asyncio.wait_for(writer.close(), SOON)
        async with asyncio.timeout(SOON):
            # Its lease could not be given back: it is free when its time is over, or at once for a token of ours.
            await postgres.run("UPDATE {s}.sessions SET expires = clock_timestamp()")
            await write(store, "after")
        assert await payloads_of(store) == ["before", "after"]


async def test_a_store_that_began_while_the_server_was_away_works_later(postgres: Database):
    async with connected(postgres.url, patience=0.2) as store:
        with postgres.server.stopped(), pytest.raises(StoreFailed):
            await store.meta(KEY)
        await write(store, "x")
        assert await payloads_of(store) == ["x"]


async def test_a_writer_that_failed_leaves_its_session_among_the_unfinished(postgres: Database):
    async with connected(postgres.url, patience=0.3) as store:
        writer = await store.open(KEY, owner=None)
        with postgres.server.stopped():
            writer.append(event("never"))
            with pytest.raises(StoreFailed):
                await writer.flush()
        await writer.close()
        assert [key async for key in store.unfinished()] == [KEY]
        await write(store, "next")
        assert await payloads_of(store) == ["next"]
        # Whatever of the failed batch is still under way finds its place taken.
        (row,) = await postgres.run("SELECT count(*) FROM {s}.chunks WHERE n = 0 AND data = ''")
        assert row[0] == 1
