"""The commit: a batch becomes rows of the hot table, one a session, in one durable transaction.

A row a session and batch, appended without an index: the layout was chosen by measurement (see the package). A writer whose
lease is not the session's any more is fenced here: every taking of a lease counts one number up, in the transaction that
takes it, and a batch that finds the number as it was needs no look at its sessions. One that finds it changed compares its
sessions' fences before it adds a row, so no row of a lost lease ever follows one of its successor.

It runs in the committer's thread.
"""

import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, repeat
from typing import Any, Final

import orjson

from litro.errors import LeaseLost, SessionError
from litro.sessions.commit import Batch, Failures
from litro.sessions.sqlite.database import Database
from litro.sessions.sqlite.log import OpenLog
from litro.wire import EVENT_PREFIX

Row = tuple[int, int, int, int, int, bytes]
"""Session, last seq, offset, running, updated, data."""

_WIDTH: Final = 6
_SIZES: Final = (1, 4, 16, 64, 256, 1024)
"""Rows of one statement, which is filled up. Each step gives the interpreter's lock away and, where the loop is busy, waits
for it: one step for a whole batch is what makes a row a session affordable."""

_INSERTS: Final = {
    size: "INSERT INTO hot (session, last, offset, running, updated, data) SELECT * FROM (VALUES "  # noqa: S608
    + ", ".join([f"({', '.join('?' * _WIDTH)})"] * size)
    + ") WHERE column1 IS NOT NULL"
    for size in _SIZES
}


class Journal:
    """Where batches go."""

    def __init__(self, database: Database, committed: Callable[[int], None]) -> None:
        self._database = database
        self._committed = committed

    def commit(self, batch: Batch[OpenLog]) -> Failures[OpenLog]:
        """Make the batch durable; which logs it could not, and why."""
        try:
            with self._database.writing() as connection:
                _fence(connection, batch)
                # Behind a refusal everything is refused: a gap would be worse than an end.
                logs = [log for log in batch if log.refusal is None]
                now = time.time_ns() // 1_000_000
                rows = [_row(log, batch[log], now) for log in logs]
                insert(connection, rows)
                _mark(connection, logs)
        except SessionError as error:
            for log in batch:
                log.refusal = log.refusal or error
        else:
            self._committed(sum(len(row[-1]) for row in rows))
        return {log: log.refusal for log in batch if log.refusal is not None}


def insert(connection: sqlite3.Connection, rows: Sequence[Row]) -> None:
    """Append the rows to the hot table."""
    for begin in range(0, len(rows), _SIZES[-1]):
        part = rows[begin : begin + _SIZES[-1]]
        size = next(size for size in _SIZES if size >= len(part))
        filling = repeat(None, (size - len(part)) * _WIDTH)
        connection.execute(_INSERTS[size], tuple(chain(chain.from_iterable(part), filling)))


def _row(log: OpenLog, lines: Sequence[bytes], now: int) -> Row:
    data = b"".join(lines)
    offset = log.written
    log.written += len(data)
    log.updated = now
    for line in lines:
        log.last += line.startswith(EVENT_PREFIX)
    while log.marks and log.marks[0].end <= log.written:
        log.known = log.marks.popleft()
    return log.number, log.last, offset, log.known.facts.running, now, data


def _mark(connection: sqlite3.Connection, logs: Iterable[OpenLog]) -> None:
    """Write into the sessions' entries what the logs now say, where it is news."""
    for log in logs:
        title, taken = log.known.facts.title, log.known.taken
        if (title, taken) == log.entered:
            continue
        connection.execute(
            "UPDATE sessions SET title = ?, taken = ? WHERE id = ?", (title, taken, log.number)
        )
        if taken != log.entered[1]:
            connection.execute(
                "UPDATE mail SET item = NULL WHERE session = ? AND id <= ? AND item IS NOT NULL",
                (log.number, taken),
            )
        log.entered = (title, taken)


def _fence(connection: sqlite3.Connection, batch: Iterable[OpenLog]) -> None:
    (takeovers,) = connection.execute("SELECT takeovers FROM state").fetchone()
    doubtful = [log for log in batch if log.vouched != takeovers]
    if not doubtful:
        return
    found: list[Any] = connection.execute(
        "SELECT id, fence FROM sessions WHERE id IN (SELECT value FROM json_each(?))",
        (orjson.dumps([log.number for log in doubtful]).decode(),),
    ).fetchall()
    fences = dict(found)
    for log in doubtful:
        if fences.get(log.number) == log.fence:
            log.vouched = takeovers
        elif log.refusal is None:
            log.refusal = LeaseLost(
                f"{log.where}: another writer has taken the session, so nothing more of this one counts."
            )
