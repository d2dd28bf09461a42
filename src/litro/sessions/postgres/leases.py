"""Leases: a row says who may append, on the database's clock; the log itself refuses whoever is late.

The lease is politeness: it tells others that a session is busy. What makes a paused or cut-off holder harmless is that
taking over a session that was not closed in order appends first: an empty chunk, at the place where the old holder would
append next. If its statement is under way, the server lets one of the two wait for the other and the loser finds the
place taken: the old holder then has lost its lease, or the taker goes behind what the old holder has just added.

The holder measures by its own monotonic clock, from before its last renewal, and stops a margin early.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Iterable
from typing import Any, Final

from litro.errors import LeaseLost, LitroError, SessionBusy, StoreFailed
from litro.events import Private
from litro.sessions.base import FORMAT, SessionKey, SessionMeta, header
from litro.sessions.facts import Facts
from litro.sessions.postgres.chunks import Chunk, Place, following
from litro.sessions.postgres.connections import Connections, Handle
from litro.sessions.postgres.listing import check_format, encode_owner
from litro.sessions.postgres.log import Lease, OpenLog
from litro.sessions.postgres.notices import NOTIFY, Notice
from litro.sessions.refusals import not_owner
from litro.wire import encode_private

logger: Final = logging.getLogger(__name__)

_MARGIN: Final = 0.1
"""Of the TTL: clocks of two machines do not run alike."""

_NOW: Final = "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint"

_ROW = """
SELECT id, owner, created, fence, holder, dirty, format, coalesce(expires > clock_timestamp(), false) AS is_held
FROM {s}.sessions WHERE agent = $1 AND session = $2 FOR UPDATE
"""
_MAKE = f"""
INSERT INTO {{s}}.sessions (agent, session, format, owner, created, updated, fence, holder, expires, dirty, unfinished)
VALUES ($1, $2, {FORMAT}, $3, $4, {_NOW}, 1, $5, clock_timestamp() + $6::float8 * interval '1 second', true, false)
ON CONFLICT (agent, session) DO NOTHING RETURNING id
"""
_LAST = """
SELECT seq0, k, n, turn, updated,
    (
        SELECT title FROM {s}.chunks WHERE sid = $1 AND title IS NOT NULL
        ORDER BY seq0 DESC, k DESC LIMIT 1
    ) AS title
FROM {s}.chunks WHERE sid = $1 ORDER BY seq0 DESC, k DESC LIMIT 1
"""
_PUT = f"""
INSERT INTO {{s}}.chunks (sid, seq0, k, n, fence, turn, updated, data)
VALUES ($1, $2, $3, 0, $4, $5, coalesce($6::bigint, {_NOW}), $7)
ON CONFLICT DO NOTHING RETURNING updated
"""
_HOLD = """
UPDATE {s}.sessions SET fence = $2, holder = $3, expires = clock_timestamp() + $4::float8 * interval '1 second',
    dirty = true, unfinished = false
