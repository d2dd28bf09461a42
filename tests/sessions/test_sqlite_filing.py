"""Rows that are filed while they are read: a cursor meets them in the hot table, in a chunk, or cut in its middle."""

import asyncio
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from litro.events import Private
from litro.sessions.base import SessionKey
from litro.sessions.sqlite import SqliteStore
from sessions.sqlite_programs import KEY, OTHER, event, seqs_of, turn

_STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.integers(1, 6)),
        st.tuples(st.just("private"), st.just(0)),
        st.tuples(st.just("file"), st.just(0)),
        st.tuples(st.just("reopen"), st.just(0)),
        st.tuples(st.just("follow"), st.integers(-1, 12)),
    ),
    max_size=14,
)


async def tidy(store: SqliteStore) -> None:
    await asyncio.to_thread(store._housekeeping.tidy)


async def follow(store: SqliteStore, start: int) -> list[bytes]:
    return [line async for block in store.follow(KEY, start) for line in block.splitlines()]


async def lines_of(store: SqliteStore, start: int = 1, key: SessionKey = KEY) -> list[bytes]:
    return [line async for block in store.read(key, start) for line in block.splitlines()]


@settings(max_examples=40, deadline=None)
@given(_STEPS)
def test_whatever_is_filed_when_readers_and_followers_get_the_same_lines(
    steps: list[tuple[str, int]],
):
    was_reopened = any(step == "reopen" for step, _ in steps)

    async def play(path: Path) -> None:
        store, other = SqliteStore(path), SqliteStore(path)
        writer = await store.open(KEY, owner=None)
        following: list[tuple[int, asyncio.Task[list[bytes]]]] = []
        for step, number in steps:
            if step == "append":
                writer.append(*(event("x" * 3000) for _ in range(number)))
            elif step == "private":
                writer.append(Private({"replay": number}))
            elif step == "file":
                await writer.flush()
                await tidy(store)
            elif step == "reopen":
                await writer.close()
                writer = await store.open(KEY, owner=None)
            else:
                tasks = [asyncio.create_task(follow(handle, number)) for handle in (store, other)]
                following += [(number, task) for task in tasks]
                await asyncio.sleep(0)
        await writer.close()
        for start, task in following:
            followed = await task
            whole = await lines_of(store, start)
            # A follower may have ended where the lease was given back for a moment.
            assert followed == (whole[: len(followed)] if was_reopened else whole)
        for handle in (store, other):
            await tidy(handle)
            await handle.close()

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(play(Path(folder, "s.db")))


async def test_filing_changes_nothing_that_is_read_or_known(tmp_path: Path):
    store = SqliteStore(tmp_path / "s.db")
    for key in (KEY, OTHER):
        await turn(store, *("☀" * n for n in range(40)), key=key)
    before = [await lines_of(store, start) for start in (1, 7, 40)]
    known = [meta async for meta in store.list("demo")]
    await tidy(store)
    with closing(sqlite3.connect(tmp_path / "s.db")) as connection:
        assert connection.execute("SELECT count(*) FROM hot").fetchone() == (0,)
        assert connection.execute("SELECT count(*) FROM chunks").fetchone() == (2,)
    assert [await lines_of(store, start) for start in (1, 7, 40)] == before
    assert [meta async for meta in store.list("demo")] == known
    await store.close()


async def test_what_a_dead_process_left_unfiled_is_filed_by_the_next(tmp_path: Path):
    store = SqliteStore(tmp_path / "s.db")
    await turn(store, "a")
    await store.close()
    later = SqliteStore(tmp_path / "s.db")
    await tidy(later)
    with closing(sqlite3.connect(tmp_path / "s.db")) as connection:
        assert connection.execute("SELECT count(*) FROM hot").fetchone() == (0,)
    assert await seqs_of(later) == [1]
    await later.close()


async def test_the_wal_is_moved_into_the_file_and_stays_short(tmp_path: Path):
    store = SqliteStore(tmp_path / "s.db")
    writer = await store.open(KEY, owner=None)
    for _ in range(12):
        writer.append(*(event("x" * 20_000) for _ in range(150)))
        await writer.flush()
        await tidy(store)
    await writer.close()
    assert (tmp_path / "s.db").stat().st_size > 36_000_000
    assert (tmp_path / "s.db-wal").stat().st_size < 20_000_000
    await store.close()
    assert not (tmp_path / "s.db-wal").exists()


async def test_a_deleted_session_gives_its_space_back(tmp_path: Path):
    store = SqliteStore(tmp_path / "s.db")
    for key in (KEY, OTHER):
        await turn(store, *("x" * 100_000 for _ in range(100)), key=key)
    await tidy(store)
    assert await store.delete(KEY)
    await tidy(store)
    await store.close()
    size = (tmp_path / "s.db").stat().st_size
    assert 10_000_000 < size < 13_000_000
    later = SqliteStore(tmp_path / "s.db")
    assert await seqs_of(later) == []
    assert await seqs_of(later, OTHER) == list(range(1, 101))
    await later.close()


async def test_the_tail_of_a_long_session_is_read_without_the_rest(tmp_path: Path):
    store = SqliteStore(tmp_path / "s.db")
    writer = await store.open(KEY, owner=None)
    for _ in range(20):
        writer.append(*(event("word") for _ in range(1000)))
        await writer.flush()
        await tidy(store)
    await writer.close()
    with closing(sqlite3.connect(tmp_path / "s.db")) as connection:
        plan = connection.execute(
            "EXPLAIN QUERY PLAN SELECT offset, last, data FROM chunks WHERE session = ? AND last >= ? "
            "AND offset + length(data) > ? ORDER BY last, offset",
            (1, 1, 1),
        ).fetchall()
    assert [row[3] for row in plan] == [
        "SEARCH chunks USING INDEX chunks_by_place (session=? AND last>?)"
    ]
    assert await seqs_of(store, start=19_900) == list(range(19_900, 20_001))
    await store.close()
