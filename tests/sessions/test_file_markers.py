"""What marks sessions that somebody has to look after, in the file store: after crashes, and where it lies."""

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest

from litro.sessions.base import SessionKey
from litro.sessions.file import FileStore
from sessions.logs import KEY, event, log_of, log_path, write
from sessions.processes import hear, kill, run_with_faults, running


async def _unfinished(store: FileStore) -> list[SessionKey]:
    return [key async for key in store.unfinished()]


def _markers(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.glob(".unfinished/*/*") if path.name[0] != ".")


async def test_a_session_whose_holder_was_killed_is_unfinished_until_it_is_closed_well(
    tmp_path: Path,
):
    store = FileStore(tmp_path)
    with running("hold", tmp_path) as holder:
        hear(holder)
        assert _markers(tmp_path) == ["s1.lease"]
        assert await _unfinished(store) == []
        kill(holder)
    for _ in range(2):
        assert await _unfinished(store) == [KEY]
    await write(store, "repaired")
    assert await _unfinished(store) == []
    assert _markers(tmp_path) == []
    await store.close()


async def test_wherever_a_process_is_killed_what_was_open_is_unfinished_and_what_had_ended_is_not(
    tmp_path: Path,
):
    for shot in range(8):
        directory = tmp_path / str(shot)
        with running("turns", directory) as process:
            said = [hear(process) for _ in range(3 + 2 * shot)] + kill(process)
        closed = {line.split()[1] for line in said if line.startswith("closed")}
        last = said[-1].split()
        store = FileStore(directory)
        found = {key.session for key in await _unfinished(store)}
        assert not found & closed
        # Killed between its ending and its saying so, it is well too.
        following = {f"n{int(last[1][1:]) + (last[0] == 'closed')}"}
        assert found <= following
        for key in await _unfinished(store):
            await (await store.open(key, owner=None)).close()
        assert await _unfinished(store) == []
        await store.close()


async def test_a_session_that_could_not_be_written_is_unfinished(tmp_path: Path):
    assert run_with_faults("end_badly", tmp_path) == ["StoreFailed", "['s1']"]


async def test_a_marker_that_cannot_be_made_durable_opens_nothing(tmp_path: Path):
    assert run_with_faults("lose_marker", tmp_path) == ["StoreFailed", "StoreFailed", "done", "[]"]


async def test_a_cancelled_open_leaves_no_marker_and_keeps_an_old_one(tmp_path: Path):
    store = FileStore(tmp_path)
    await write(store, "a")
    before = asyncio.all_tasks()
    for left in ([], [KEY]):
        for turns in range(8):
            opening = asyncio.create_task(store.open(KEY, owner=None))
            for _ in range(turns):
                await asyncio.sleep(0)
            opening.cancel()
            with suppress(asyncio.CancelledError):
                await (await opening).close(unfinished=bool(left))
            # What the thread takes it gives back later.
            others = asyncio.all_tasks() - before
            await asyncio.gather(*others, return_exceptions=True)
            await asyncio.sleep(0)
            assert await _unfinished(store) == left
        await (await store.open(KEY, owner=None)).close(unfinished=True)
    await store.close()


async def test_telling_what_is_unfinished_reads_no_log(tmp_path: Path):
    """A damaged one is told as well: whoever opens it hears what is wrong."""
    store = FileStore(tmp_path)
    await (await store.open(KEY, owner=None)).close(unfinished=True)
    path = log_path(tmp_path)
    path.write_bytes(path.read_bytes() + b"rubbish\n" * 9)
    assert await _unfinished(store) == [KEY]
    await store.close()


@pytest.mark.parametrize("left", [None, b"", b'{"litro":1,"ag'])
async def test_what_marks_no_session_is_cleared_away(tmp_path: Path, left: bytes | None):
    """A power failure may bring a marker back, or keep no more than the beginning of a log."""
    store = FileStore(tmp_path)
    await (await store.open(KEY, owner="u1")).close(unfinished=True)
    log_path(tmp_path).unlink()
    if left is not None:
        log_path(tmp_path).write_bytes(left)
    assert await _unfinished(store) == []
    assert _markers(tmp_path) == []
    assert not log_path(tmp_path).exists()
    await write(store, "new", owner="u2")
    await store.close()


async def test_a_name_that_is_being_taken_keeps_its_marker(tmp_path: Path):
    """However the clearing of markers and a new session's first turn meet."""
    store, other = FileStore(tmp_path), FileStore(tmp_path)
    await log_of(tmp_path, "a")

    async def clear() -> None:
        while True:
            await _unfinished(other)

    clearing = [asyncio.create_task(clear()) for _ in range(3)]
    for n in range(40):
        key = SessionKey("demo", f"new{n}")
        await (await store.open(key, owner=None)).close(unfinished=True)
        log_path(tmp_path, key).unlink()
        while True:
            with suppress(Exception):
                writer = await store.open(key, owner=None)
                break
        assert f"new{n}.lease" in _markers(tmp_path)
        writer.append(event(n))
        await writer.close()
    for task in clearing:
        task.cancel()
    await asyncio.gather(*clearing, return_exceptions=True)
    await store.close()
    await other.close()


async def test_a_mailbox_of_no_session_is_kept_for_it(tmp_path: Path):
    store = FileStore(tmp_path)
    await store.post(KEY, b"1", id="m1")
    assert await _unfinished(store) == []
    assert await store.has_mail(KEY)
    await write(store, "a")
    assert await _unfinished(store) == [KEY]
    await store.close()


async def test_mail_given_back_by_a_closing_holder_waits(tmp_path: Path):
    """The item after which the holder asked for another, too late, was not taken."""
    store = FileStore(tmp_path)
    await store.post(KEY, b"1", id="m1")
    writer = await store.open(KEY, owner=None)
    inbox = writer.inbox()
    assert await anext(inbox) == b"1"
    await writer.close()
    with suppress(Exception):
        await anext(inbox)
    assert await store.has_mail(KEY)
    assert await _unfinished(store) == [KEY]
    await store.close()


async def test_files_among_the_markers_that_are_none_are_passed_over(tmp_path: Path):
    await log_of(tmp_path, "a")
    folder = tmp_path / ".unfinished" / "demo"
    for name in ("notes.txt", "é.lease", ".lease", "lease"):
        (folder / name).touch()
    (tmp_path / ".unfinished" / "file").touch()
    store = FileStore(tmp_path)
    assert await _unfinished(store) == []
    await store.close()
