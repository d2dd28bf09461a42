"""Making a batch durable: one statement for all sessions of the process, which tells for each whether it was its turn.

A chunk's place follows from what its writer believes to be the past, and the primary key takes each place once. So a
writer whose session somebody else took over loses against the chunk that the taker appended first, whenever its
statement arrives: before, and it counts (the taker then found it and went behind it); at the same time, and the server
makes one of the two wait for the other; later, and its row is missing in the answer.
"""

import logging
from collections.abc import Sequence
from typing import Final

from litro.errors import LeaseLost, LitroError, SessionError, StoreFailed
from litro.sessions.postgres.connections import Connections, Handle
from litro.sessions.postgres.log import OpenLog, Outgoing
from litro.sessions.postgres.notifier import Notifier

logger: Final = logging.getLogger(__name__)

_APPEND = """
WITH added AS (
    INSERT INTO {s}.chunks (sid, seq0, k, n, fence, turn, updated, title, data)
    SELECT t.sid, t.seq0, t.k, t.n, t.fence, t.turn,
        (SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint), t.title, t.data
    FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::int[], $4::text::int[], $5::text::bigint[],
        $6::text::bigint[], $7::bytea[], $8::bytea[])
        AS t (sid, seq0, k, n, fence, turn, title, data)
    ON CONFLICT DO NOTHING
    RETURNING sid, updated
), took AS (
    UPDATE {s}.mail SET taken = true
    FROM unnest($9::bigint[], $10::bigint[]) AS t (sid, id) JOIN added USING (sid)
    WHERE mail.id = t.id
)
SELECT sid, updated FROM added
"""

# After a lost connection: a place that is taken may be taken by the first try. Fences tell: no two leases share one.
_FIND = """
SELECT c.sid, c.updated
FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::int[], $4::text::bigint[]) AS t (sid, seq0, k, fence)
JOIN {s}.chunks c ON (c.sid, c.seq0, c.k, c.fence) = (t.sid, t.seq0, t.k, t.fence)
"""

_BATCH = 16 << 20
"""Bytes of a batch, unless one chunk is larger."""


class Appender:
    """The commit function of a store's committer."""

    def __init__(self, connections: Connections, notifier: Notifier) -> None:
        self._connections = connections
        self._notifier = notifier

    async def commit(self, logs: list[OpenLog]) -> list[OpenLog]:
        """Make a chunk of each log durable, and tell the logs. The logs that have more to make durable."""
        try:
            await self._commit(logs)
        except Exception as error:
            # The task's edge: whoever flushes hears of it instead of waiting for ever. Other logs go on: places and
            # fences decide what counts of this batch, as after a lost connection.
            logger.critical("a commit broke, so its sessions take no more", exc_info=error)
            msg = f"postgres: a commit broke ({error!r}), so nothing more can be appended: open the session anew."
            for log in logs:
                log.fail(StoreFailed(msg))
        return [log for log in logs if log.has_more]

    async def _commit(self, logs: list[OpenLog]) -> None:
        batch: list[tuple[OpenLog, Outgoing]] = []
        size = 0
        for log in logs:
            if size <= _BATCH and _may_be_sent(log):
                sent = log.outgoing()
                size += len(sent.chunk.data)
                batch.append((log, sent))
        if batch:
            await self._send(batch)

    async def _send(self, batch: Sequence[tuple[OpenLog, Outgoing]]) -> None:
        try:
            durable = await self._connections.run(lambda db: self._append(db, batch))
        except LitroError as error:
            # Perhaps the server has it all the same, or will have it yet. Nobody was told so, and whoever opens the
            # session next appends first: what of this came before counts, what comes later does not.
            for log, _ in batch:
                log.fail(error if isinstance(error, SessionError) else StoreFailed(str(error)))
            return
        self._notifier.tell(durable)
        for log, sent in batch:
            if log.sid in durable:
                log.settle(sent, durable[log.sid])
            else:
                logger.warning("%s: another writer has taken this session over", log.key)
                msg = f"{log.key}: another writer has taken this session over, so nothing more can be appended."
                log.fail(LeaseLost(msg))

    async def _append(
        self, db: Handle, batch: Sequence[tuple[OpenLog, Outgoing]]
    ) -> dict[int, int]:
        """When each log grew, of those that did."""
        sids = [log.sid for log, _ in batch]
        keys = (
            _array(sids),
            _array([sent.chunk.place.seq0 for _, sent in batch]),
            _array([sent.chunk.place.k for _, sent in batch]),
        )
        fences = _array([log.fence for log, _ in batch])
        titles = [
            None if sent.title is None else sent.title.encode("utf-8", "surrogatepass")
            for _, sent in batch
        ]
        taken = [(log.sid, mail) for log, sent in batch for mail in sent.taken]
        rows = await db.rows(
            _APPEND,
            *keys,
            _array([sent.chunk.n for _, sent in batch]),
            fences,
            _array([sent.turn for _, sent in batch]),
            # Where nearly always nothing is, an array that is too short is filled up with NULL.
            titles if any(titles) else [],
            [sent.chunk.data for _, sent in batch],
            [sid for sid, _ in taken],
            [mail for _, mail in taken],
        )
        durable: dict[int, int] = {row[0]: row[1] for row in rows}
        if len(durable) < len(batch):
            found = await db.rows(_FIND, *keys, fences)
            durable |= {row[0]: row[1] for row in found}
        return durable


def _array(numbers: Sequence[int]) -> str:
    """As Postgres reads it from text: the driver would spend more on each number than the server does on parsing it."""
    return f"{{{','.join(map(str, numbers))}}}"


def _may_be_sent(log: OpenLog) -> bool:
    """Whether the log has something to send and still its lease."""
    if not log.has_more:
        return False
    try:
        log.check()
    except SessionError:
        return False
    return True
