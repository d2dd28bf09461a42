"""What is known of sessions without reading their logs.

A closed session's row says when its log last grew, in an index. While a session is held, or was not closed in order, its
row is `dirty` and its last chunk says it: appending would otherwise have to rewrite a row, and two indexes, a batch.
"""

from collections.abc import Sequence
from typing import Any, Final

from litro.errors import NewerFormat
from litro.sessions.base import FORMAT, Anybody, Place, SessionKey, SessionMeta
from litro.sessions.postgres.connections import Handle

PAGE: Final = 100

_LAST = """
CROSS JOIN LATERAL (
    SELECT seq0, k, n, turn, updated FROM {s}.chunks WHERE sid = s.id ORDER BY seq0 DESC, k DESC LIMIT 1
) l
"""

_COLUMNS = """
SELECT s.agent, s.session, s.owner, s.created, l.updated, l.seq0 + l.n - 1 AS tail,
    CASE WHEN s.expires > clock_timestamp() THEN l.turn END AS running,
    (
        SELECT title FROM {s}.chunks WHERE sid = s.id AND title IS NOT NULL
        ORDER BY seq0 DESC, k DESC LIMIT 1
    ) AS title,
    s.format, s.id
"""

_META = f"{_COLUMNS} FROM {{s}}.sessions s {_LAST} WHERE s.agent = $1 AND s.session = $2"

_LIST = f"""
WITH page AS (
    (
        SELECT s.id, s.updated, s.session FROM {{s}}.sessions s
        WHERE s.agent = $1 AND NOT s.dirty AND (s.updated, s.session) < ($2::bigint, $3::text) /*owner*/
        ORDER BY s.updated DESC, s.session DESC LIMIT {PAGE}
    )
    UNION ALL
    (
        SELECT s.id, l.updated, s.session FROM {{s}}.sessions s {_LAST}
        WHERE s.agent = $1 AND s.dirty AND (l.updated, s.session) < ($2::bigint, $3::text) /*owner*/
    )
    ORDER BY 2 DESC, 3 DESC LIMIT {PAGE}
)
{_COLUMNS} FROM page JOIN {{s}}.sessions s ON s.id = page.id {_LAST}
ORDER BY page.updated DESC, page.session DESC
"""

_UNFINISHED = """
SELECT s.agent, s.session FROM {s}.sessions s
WHERE (s.dirty OR s.unfinished) AND (s.unfinished OR s.expires IS NOT NULL)
    AND (s.expires IS NULL OR s.expires <= clock_timestamp())
UNION
SELECT m.agent, m.session FROM {s}.mail m
WHERE NOT m.taken AND NOT EXISTS (
    SELECT FROM {s}.sessions s
    WHERE s.agent = m.agent AND s.session = m.session AND s.expires > clock_timestamp()
)
"""


def encode_owner(owner: str | None) -> bytes:
    """The owner as the column has it: comparable by `=`, None included."""
    return b"-" if owner is None else b"+" + owner.encode("utf-8", "surrogatepass")


def decode_owner(owner: bytes) -> str | None:
    """The owner that the column holds."""
    return None if owner == b"-" else owner[1:].decode("utf-8", "surrogatepass")


def check_format(key: SessionKey, number: int) -> None:
    """Refuse a log of a newer version.

    Raises:
        NewerFormat: It is one.
    """
    if number > FORMAT:
        msg = f"{key}: its log is of format {number}, so a Litro that knows it is required: this one knows {FORMAT}."
        raise NewerFormat(msg)


async def meta(db: Handle, key: SessionKey) -> SessionMeta | None:
    """What is known of the session."""
    row = await db.row(_META, key.agent, key.session)
    if row is None:
        return None
    check_format(key, row["format"])
    return _meta(row)


async def page(
    db: Handle, agent: str, *, owner: str | Anybody | None, before: Place | None
) -> Sequence[SessionMeta]:
    """The next sessions of a list, at most `PAGE`."""
    updated, session = (1 << 62, "") if before is None else before
    query = _LIST
    args: list[Any] = [agent, updated, session]
    if not isinstance(owner, Anybody):
        query = query.replace("/*owner*/", "AND s.owner = $4")
        args.append(encode_owner(owner))
    return [_meta(row) for row in await db.rows(query, *args)]


async def unfinished(db: Handle) -> Sequence[SessionKey]:
    """Sessions with a marker, or with mail, that nobody holds."""
    return [SessionKey(row[0], row[1]) for row in await db.rows(_UNFINISHED)]


def _meta(row: Any) -> SessionMeta:
    title = row["title"]
    return SessionMeta(
        key=SessionKey(row["agent"], row["session"]),
        owner=decode_owner(row["owner"]),
        created=row["created"],
        updated=row["updated"],
        tail=row["tail"],
        running=row["running"],
        title=None if title is None else title.decode("utf-8", "surrogatepass"),
    )
