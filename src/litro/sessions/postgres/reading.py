"""Reading a log by pages of chunks, from the chunk that holds the first wanted seq: what is before it is not touched."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final

from litro.errors import UnknownSession
from litro.sessions.base import SessionKey
from litro.sessions.postgres.chunks import START, Chunk, Cursor, Place
from litro.sessions.postgres.connections import Connections, Handle
from litro.sessions.postgres.listing import check_format

_BLOCK: Final = 256 << 10
"""Bytes of a page, unless one chunk is larger."""

_ROWS: Final = 2000

_WHERE = """
SELECT s.id, s.format, l.seq0 AS last_seq0, l.k AS last_k, f.seq0 AS first_seq0, f.k AS first_k
FROM {s}.sessions s
CROSS JOIN LATERAL (SELECT seq0, k FROM {s}.chunks WHERE sid = s.id ORDER BY seq0 DESC, k DESC LIMIT 1) l
LEFT JOIN LATERAL (
    SELECT seq0, k FROM {s}.chunks WHERE sid = s.id AND seq0 <= $3 ORDER BY seq0 DESC, k DESC LIMIT 1
) f ON true
WHERE s.agent = $1 AND s.session = $2
"""
_PAGE = f"""
SELECT seq0, k, n, data FROM (
    SELECT seq0, k, n, data, sum(octet_length(data)) OVER (ORDER BY seq0, k) - octet_length(data) AS before
    FROM (
        SELECT seq0, k, n, data FROM {{s}}.chunks
        WHERE sid = $1 AND (seq0, k) > ($2::bigint, $3::int) AND (seq0, k) <= ($4::bigint, $5::int)
        ORDER BY seq0, k LIMIT {_ROWS}
    ) AS next
) AS sized WHERE before < {_BLOCK} ORDER BY seq0, k
"""


@dataclass(frozen=True, slots=True)
class Span:
    """What there is to read of a session."""

    sid: int
    end: Place
    """The last chunk."""
    cursor: Cursor


async def span(connections: Connections, key: SessionKey, start: int) -> Span | None:
    """Where reading from `start` on begins, and where the log ends now. None where there is no session.

    Raises:
        NewerFormat, StoreFailed: It cannot be read.
    """
    row = await connections.run(lambda db: db.row(_WHERE, *key, min(start, 1 << 62)))
    if row is None:
        return None
    check_format(key, row["format"])
    behind = START
    if start > 1:
        # The chunk in which `start` is, itself included.
        behind = Place(row["first_seq0"], row["first_k"] - 1)
    return Span(row["id"], Place(row["last_seq0"], row["last_k"]), Cursor(start, behind))


async def blocks(connections: Connections, key: SessionKey, found: Span) -> AsyncIterator[bytes]:
    """Whole lines from the span's cursor up to its end.

    Raises:
        SessionDamaged: Something is missing in the middle.
        UnknownSession: It was deleted meanwhile.
    """
    while found.cursor.behind < found.end:
        chunks = await connections.run(lambda db: _page(db, found))
        if not chunks:
            msg = f"{key}: the session was deleted while it was read."
            raise UnknownSession(msg)
        block = b"".join(found.cursor.take(chunk, str(key)) for chunk in chunks)
        if block:
            yield block


async def _page(db: Handle, found: Span) -> list[Chunk]:
    rows = await db.rows(_PAGE, found.sid, *found.cursor.behind, *found.end)
    return [Chunk(Place(row[0], row[1]), row[2], row[3]) for row in rows]
