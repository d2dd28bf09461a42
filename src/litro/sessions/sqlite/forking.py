"""Forks: a session that begins as another one's copy, up to some seq, behind a header of its own."""

import sqlite3
import time
from dataclasses import dataclass
from typing import Final

from litro.errors import UnknownSession
from litro.sessions.base import SessionKey
from litro.sessions.facts import Facts, facts_of
from litro.sessions.refusals import session_exists
from litro.sessions.sqlite import entries
from litro.sessions.sqlite.entries import Entry
from litro.sessions.sqlite.journal import insert
from litro.sessions.sqlite.log import Cursor
from litro.sessions.sqlite.reading import fetch
from litro.wire import EVENT_PREFIX, last_seq

_ROW: Final = 64 * 1024
"""Bytes of a row, unless one line is longer."""


@dataclass(frozen=True, slots=True)
class Copy:
    """What a fork holds behind its header."""

    lines: bytes
    tail: int
    facts: Facts


def copied(connection: sqlite3.Connection, number: int, at: int) -> Copy:
    """The session's lines up to seq `at`, private ones that follow it included, without the header.

    Raises:
        UnknownSession: It was deleted meanwhile.
    """
    found = fetch(connection, number, Cursor.at(1))
    blocks = [found.block]
    while not found.is_all:
        found = fetch(connection, number, found.cursor)
        blocks.append(found.block)
    if not found.exists:
        msg = "the session was deleted while it was forked."
        raise UnknownSession(msg)
    lines = b"".join(blocks)
    start = lines.index(b"\n") + 1
    end = lines.find(b"\n%b%d," % (EVENT_PREFIX, max(at, 0) + 1)) + 1
    lines = lines[start : end or len(lines)]
    return Copy(lines, last_seq(lines) or 0, facts_of(lines))


def make(connection: sqlite3.Connection, key: SessionKey, owner: str | None, copy: Copy) -> Entry:
    """Make the session; its entry.

    Raises:
        SessionExists: There is one.
    """
    known = entries.find(connection, key)
    if known is not None and known.created is not None:
        raise session_exists(key)
    now = time.time_ns() // 1_000_000
    number, line = entries.make(connection, key, owner, now)
    offset, last, running = 0, 0, copy.facts.running
    for data in (line, *_pieces(copy.lines)):
        last = last_seq(data) or last
        insert(connection, [(number, last, offset, running, now, data)])
        offset += len(data)
    connection.execute(
        "UPDATE sessions SET title = ?, tail = ?, length = ?, running = ?, settled = 1 WHERE id = ?",
        (copy.facts.title, copy.tail, offset, running, number),
    )
    return Entry(number, *key, owner, now, now, copy.tail, offset, running, copy.facts.title, 0, 0)


def _pieces(lines: bytes) -> list[bytes]:
    pieces: list[bytes] = []
    start = 0
    while start < len(lines):
        end = lines.rfind(b"\n", start, start + _ROW) + 1 or lines.index(b"\n", start) + 1
        pieces.append(lines[start:end])
        start = end
    return pieces
