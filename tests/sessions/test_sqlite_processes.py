"""Several processes on one database: one writer a session, readers that see what is durable, no lease outlives its holder."""

import asyncio
import random
from contextlib import aclosing
from pathlib import Path

import pytest

from litro.errors import LeaseLost, SessionBusy
from litro.sessions.sqlite import SqliteStore
from litro.wire import events_of
from sessions.processes import hear, say
from sessions.sqlite_programs import KEY, OTHER, event, payloads_of, run, running, seqs_of, turn


@pytest.mark.parametrize("shot", range(10))
async def test_a_killed_writer_has_lost_nothing_and_holds_nothing(shot: int, tmp_path: Path):
    with running("write", tmp_path / "s.db") as process:
        for _ in range(random.Random(shot).randint(1, 80)):
            acknowledged = int(hear(process))
    store = SqliteStore(tmp_path / "s.db")
    assert sorted([key async for key in store.unfinished()]) == [KEY, OTHER]
    for key in (KEY, OTHER):
        found = await seqs_of(store, key)
        assert found == list(range(1, len(found) + 1))
        assert len(found) >= acknowledged
        await turn(store, "next", key=key)
        assert await payloads_of(store, key, len(found) + 1) == ["next"]
    assert [key async for key in store.unfinished()] == []
    await store.close()


async def test_processes_that_are_killed_again_and_again_leave_one_history(tmp_path: Path):
    store, known = SqliteStore(tmp_path / "s.db"), 0
    for shot in range(5):
        with running("write", tmp_path / "s.db") as process:
            for _ in range(shot * 7 + 1):
                acknowledged = int(hear(process))
        found = await seqs_of(store)
        assert found == list(range(1, len(found) + 1))
        assert known <= acknowledged <= len(found)
        known = acknowledged
    await store.close()


async def test_a_session_that_another_process_writes_is_busy(tmp_path: Path):
    store = SqliteStore(tmp_path / "s.db")
    with running("hold", tmp_path / "s.db") as process:
        assert hear(process) == "1"
        for refused in (lambda: store.open(KEY, owner=None), lambda: store.delete(KEY)):
            with pytest.raises(SessionBusy) as busy:
                await refused()
            assert busy.value.turn == 7
        meta = await store.meta(KEY)
        assert meta is not None
        assert (meta.running, meta.tail) == (7, 1)
        assert [key async for key in store.unfinished()] == []
        process.kill()
        process.wait()
        assert [key async for key in store.unfinished()] == [KEY]
        await turn(store, "mine")
    assert await seqs_of(store) == [1, 2]
    await store.close()


async def test_a_follower_in_another_process_sees_everything_in_order_until_the_writer_dies(
    tmp_path: Path,
):
    store = SqliteStore(tmp_path / "s.db")
    with running("hold", tmp_path / "s.db") as process:
        hear(process)
        seen: list[int] = []

        async def follow() -> None:
            async for block in store.follow(KEY, 1):
                seen.extend(found.seq for found in events_of(block))
                assert seen == list(range(1, len(seen) + 1))
                if len(seen) < 12:
                    say(process, "go on")
                else:
                    process.kill()

        await asyncio.wait_for(follow(), 30)
    assert seen == await seqs_of(store)
    await store.close()


async def test_mail_from_another_process_arrives(tmp_path: Path):
    store, other = SqliteStore(tmp_path / "s.db"), SqliteStore(tmp_path / "s.db")
    with running("hold", tmp_path / "s.db") as process:
        hear(process)
        assert await store.post(KEY, b'"cancel"', id="m1")
        assert not await other.post(KEY, b'"cancel"', id="m1")
        assert hear(process) == '"cancel"'
        process.kill()
    # It was never taken: the holder died before it asked for more.
    async with aclosing((await store.open(KEY, owner=None)).inbox()) as inbox:  # type: ignore[type-var]
        assert await anext(inbox) == b'"cancel"'
    await store.close()
    await other.close()


def test_a_forked_child_does_not_keep_the_lease(tmp_path: Path):
    assert run("fork", tmp_path / "s.db") == ["done"]


async def test_a_writer_whose_session_was_taken_by_another_adds_nothing(tmp_path: Path):
    mine, other = SqliteStore(tmp_path / "s.db"), SqliteStore(tmp_path / "s.db")
    zombie, bystander = await mine.open(KEY, owner=None), await mine.open(OTHER, owner=None)
    zombie.append(event("mine"))
    await zombie.flush()
    # Without its file the kernel's lock protects nothing any more.
    (tmp_path / "s.db-leases").unlink()
    await turn(other, "theirs")
    zombie.append(event("late"))
    bystander.append(event("bystander's"))
    with pytest.raises(LeaseLost):
        await zombie.flush()
    await bystander.flush()
    with pytest.raises(LeaseLost):
        zombie.append(event("later"))
    await zombie.close()
    await bystander.close()
    assert await payloads_of(other) == ["mine", "theirs"]
    assert await seqs_of(other) == [1, 2]
    await mine.close()
    await other.close()