WHERE id = $1
"""
_RENEW = """
UPDATE {s}.sessions s SET expires = clock_timestamp() + $3::float8 * interval '1 second'
FROM (
    SELECT h.id FROM {s}.sessions h JOIN unnest($1::bigint[], $2::bigint[]) AS t (id, fence) USING (id, fence)
    WHERE h.expires IS NOT NULL ORDER BY h.id FOR UPDATE OF h
) held
WHERE s.id = held.id RETURNING s.id
"""
_FREE = """
UPDATE {s}.sessions SET expires = NULL, dirty = $3, unfinished = $4, updated = greatest(updated, $5)
WHERE id = $1 AND fence = $2
"""
_DELETE = (
    "DELETE FROM {s}.chunks WHERE sid = $1 AND (seq0, k) < ($2::bigint, $3::int)",
    "DELETE FROM {s}.mail WHERE agent = $1 AND session = $2",
    "DELETE FROM {s}.sessions WHERE id = $1",
)


async def take(
    db: Handle, key: SessionKey, owner: str | None, *, token: int, ttl: float, deadline: float
) -> Lease:
    """Take the session's lease, or make the session.

    Args:
        db: The connection.
        key: Which session.
        owner: Whose it must be.
        token: Tells this taking from any other: after a lost connection the first try may have succeeded.
        ttl: Seconds until the lease ends by itself.
        deadline: When the holder stops.

    Raises:
        SessionBusy, NotOwner, NewerFormat: See `SessionStore.open`.
    """
    async with db.transaction():
        while True:
            row = await db.row(_ROW, *key)
            if row is not None:
                return await _take_over(
                    db, key, row, owner, token=token, ttl=ttl, deadline=deadline
                )
            created = time.time_ns() // 1_000_000
            sid = await db.value(_MAKE, *key, encode_owner(owner), created, token, ttl)
            if sid is not None:
                break
        line = encode_private(Private(header(key, owner=owner, created=created)))
        updated = await db.value(_PUT, sid, 1, 0, 1, 1, None, line)
    meta = SessionMeta(key=key, owner=owner, created=created, updated=updated, tail=0)
    last = Chunk(Place(1, 0), 0, b"")
    return Lease(sid=sid, fence=1, meta=meta, last=last, facts=Facts(), deadline=deadline)


async def _take_over(
    db: Handle,
    key: SessionKey,
    row: Any,
    owner: str | None,
    *,
    token: int,
    ttl: float,
    deadline: float,
) -> Lease:
    check_format(key, row["format"])
    if row["owner"] != encode_owner(owner):
        raise not_owner(key)
    sid, fence, is_ours = row["id"], row["fence"], row["holder"] == token
    if row["is_held"] and not is_ours:
        raise SessionBusy((await db.row(_LAST, sid))["turn"])
    if not is_ours:
        fence += 1
        if row["dirty"]:
            await shut_out(db, sid, fence)
        await db.rows(_HOLD, sid, fence, token, ttl)
    last = await db.row(_LAST, sid)
    title = None if last["title"] is None else last["title"].decode("utf-8", "surrogatepass")
    chunk = Chunk(Place(last["seq0"], last["k"]), last["n"], b"")
    meta = SessionMeta(
        key=key,
        owner=owner,
        created=row["created"],
        updated=last["updated"],
        tail=chunk.last,
        title=title,
    )
    facts = Facts(last["turn"], title)
    return Lease(sid=sid, fence=fence, meta=meta, last=chunk, facts=facts, deadline=deadline)


async def shut_out(db: Handle, sid: int, fence: int) -> Place:
    """Append an empty chunk, so that whoever held the session before cannot append any more. Its place."""
    while True:
        last = await db.row(_LAST, sid)
        place = following(Place(last["seq0"], last["k"]), last["n"])
        # Waits for a statement of the old holder that is under way with this very place.
        if await db.rows(_PUT, sid, *place, fence, last["turn"], last["updated"], b""):
            return place


async def delete(db: Handle, key: SessionKey, notice: Callable[[int], Notice]) -> bool:
    """Remove the session. Where it was not closed in order, an empty chunk of it stays, to shut its holder out.

    Raises:
        SessionBusy: Somebody holds it.
    """
    async with db.transaction():
        row = await db.row(_ROW, *key)
        if row is None:
            # After a lost connection the first try may have removed it.
            return db.attempt > 1
        sid = row["id"]
        if row["is_held"]:
            raise SessionBusy((await db.row(_LAST, sid))["turn"])
        end = await shut_out(db, sid, row["fence"] + 1) if row["dirty"] else Place(1 << 62, 0)
        chunks, mail, session = _DELETE
        await db.rows(chunks, sid, *end)
        await db.rows(mail, *key)
        await db.rows(session, sid)
        await db.rows(NOTIFY, *notice(sid))
    return True


async def free(db: Handle, log: OpenLog, *, unfinished: bool, notice: Notice) -> None:
    """End the log's lease, if it still has it. A log that failed stays dirty: something may be under way."""
    is_failed = log.failure is not None
    async with db.transaction():
        await db.rows(
            _FREE, log.sid, log.fence, is_failed, unfinished or is_failed, log.last_updated
        )
        await db.rows(NOTIFY, *notice)


class Keeper:
    """Renews the leases of a process, all in one statement.

    Args:
        connections: To ask through.
        ttl: Seconds until a lease ends that is not renewed.
        held: The logs whose leases count.
    """

    def __init__(
        self, connections: Connections, ttl: float, held: Callable[[], Iterable[OpenLog]]
    ) -> None:
        self._connections = connections
        self._ttl = ttl
        self._held = held
        self._task: asyncio.Task[None] | None = None

    def deadline(self) -> float:
        """When a lease that is asked for now would end for its holder, by the monotonic clock."""
        return time.monotonic() + self._ttl * (1 - _MARGIN)

    def start(self) -> None:
        """Begin to renew."""
        self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """End."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(self._ttl / 3)
            logs = [log for log in self._held() if log.failure is None]
            if logs:
                await self._renew(logs)

    async def _renew(self, logs: list[OpenLog]) -> None:
        deadline = self.deadline()
        ids, fences = [log.sid for log in logs], [log.fence for log in logs]
        try:
            rows = await self._connections.run(
                lambda db: db.rows(_RENEW, ids, fences, self._ttl), patience=self._ttl / 4
            )
        except LitroError as error:
            logger.warning("leases could not be renewed: %s", error)
            renewed = None
        else:
            renewed = {row[0] for row in rows}
        for log in logs:
            if renewed is None:
                _end_if_over(log)
            elif log.sid in renewed:
                log.deadline = max(log.deadline, deadline)
            elif log in set(self._held()):
                msg = f"{log.key}: another writer has taken this session over, so nothing more can be appended."
                log.fail(LeaseLost(msg))


def _end_if_over(log: OpenLog) -> None:
    try:
        log.check()
    except (LeaseLost, StoreFailed) as error:
        logger.warning("%s", error)
