"""The database's file: made whole, private, and never one that is not Litro's."""

import asyncio
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from litro.errors import NewerFormat, SessionDamaged, StoreFailed
from litro.sessions.sqlite import SqliteStore
from sessions.sqlite_programs import KEY, event, payloads_of, seqs_of, turn


async def test_the_first_use_in_a_missing_folder_makes_it_private_and_ignored_by_git(
    tmp_path: Path,
):
    path = tmp_path / "a" / "b" / "sessions.db"
    store = SqliteStore(path)
    writer = await store.open(KEY, owner=None)
    writer.append(event("a"))
    await writer.flush()
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    names = {"sessions.db", "sessions.db-wal", "sessions.db-shm", "sessions.db-leases"}
    assert {entry.name for entry in path.parent.iterdir()} == names
    assert {stat.S_IMODE(entry.stat().st_mode) for entry in path.parent.iterdir()} == {0o600}
    assert (tmp_path / "a" / ".gitignore").read_text() == "*\n"
    await writer.close()
    await store.close()


async def test_making_a_store_or_asking_its_name_touches_nothing(tmp_path: Path):
    store = SqliteStore(tmp_path / "a" / "s.db")
    assert "s.db" in repr(store)
    await store.close()
    assert list(tmp_path.iterdir()) == []


async def test_many_handles_that_make_the_database_at_once_share_one(tmp_path: Path):
    stores = [SqliteStore(tmp_path / "a" / "s.db") for _ in range(8)]
    await asyncio.gather(*(store.post(KEY, b"1", id=f"m{n}") for n, store in enumerate(stores)))
    async with asyncio.timeout(20):
        writer = await stores[0].open(KEY, owner=None)
        inbox = writer.inbox()
        assert [await anext(inbox) for _ in range(8)] == [b"1"] * 8
    await writer.close()
    for store in stores:
        await store.close()
    assert sorted(entry.name for entry in (tmp_path / "a").iterdir()) == [
        ".gitignore",
        "s.db",
        "s.db-leases",
    ]


async def test_a_closed_store_may_be_used_again(tmp_path: Path):
    store = SqliteStore(tmp_path / "s.db")
    for n in range(3):
        await turn(store, n)
        await store.close()
    assert await payloads_of(store) == [0, 1, 2]
    await store.close()


def _foreign_database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE sessions (id)")


def _newer(path: Path) -> None:
    asyncio.run(_made(path))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 2")


async def _made(path: Path) -> None:
    store = SqliteStore(path)
    await turn(store, "a")
    await store.close()


def _empty(path: Path) -> None:
    path.touch()


def _text(path: Path) -> None:
    path.write_text("SQLite format 3, but not really\n" * 100)


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (_foreign_database, StoreFailed),
        (_empty, StoreFailed),
        (_text, StoreFailed),
        (_newer, NewerFormat),
    ],
)
def test_a_file_that_is_no_database_of_this_version_is_refused_untouched(
    make: object, error: type[Exception], tmp_path: Path
):
    assert callable(make)
    path = tmp_path / "s.db"
    make(path)
    (tmp_path / "s.db-leases").unlink(missing_ok=True)
    before = (path.read_bytes(), path.stat().st_mtime_ns)

    async def refused() -> None:
        store = SqliteStore(path)
        for _ in range(2):
            for use in (
                lambda: turn(store, "a"),
                lambda: seqs_of(store),
                lambda: store.meta(KEY),
                lambda: store.post(KEY, b"1", id="m1"),
            ):
                with pytest.raises(error, match="nothing was changed"):
                    await use()
        await store.close()

    asyncio.run(refused())
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["s.db"]


async def test_a_symbolic_link_is_not_followed(tmp_path: Path):
    real = tmp_path / "real.db"
    await _made(real)
    (tmp_path / "s.db").symlink_to(real)
    before = real.read_bytes()
    store = SqliteStore(tmp_path / "s.db")
    with pytest.raises(StoreFailed):
        await turn(store, "b")
    await store.close()
    assert real.read_bytes() == before


async def test_damage_is_an_error_and_never_an_end(tmp_path: Path):
    store = SqliteStore(tmp_path / "s.db")
    await turn(store, *("x" * 9000 for _ in range(50)))
    await asyncio.to_thread(store._housekeeping.tidy)
    await store.close()
    path = tmp_path / "s.db"
    content = bytearray(path.read_bytes())
    for page in range(8, len(content) // 4096, 5):
        content[page * 4096 : page * 4096 + 64] = b"\xff" * 64
    path.write_bytes(content)
    store = SqliteStore(path)
    with pytest.raises((SessionDamaged, StoreFailed)):
        await seqs_of(store)
    await store.close()


async def test_a_lock_file_that_cannot_be_opened_fails_whoever_asks_and_nobody_waits_for_ever(
    tmp_path: Path,
):
    (tmp_path / "s.db-leases").mkdir()
    store = SqliteStore(tmp_path / "s.db")
    async with asyncio.timeout(20):
        for _ in range(2):
            with pytest.raises(StoreFailed, match=r"s\.db-leases"):
                await turn(store, "a")
        (tmp_path / "s.db-leases").rmdir()
        await turn(store, "a")
        assert await payloads_of(store) == ["a"]
        await store.close()


async def test_what_has_no_bytes_fails_whoever_gave_it_and_nobody_else(tmp_path: Path):
    store = SqliteStore(tmp_path / "s.db")
    async with asyncio.timeout(20):
        posts = [store.post(KEY, b"1", id=id_) for id_ in ("m1", "half \ud800", "m2")]
        first, half, last = await asyncio.gather(*posts, return_exceptions=True)
        assert (first, type(half), last) == (True, UnicodeEncodeError, True)
        await turn(store, "a")
        assert await payloads_of(store) == ["a"]
        await store.close()


async def test_a_directory_that_cannot_be_written_is_a_store_that_failed(tmp_path: Path):
    (tmp_path / "file").write_text("")
    store = SqliteStore(tmp_path / "file" / "s.db")
    with pytest.raises(StoreFailed):
        await turn(store, "a")
    await store.close()
