"""Disks that are full and syncs that fail: nothing is acknowledged that is not there, now or later."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from litro.errors import StoreFailed
from litro.sessions.sqlite import SqliteStore
from sessions.processes import hear
from sessions.sqlite_programs import KEY, OTHER, event, payloads_of, run, running, seqs_of, turn


def run_with_faults(program: str, path: Path) -> list[str]:
    """As `run`, under libfiu: the program says itself what shall fail, and when."""
    if shutil.which("fiu-run") is None:
        pytest.skip("fiu-run is missing: apt-get install fiu-utils")
    return run(program, path, under=["fiu-run", "-x"])


async def test_files_that_may_grow_no_more_fail_their_turn_without_a_gap_and_a_later_one_works(
    tmp_path: Path,
):
    *said, acknowledged = run("fill", tmp_path / "s.db")
    assert said == ["refused", "StoreFailed", "['s1']", "0", "done", "done"]
    store = SqliteStore(tmp_path / "s.db")
    seqs = await seqs_of(store)
    assert seqs == list(range(1, int(acknowledged) + 2))
    assert await payloads_of(store, start=len(seqs)) == ["later"]
    assert await payloads_of(store, OTHER) == ["later"]
    await store.close()


async def test_a_full_disk_fails_the_turns_that_it_hits(tmp_path: Path):
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "litro", str(tmp_path)], check=False
    )
    if mounted.returncode:
        pytest.skip("mounting a small disk takes root")
    try:
        store = SqliteStore(tmp_path / "s.db")
        writer, acknowledged = await store.open(KEY, owner=None), 0
        try:
            while True:
                seq = writer.append(event("y" * 30_000))
                await writer.flush()
                acknowledged = seq
        except StoreFailed:
            pass
        await writer.close()
        assert await seqs_of(store) == list(range(1, acknowledged + 1))
        assert [key async for key in store.unfinished()] == [KEY]
        subprocess.run(["mount", "-o", "remount,size=8m", str(tmp_path)], check=True)
        await turn(store, "later")
        assert await seqs_of(store) == list(range(1, acknowledged + 2))
        await store.close()
    finally:
        subprocess.run(["umount", "-l", str(tmp_path)], check=True)


async def test_after_a_failed_sync_nothing_is_acknowledged_until_the_process_starts_anew(
    tmp_path: Path,
):
    assert run_with_faults("lose_sync", tmp_path / "s.db") == [
        "StoreFailed",
        "StoreFailed",
        "StoreFailed",
        "[1, 2, 3] StoreFailed",
        *["StoreFailed"] * 4,
    ]
    # The process died with its WAL in place, and nobody was told of what the failed sync left there.
    assert (tmp_path / "s.db-wal").stat().st_size > 0
    store = SqliteStore(tmp_path / "s.db")
    assert await payloads_of(store) == ["a", "b", "c"]
    await turn(store, "d")
    assert await seqs_of(store) == [1, 2, 3, 4]
    await store.close()


async def test_what_a_dead_process_left_is_not_read_unless_it_is_durable(tmp_path: Path):
    with running("write", tmp_path / "s.db") as process:
        hear(process)
    assert run_with_faults("lose_left", tmp_path / "s.db") == ["StoreFailed", "StoreFailed"]


def test_mail_that_could_not_be_written_may_be_posted_again(tmp_path: Path):
    assert run_with_faults("lose_mail", tmp_path / "s.db") == [
        "StoreFailed",
        "True",
        "[b'\"kept\"', b'\"again\"']",
    ]


@pytest.mark.parametrize("shot", range(12))
async def test_a_torn_wal_ends_where_it_was_torn(shot: int, tmp_path: Path):
    with running("write", tmp_path / "s.db") as process:
        for _ in range(10):
            hear(process)
    wal = tmp_path / "s.db-wal"
    size = wal.stat().st_size
    # What had not reached the disk is cut off, or zeros, or garbage.
    kept = size * (shot + 1) // 13
    os.truncate(wal, kept)
    if shot % 3:
        with wal.open("ab") as file:
            file.write(bytes(size - kept) if shot % 3 == 1 else os.urandom(size - kept))
    store = SqliteStore(tmp_path / "s.db")
    for key in (KEY, OTHER):
        found = await seqs_of(store, key)
        assert found == list(range(1, len(found) + 1))
        await turn(store, "next", key=key)
        assert await payloads_of(store, key, len(found) + 1) == ["next"]
    await store.close()
