"""A driver that raises what nobody foresaw, and a pooler that refuses: whoever waits hears of it."""

import asyncio
import logging
from typing import Any

import asyncpg
import pytest

from litro.errors import StoreFailed
from litro.events import Event
from litro.sessions.base import SessionMeta
from litro.sessions.facts import Facts
from litro.sessions.postgres.address import parse_address
from litro.sessions.postgres.appending import Appender
from litro.sessions.postgres.chunks import START, Chunk
from litro.sessions.postgres.committer import Committer
from litro.sessions.postgres.connections import Connections
from litro.sessions.postgres.driver import Connection, Driver
from litro.sessions.postgres.feed import Feed
from litro.sessions.postgres.log import Lease, OpenLog
from litro.sessions.postgres.notices import Notices
from litro.sessions.postgres.notifier import Notifier
from sessions.logs import KEY

SOON = 30


class Refusing(Driver):
    """asyncpg, were it to raise `error` when it connects."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    async def connect(self, dsn: str, *, patience: float, **options: Any) -> Connection:
        raise self.error


def refused(error: Exception, query: str = "") -> Connections:
    address = parse_address(f"postgresql://h/d{query}")
    return Connections(Refusing(error), address, size=1, patience=0.001)


def open_log(feed: Feed) -> OpenLog:
    meta = SessionMeta(key=KEY, owner=None, created=0, updated=0, tail=0)
    last = Chunk(START, 0, b"")
    lease = Lease(sid=1, fence=1, meta=meta, last=last, facts=Facts(), deadline=float("inf"))
    return OpenLog(lease, feed)


async def test_a_flush_hears_of_a_commit_that_broke(caplog: pytest.LogCaptureFixture):
    connections = refused(RuntimeError("odd"))
    log = open_log(Feed(connections))
    notifier = Notifier(connections, Notices("channel", 1))
    committer = Committer(Appender(connections, notifier).commit)
    log.add(Event(kind="text-delta", payload="x", turn=1), 0)
    committer.add(log)
    with pytest.raises(StoreFailed, match="RuntimeError\\('odd'\\)"):
        await asyncio.wait_for(log.flushed(log.appended), SOON)
    await committer.idle()
    assert [record.levelno for record in caplog.records] == [logging.CRITICAL]


async def test_every_follower_hears_of_a_look_that_broke(caplog: pytest.LogCaptureFixture):
    feed = Feed(refused(RuntimeError("odd")))
    looks = [asyncio.create_task(feed.look(sid, START)) for sid in (1, 1, 2)]
    done, _ = await asyncio.wait(looks, timeout=SOON)
    assert [type(look.exception()) for look in done] == [StoreFailed] * 3
    await feed.close()
    assert [record.levelno for record in caplog.records] == [logging.CRITICAL]


@pytest.mark.parametrize(("query", "is_told"), [("", True), ("?pooled=yes", False)])
async def test_a_pooler_that_was_not_named_is_told_with_its_remedy(query: str, is_told: bool):
    error = asyncpg.ProtocolViolationError("unsupported startup parameter: statement_timeout")
    with pytest.raises(StoreFailed, match="statement_timeout") as failed:
        await refused(error, query).run(lambda db: db.rows("SELECT"))
    assert ("?pooled=yes" in str(failed.value)) is is_told
