"""Mailboxes: items in a table, posted by any process without a lease.

Posts to one mailbox go one after the other, so that ids come in order: a reader that has seen one has seen all before.
An item is marked as taken by the statement that appends what came of it.
"""

from collections.abc import Sequence
from typing import Any

import orjson

from litro.sessions.base import SessionKey
from litro.sessions.postgres.address import Address
from litro.sessions.postgres.connections import Handle
from litro.sessions.postgres.notices import NOTIFY, Notice

_POST = """
INSERT INTO {s}.mail (agent, session, mid, token, item) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (agent, session, mid) DO NOTHING RETURNING id
"""
_TOKEN = "SELECT token FROM {s}.mail WHERE agent = $1 AND session = $2 AND mid = $3"  # noqa: S105 - no secret
_HAS = "SELECT EXISTS (SELECT FROM {s}.mail WHERE agent = $1 AND session = $2 AND NOT taken)"
_BEHIND = """
SELECT id, item FROM {s}.mail WHERE agent = $1 AND session = $2 AND NOT taken AND id > $3 ORDER BY id LIMIT 100
"""


def encode_item(item: bytes) -> bytes:
    """The item as one line of JSON.

    Raises:
        ValueError: It is not JSON.
    """
    return orjson.dumps(orjson.loads(item))


async def post(
    db: Handle,
    address: Address,
    key: SessionKey,
    item: bytes,
    *,
    mid: str,
    token: int,
    notice: Notice,
) -> bool:
    """Put it in. False where another one has the id."""
    name = mid.encode("utf-8", "surrogatepass")
    async with db.transaction():
        await db.rows("SELECT pg_advisory_xact_lock($1)", address.lock("mail", *key))
        if await db.value(_POST, *key, name, token, item) is None:
            # After a lost connection the first try may be the one that has it.
            return await db.value(_TOKEN, *key, name) == token
        await db.rows(NOTIFY, *notice)
        return True


async def has_mail(db: Handle, key: SessionKey) -> bool:
    """Whether an item waits."""
    return bool(await db.value(_HAS, *key))


async def behind(db: Handle, key: SessionKey, seen: int) -> Sequence[tuple[int, bytes]]:
    """Items that wait behind an id, each with its own."""
    rows: list[Any] = await db.rows(_BEHIND, *key, seen)
    return [(row[0], row[1]) for row in rows]
