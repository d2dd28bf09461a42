"""Forks in the file store: what a crash or a full disk leaves of one is no session and in nobody's way."""

from pathlib import Path

import pytest

from litro.errors import NewerFormat, SessionDamaged, SessionExists, UnknownSession
from litro.sessions.base import SessionKey
from litro.sessions.file import FileStore
from sessions.logs import KEY, event, log_of, log_path, payloads_of, write
from sessions.processes import run_with_faults

FORK = SessionKey("demo", "s2")


async def test_a_fork_that_could_not_be_made_durable_is_not_there(tmp_path: Path):
    nothing = ["StoreFailed", "['s1.jsonl']"]
    assert run_with_faults("lose_fork", tmp_path) == [*nothing, *nothing, "done", "['later']"]


@pytest.mark.parametrize("place", [None, b"", b'{"litro":1,"agent":"de'])
async def test_what_a_crash_left_of_a_fork_is_written_over(tmp_path: Path, place: bytes | None):
    await log_of(tmp_path, "a", "b")
    log_path(tmp_path, FORK).with_suffix(".fork").write_bytes(b"half a fork" * 1000)
    if place is not None:
        log_path(tmp_path, FORK).write_bytes(place)
    store = FileStore(tmp_path)
    assert await store.meta(FORK) is None
    assert [meta.key async for meta in store.list("demo")] == [KEY]
    await store.fork(KEY, FORK, owner=None, at=1)
    assert await payloads_of(store, key=FORK) == ["a"]
    assert sorted(path.suffix for path in (tmp_path / "demo").glob("s2*")) == [".jsonl"]
    await store.close()


async def test_a_name_that_is_being_taken_is_not_forked_into(tmp_path: Path):
    await log_of(tmp_path, "a")
    store, other = FileStore(tmp_path), FileStore(tmp_path)
    writer = await store.open(FORK, owner=None)
    for handle in (store, other):
        with pytest.raises(SessionExists):
            await handle.fork(KEY, FORK, owner=None, at=1)
    writer.append(event("mine"))
    await writer.close()
    assert await payloads_of(other, key=FORK) == ["mine"]
    await store.close()
    await other.close()


async def test_a_damaged_or_newer_source_is_refused_and_nothing_is_made(tmp_path: Path):
    good = await log_of(tmp_path, "a", "b")
    store = FileStore(tmp_path)
    for error, bad in (
        (SessionDamaged, good.replace(b'{"seq":1,', b'{"seq":7,')),
        (NewerFormat, good.replace(b'"litro":1', b'"litro":2')),
        (UnknownSession, b""),
    ):
        log_path(tmp_path).write_bytes(bad)
        with pytest.raises(error):
            await store.fork(KEY, FORK, owner=None, at=1)
        assert not log_path(tmp_path, FORK).exists()
    await store.close()


async def test_a_torn_tail_is_not_forked(tmp_path: Path):
    good = await log_of(tmp_path, "a", "b")
    log_path(tmp_path).write_bytes(good + b'{"seq":3,"ts":1')
    store = FileStore(tmp_path)
    assert (await store.fork(KEY, FORK, owner=None, at=9)).tail == 2
    assert await payloads_of(store, key=FORK) == ["a", "b"]
    assert b'"ts":1{' not in log_path(tmp_path, FORK).read_bytes()
    await store.close()


async def test_a_large_session_is_forked_at_the_line_that_is_asked_for(tmp_path: Path):
    store = FileStore(tmp_path)
    await write(store, *("x" * (n % 900) for n in range(20_000)))
    assert (await store.fork(KEY, FORK, owner=None, at=15_000)).tail == 15_000
    assert len(await payloads_of(store, key=FORK)) == 15_000
    await store.close()
