"""Disks that are full and syncs that fail: nothing is acknowledged that is not there, now or later."""

from pathlib import Path

from litro.sessions.base import SessionKey
from litro.sessions.file import FileStore
from sessions.logs import KEY, log_of, log_path, payloads_of, seqs_of, write
from sessions.processes import run, run_with_faults


async def test_a_full_disk_fails_its_session_without_a_gap_and_a_later_one_works(tmp_path: Path):
    *said, acknowledged = run("fill", tmp_path)
    assert said == ["StoreFailed", "StoreFailed", "True", "done", "0", "done"]
    store = FileStore(tmp_path)
    seqs = await seqs_of(store)
    assert seqs == list(range(1, int(acknowledged) + 2))
    assert await payloads_of(store, len(seqs)) == ["later"]
    await store.close()


async def test_after_a_failed_sync_nothing_is_acknowledged_until_the_process_starts_anew(
    tmp_path: Path,
):
    assert run_with_faults("lose_sync", tmp_path) == [
        "StoreFailed",
        "StoreFailed",
        "StoreFailed",
        "[1, 2, 3] StoreFailed",
        "[1, 2, 3] StoreFailed",
        "StoreFailed",
        "StoreFailed",
        "StoreFailed",
        "[1, 2, 3] end",
        "StoreFailed",
    ]
    assert log_path(tmp_path).read_bytes().count(b"\n") == 4
    store = FileStore(tmp_path)
    assert await payloads_of(store) == ["a", "b", "c"]
    await write(store, "d")
    assert await seqs_of(store) == [1, 2, 3, 4]
    await store.close()


async def test_a_failed_sync_among_many_acknowledges_none_of_its_batch(tmp_path: Path):
    assert run_with_faults("lose_many", tmp_path) == ["{'StoreFailed'}"]
    store = FileStore(tmp_path)
    for n in range(40):
        assert await payloads_of(store, key=SessionKey("demo", f"m{n}")) == ["kept"]
    await store.close()


def test_a_failed_write_ends_one_session_only(tmp_path: Path):
    assert run_with_faults("lose_write", tmp_path) == [
        "StoreFailed",
        "StoreFailed",
        "done",
        "done",
        "['a', 'later']",
    ]


def test_mail_that_could_not_be_made_durable_may_be_posted_again(tmp_path: Path):
    assert run_with_faults("lose_mail", tmp_path) == [
        "StoreFailed",
        "True",
        "[b'\"kept\"', b'\"again\"']",
    ]


def test_a_log_whose_name_is_not_durable_is_not_acknowledged(tmp_path: Path):
    assert run_with_faults("lose_name", tmp_path) == ["StoreFailed"]


async def test_what_cannot_be_made_durable_is_not_read(tmp_path: Path):
    await log_of(tmp_path, "a")
    assert run_with_faults("lose_reader", tmp_path) == ["StoreFailed", "StoreFailed"]
    store = FileStore(tmp_path)
    assert await store.meta(KEY) is not None
    await store.close()
