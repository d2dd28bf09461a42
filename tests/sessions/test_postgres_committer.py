"""The group commit on the event loop: whatever arrives while a batch is on its way is the next batch."""

import asyncio

from litro.sessions.postgres.committer import Committer


class Server:
    """A commit function that waits until it is let go."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.more: list[str] = []
        self.begun = asyncio.Event()
        self.let_go = asyncio.Semaphore(0)

    async def commit(self, logs: list[str]) -> list[str]:
        self.batches.append(logs)
        self.begun.set()
        await self.let_go.acquire()
        more, self.more = self.more, []
        return more


async def test_what_arrives_while_a_batch_is_on_its_way_is_one_batch():
    server = Server()
    committer = Committer(server.commit)
    committer.add("a")
    await server.begun.wait()
    for n in range(100):
        committer.add(f"log{n % 3}")
        await asyncio.sleep(0)
    assert server.batches == [["a"]]
    server.let_go.release()
    server.let_go.release()
    await committer.idle()
    assert server.batches == [["a"], ["log0", "log1", "log2"]]


async def test_what_one_round_of_the_loop_appends_is_one_batch():
    server = Server()
    committer = Committer(server.commit)
    for log in ("a", "b", "a"):
        committer.add(log)
    server.let_go.release()
    await committer.idle()
    assert server.batches == [["a", "b"]]


async def test_a_log_that_has_more_comes_first_in_the_next_batch():
    server = Server()
    committer = Committer(server.commit)
    server.more = ["b"]
    committer.add("a")
    committer.add("b")
    await server.begun.wait()
    committer.add("c")
    committer.add("b")
    server.let_go.release()
    server.let_go.release()
    await committer.idle()
    assert server.batches == [["a", "b"], ["b", "c"]]


async def test_an_idle_committer_starts_again():
    server = Server()
    committer = Committer(server.commit)
    for _ in range(3):
        committer.add("a")
        server.let_go.release()
        await committer.idle()
    assert server.batches == [["a"]] * 3
