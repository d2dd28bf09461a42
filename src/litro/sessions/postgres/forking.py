"""Forks: a session whose log begins as another's does, made by the server but for its header and the chunk at its end."""

import time
from typing import Any

from litro.events import Private
from litro.sessions.base import FORMAT, SessionKey, header
from litro.sessions.facts import Facts
from litro.sessions.postgres.chunks import event_at
from litro.sessions.postgres.connections import Handle
from litro.sessions.postgres.listing import check_format, encode_owner
from litro.sessions.refusals import session_exists, unknown_session
from litro.wire import encode_private, events_of

# Nobody may delete the source meanwhile; its lease may be renewed.
_SOURCE = "SELECT id, format FROM {s}.sessions WHERE agent = $1 AND session = $2 FOR KEY SHARE"
_TOKEN = "SELECT holder FROM {s}.sessions WHERE agent = $1 AND session = $2"  # noqa: S105 - no secret
_MAKE = f"""
INSERT INTO {{s}}.sessions (agent, session, format, owner, created, updated, fence, holder, dirty, unfinished)
SELECT $1, $2, {FORMAT}, $3, $4, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint, 0, $5, false, false
ON CONFLICT (agent, session) DO NOTHING RETURNING id, updated
"""
_COPY = """
INSERT INTO {s}.chunks (sid, seq0, k, n, fence, turn, updated, title, data)
SELECT $2, seq0, k, n, 0, turn, $3, title, data FROM {s}.chunks
WHERE sid = $1 AND seq0 <= $4::bigint + 1 AND seq0 + n - 1 <= $4 AND (seq0, k) > (1, 0)
"""
_CUT = """
SELECT seq0, k, data FROM {s}.chunks
WHERE sid = $1 AND seq0 <= $2::bigint + 1 AND seq0 + n - 1 > $2 ORDER BY seq0 DESC, k DESC LIMIT 1
"""
_BEFORE = """
SELECT (SELECT turn FROM {s}.chunks WHERE sid = $1 ORDER BY seq0 DESC, k DESC LIMIT 1),
    (SELECT title FROM {s}.chunks WHERE sid = $1 AND title IS NOT NULL ORDER BY seq0 DESC, k DESC LIMIT 1)
"""
_PUT = """
INSERT INTO {s}.chunks (sid, seq0, k, n, fence, turn, updated, title, data) VALUES ($1, $2, $3, $4, 0, $5, $6, $7, $8)
"""


async def fork(
    db: Handle, key: SessionKey, into: SessionKey, *, owner: str | None, at: int, token: int
) -> None:
    """See `SessionStore.fork`. The token tells this try's work from anybody else's.

    Raises:
        UnknownSession, SessionExists, NewerFormat: Nothing was changed.
    """
    at = max(at, 0)
    async with db.transaction():
        source = await db.row(_SOURCE, *key)
        if source is None:
            raise unknown_session(key)
        check_format(key, source["format"])
        created = time.time_ns() // 1_000_000
        made = await db.row(_MAKE, *into, encode_owner(owner), created, token)
        if made is None:
            if await db.value(_TOKEN, *into) == token:
                return
            raise session_exists(into)
        line = encode_private(Private(header(into, owner=owner, created=created)))
        await db.rows(_PUT, made["id"], 1, 0, 0, 1, made["updated"], None, line)
        await db.rows(_COPY, source["id"], made["id"], made["updated"], at)
        cut = await db.row(_CUT, source["id"], at)
        if cut is not None:
            await _put_part(db, made, cut, at)


async def _put_part(db: Handle, made: Any, cut: Any, at: int) -> None:
    """The last chunk, of which only the beginning is wanted."""
    data = cut["data"][: event_at(cut["data"], at + 1)]
    if not data:
        return
    turn, title = await db.row(_BEFORE, made["id"])
    before = None if title is None else title.decode("utf-8", "surrogatepass")
    facts = Facts(turn, before)
    for event in events_of(data):
        facts = facts.after(event)
    named = None
    if facts.title is not None and facts.title != before:
        named = facts.title.encode("utf-8", "surrogatepass")
    n = at - cut["seq0"] + 1
    await db.rows(
        _PUT, made["id"], cut["seq0"], cut["k"], n, facts.running, made["updated"], named, data
    )
