"""Several processes on one folder: one writer, readers that see what is durable, and no lease that outlives its holder."""

import asyncio
import random
from pathlib import Path

import pytest

from litro.errors import SessionBusy
from litro.sessions.file import FileStore
from litro.wire import events_of
from sessions.logs import KEY, event, log_path, payloads_of, seqs_of, write
from sessions.processes import hear, kill, run, running, say


@pytest.mark.parametrize("shot", range(10))
async def test_a_killed_writer_has_lost_nothing_and_holds_nothing(shot: int, tmp_path: Path):
    with running("write", tmp_path) as process:
        heard = [hear(process) for _ in range(random.Random(shot).randint(1, 60))]
        acknowledged = int((heard + kill(process))[-1])
    store = FileStore(tmp_path)
    writer = await store.open(KEY, owner=None)
    found = await seqs_of(store)
    assert found == list(range(1, len(found) + 1))
    assert len(found) >= acknowledged
    assert writer.append(event("next")) == len(found) + 1
    await writer.flush()
    await writer.close()
    assert await payloads_of(store, len(found) + 1) == ["next"]
    await store.close()


async def test_a_session_that_another_process_writes_is_busy(tmp_path: Path):
    store = FileStore(tmp_path)
    with running("hold", tmp_path) as process:
        assert hear(process) == "1"
        for refused in (lambda: store.open(KEY, owner=None), lambda: store.delete(KEY)):
            with pytest.raises(SessionBusy) as busy:
                await refused()
            assert busy.value.turn == 7
        meta = await store.meta(KEY)
        assert meta is not None
        assert (meta.running, meta.tail) == (7, 1)
        kill(process)
        await write(store, "mine")
    assert await seqs_of(store) == [1, 2]
    await store.close()


async def test_a_follower_in_another_process_sees_everything_in_order_until_the_writer_dies(
    tmp_path: Path,
):
    store = FileStore(tmp_path)
    with running("hold", tmp_path) as process:
        hear(process)
        blocks: list[bytes] = []

        async def follow() -> None:
            async for block in store.follow(KEY, 1):
                blocks.append(block)
                seen = [found.seq for found in events_of(b"".join(blocks))]
                assert seen == list(range(1, len(seen) + 1))
                if len(seen) < 12:
                    say(process, "go on")
                else:
                    kill(process)

        await asyncio.wait_for(follow(), 30)
    assert b"".join(blocks) == log_path(tmp_path).read_bytes()
    await store.close()


async def test_mail_from_another_process_arrives(tmp_path: Path):
    store, other = FileStore(tmp_path), FileStore(tmp_path)
    with running("hold", tmp_path) as process:
        hear(process)
        assert await store.post(KEY, b'"cancel"', id="m1")
        assert not await other.post(KEY, b'"cancel"', id="m1")
        kill(process)
    writer = await store.open(KEY, owner=None)
    assert await anext(writer.inbox()) == b'"cancel"'
    await writer.close()
    await store.close()
    await other.close()


def test_a_forked_child_does_not_keep_the_lease(tmp_path: Path):
    assert run("fork", tmp_path) == ["done"]
