"""Reading a log's rows: what a cursor wants next, from the filed chunks and then from the hot table.

Each function runs within a reading transaction, in a thread. A chunk may hold lines that the cursor has had: filing joins
rows, so a cursor counts bytes of the log, never rows.
"""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from litro.sessions.base import SessionKey
from litro.sessions.sqlite.log import Cursor
from litro.wire import EVENT_PREFIX

BLOCK: Final = 256 * 1024
"""Bytes of a block, unless one row is longer."""

_CHUNKS: Final = (
    "SELECT offset, last, data FROM chunks WHERE session = ? AND last >= ? AND offset + length(data) > ? "
    "ORDER BY last, offset"
)
_HOT: Final = (
    "SELECT offset, last, data FROM hot "
    "WHERE id > ? AND session = ? AND last >= ? AND offset + length(data) > ? ORDER BY id"
)
_SEEN: Final = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'hot'"


@dataclass(frozen=True, slots=True)
class Found:
    """What a look into the database found for a cursor."""

    block: bytes
    cursor: Cursor
    is_all: bool
    """Whether there was no more, then."""
    exists: bool
    """Whether the session was there."""


def begin(
    connection: sqlite3.Connection, key: SessionKey, cursor: Cursor
) -> tuple[int, Found] | None:
    """The session's number and its first block for the cursor, or None where there is no session."""
    known = connection.execute(
        "SELECT id FROM sessions WHERE agent = ? AND session = ? AND created IS NOT NULL", key
    ).fetchone()
    return None if known is None else (known[0], fetch(connection, known[0], cursor))


def fetch(connection: sqlite3.Connection, number: int, cursor: Cursor) -> Found:
    """The next block of whole lines for the cursor."""
    block: list[bytes] = []
    size, seen = 0, cursor.seen
    for offset, last, data in _rows(connection, number, cursor):
        piece = _wanted(data, offset, cursor) if not block else data
        cursor = Cursor(last, offset + len(data), seen)
        block.append(piece)
        size += len(piece)
        if size >= BLOCK:
            return Found(b"".join(block), cursor, is_all=False, exists=True)
    (seen,) = connection.execute(_SEEN).fetchone()
    exists = connection.execute("SELECT 1 FROM sessions WHERE id = ?", (number,)).fetchone()
    cursor = cursor._replace(seen=seen)
    return Found(b"".join(block), cursor, is_all=True, exists=exists is not None)


def _rows(connection: sqlite3.Connection, number: int, cursor: Cursor) -> Iterator[Any]:
    length, settled = connection.execute(
        "SELECT length, settled FROM sessions WHERE id = ?", (number,)
    ).fetchone() or (0, False)
    end = cursor.offset
    for row in connection.execute(_CHUNKS, (number, cursor.seq, cursor.offset)):
        end = row[0] + len(row[2])
        yield row
    # It has no index, so what is known to be filed is not looked for there.
    if not settled or end < length:
        yield from connection.execute(_HOT, (cursor.seen, number, cursor.seq, cursor.offset))


def _wanted(data: bytes, offset: int, cursor: Cursor) -> bytes:
    """Of the first row, what the cursor has not had."""
    if cursor.offset:
        return data[max(0, cursor.offset - offset) :]
    if cursor.seq == 0:
        return data
    # In a row's lines a newline stands at ends only, so this is the beginning of a line.
    first = b"%b%d," % (EVENT_PREFIX, cursor.seq)
    return data if data.startswith(first) else data[data.index(b"\n" + first) + 1 :]
