"""The group commit loop: whatever arrives while a batch is made durable is the next batch."""

import asyncio
import threading
from queue import SimpleQueue

import pytest

from litro.sessions.commit import Batch, Committer, Failures


class Disk:
    """A commit function that waits until it is let go, and tells what it was given."""

    def __init__(self) -> None:
        self.batches: list[Batch[str]] = []
        self.failures: Failures[str] = {}
        self.settled: list[tuple[str, int, BaseException | None]] = []
        self.begun: SimpleQueue[None] = SimpleQueue()
        self.let_go: SimpleQueue[None] = SimpleQueue()
        self.all_settled = asyncio.Event()
        self.expected = 0

    def commit(self, batch: Batch[str]) -> Failures[str]:
        self.batches.append(batch)
        self.begun.put(None)
        self.let_go.get()
        return self.failures

    def settle(self, log: str, size: int, error: BaseException | None) -> None:
        self.settled.append((log, size, error))
        if len(self.settled) == self.expected:
            self.all_settled.set()

    async def settles(self, count: int) -> None:
        self.expected = count
        if len(self.settled) < count:
            await self.all_settled.wait()
        self.all_settled.clear()


async def test_what_arrives_while_a_batch_is_in_flight_is_one_batch():
    disk = Disk()
    committer = Committer(disk.commit, disk.settle, name="test-commit")
    committer.add("a", b"1")
    await asyncio.to_thread(disk.begun.get)
    for n in range(100):
        committer.add("a", b"%d" % (n % 10))
        committer.add(f"log{n % 3}", b"xy")
        await asyncio.sleep(0)
    assert disk.batches == [{"a": [b"1"]}]
    disk.let_go.put(None)
    disk.let_go.put(None)
    await disk.settles(5)
    assert len(disk.batches) == 2
    assert b"".join(disk.batches[1]["a"]) == b"0123456789" * 10
    assert set(disk.batches[1]) == {"a", "log0", "log1", "log2"}
    assert sorted(disk.settled[1:]) == [
        ("a", 100, None),
        ("log0", 68, None),
        ("log1", 66, None),
        ("log2", 66, None),
    ]
    committer.stop()


async def test_what_one_turn_of_the_loop_appends_is_one_batch():
    disk = Disk()
    committer = Committer(disk.commit, disk.settle, name="test-commit")
    disk.let_go.put(None)
    committer.add("a", b"1")
    committer.add("b", b"2")
    committer.add("a", b"3")
    await disk.settles(2)
    assert disk.batches == [{"a": [b"1", b"3"], "b": [b"2"]}]
    committer.stop()


async def test_a_failure_is_settled_for_its_log_alone_and_the_loop_goes_on():
    disk = Disk()
    committer = Committer(disk.commit, disk.settle, name="test-commit")
    error = OSError("full")
    disk.failures = {"b": error}
    for _ in range(2):
        disk.let_go.put(None)
    committer.add("a", b"1")
    committer.add("b", b"22")
    await disk.settles(2)
    assert disk.settled == [("a", 1, None), ("b", 2, error)]
    disk.failures = {}
    committer.add("b", b"333")
    await disk.settles(3)
    assert disk.settled[2:] == [("b", 3, None)]
    committer.stop()


async def test_stopping_waits_for_what_was_handed_over():
    disk = Disk()
    committer = Committer(disk.commit, disk.settle, name="test-commit")
    committer.add("a", b"1")
    await asyncio.to_thread(disk.begun.get)
    stopping = asyncio.create_task(asyncio.to_thread(committer.stop))
    await asyncio.sleep(0)
    assert not stopping.done()
    disk.let_go.put(None)
    await stopping
    await disk.settles(1)
    assert disk.settled == [("a", 1, None)]
    assert "test-commit" not in {thread.name for thread in threading.enumerate()}


async def test_a_stopped_committer_starts_again_with_the_next_piece():
    disk = Disk()
    committer = Committer(disk.commit, disk.settle, name="test-commit")
    for n in range(1, 4):
        disk.let_go.put(None)
        committer.add("a", b"1")
        await disk.settles(n)
        committer.stop()
        committer.stop()
    assert len(disk.batches) == 3


def test_a_committer_needs_a_running_loop():
    disk = Disk()
    committer = Committer(disk.commit, disk.settle, name="test-commit")
    with pytest.raises(RuntimeError, match="no running event loop"):
        committer.add("a", b"1")


async def test_a_commit_that_raises_fails_its_batch_and_every_later_one_and_nobody_waits_for_ever():
    disk = Disk()
    error = RuntimeError("no thread can be started")

    def commit(batch: Batch[str]) -> Failures[str]:
        disk.batches.append(batch)
        raise error

    committer = Committer(commit, disk.settle, name="test-commit")
    for log in ("a", "b"):
        committer.add(log, b"1")
        await disk.settles(1 if log == "a" else 2)
    assert disk.settled == [("a", 1, error), ("b", 1, error)]
    assert disk.batches == [{"a": [b"1"]}]
    committer.stop()
