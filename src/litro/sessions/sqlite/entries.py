"""Sessions as entries of the database: taking, giving back, posting, deleting, and what is known of them.

Each function runs within a transaction of its caller's, in a thread. What they tell as running comes from the kernel's lock.
"""

import sqlite3
import time
from dataclasses import dataclass
from typing import Any, Final

from litro.errors import SessionBusy
from litro.events import Private
from litro.sessions.base import Anybody, Place, SessionKey, SessionMeta, header
from litro.sessions.facts import Facts
from litro.sessions.refusals import not_owner
from litro.sessions.sqlite.journal import insert
from litro.sessions.sqlite.leases import Leases
from litro.sessions.sqlite.log import Extent, OpenLog
from litro.wire import encode_private

_COLUMNS: Final = (
    "s.id, s.agent, s.session, s.owner, s.created, s.updated, s.tail, s.length, s.running, "
    "s.title, s.taken, s.fence, s.settled"
)
_WAITING: Final = "EXISTS (SELECT 1 FROM mail m WHERE m.session = s.id AND m.id > s.taken)"


@dataclass(slots=True)
class Entry:
    """A session's row, with what its rows in the hot table say besides."""

    number: int
    agent: str
    session: str
    owner: str | None
    created: int | None
    updated: int
    tail: int
    length: int
    running: int
    title: str | None
    taken: int
    fence: int
    settled: bool = False

    def meta(self, leases: Leases) -> SessionMeta:
        """What the port tells of it."""
        return SessionMeta(
            key=SessionKey(self.agent, self.session),
            owner=self.owner,
            created=self.created or 0,
            updated=self.updated,
            tail=self.tail,
            running=self.running if leases.is_held(self.number) else None,
            title=self.title,
        )


def find(connection: sqlite3.Connection, key: SessionKey) -> Entry | None:
    """The session's entry, also where it holds mail only."""
    entry = _known(connection, key)
    if entry is not None and not entry.settled:
        newest = connection.execute(
            "SELECT last, updated, running, offset + length(data) FROM hot WHERE session = ? "
            "ORDER BY id DESC LIMIT 1",
            (entry.number,),
        ).fetchone()
        if newest is not None:
            entry.tail, entry.updated, entry.running, entry.length = newest
    return entry


def number(connection: sqlite3.Connection, key: SessionKey) -> int | None:
    """The session's number, where there is one."""
    entry = _known(connection, key)
    return None if entry is None or entry.created is None else entry.number


def page(
    connection: sqlite3.Connection,
    agent: str,
    *,
    owner: str | Anybody | None,
    before: Place | None,
    size: int,
) -> list[Entry]:
    """The agent's next sessions behind a place, the last updated first."""
    chosen, values = "s.agent = ? AND s.created IS NOT NULL", [agent]
    if not isinstance(owner, Anybody):
        chosen, values = f"{chosen} AND s.owner IS ?", [agent, owner]
    # What is not filed yet has not reached its entry either: these few sessions are sorted here.
    hot = [
        _fresh(row)
        for row in connection.execute(
            f"SELECT {_COLUMNS}, h.last, h.updated, h.running FROM "  # noqa: S608 - constants
            "(SELECT session, max(id) AS id FROM hot GROUP BY session) n "
            f"JOIN hot h ON h.id = n.id JOIN sessions s ON s.id = n.session WHERE {chosen}",
            values,
        )
    ]
    numbers = {entry.number for entry in hot}
    if before is not None:
        hot = [entry for entry in hot if (entry.updated, entry.session) < before]
        chosen += " AND (s.updated, s.session) < (?, ?)"
        values = [*values, *before]
    cold = connection.execute(
        f"SELECT {_COLUMNS} FROM sessions s WHERE {chosen} "  # noqa: S608 - constants
        "ORDER BY s.updated DESC, s.session DESC LIMIT ?",
        [*values, size + len(numbers)],
    )
    entries = hot + [entry for row in cold if (entry := Entry(*row)).number not in numbers]
    entries.sort(key=lambda entry: (entry.updated, entry.session), reverse=True)
    return entries[:size]


def take(
    connection: sqlite3.Connection, leases: Leases, key: SessionKey, owner: str | None
) -> Extent:
    """Take the lease and count it, the session made where there is none; it stays marked until it is given back.

    Raises:
        SessionBusy, NotOwner: See `SessionStore.open`.
    """
    entry = find(connection, key)
    if entry is None or entry.created is None:
        entry = _make(connection, key, owner, entry)
    if not leases.take(entry.number):
        raise SessionBusy(entry.running)
    try:
        _check_owner(entry, owner)
        connection.execute(
            "UPDATE sessions SET fence = fence + 1, unfinished = 1, settled = 0 WHERE id = ?",
            (entry.number,),
        )
        connection.execute("UPDATE state SET takeovers = takeovers + 1")
    except BaseException:
        leases.give_back(entry.number)
        raise
    return Extent(
        number=entry.number,
        fence=entry.fence + 1,
        owner=entry.owner,
        created=entry.created or 0,
        updated=entry.updated,
        length=entry.length,
        tail=entry.tail,
        taken=entry.taken,
        facts=Facts(entry.running, entry.title),
    )


def settle(connection: sqlite3.Connection, log: OpenLog) -> None:
    """Write down what the log holds, all of which is committed: nobody has to look for it until it is taken again."""
    connection.execute(
        "UPDATE sessions SET tail = ?, length = ?, running = ?, updated = ?, settled = 1 "
        "WHERE id = ? AND fence = ?",
        (log.last, log.written, log.known.facts.running, log.updated, log.number, log.fence),
    )


def finish(connection: sqlite3.Connection, number: int, fence: int) -> None:
    """Take the mark of a session whose holder ends well, unless mail waits in it."""
    connection.execute(
        f"UPDATE sessions AS s SET unfinished = 0 WHERE id = ? AND fence = ? AND NOT {_WAITING}",  # noqa: S608
        (number, fence),
    )


def post(connection: sqlite3.Connection, key: SessionKey, item: bytes, name: str) -> bool:
    """Put an item into the session's mailbox. False where `name` was posted before."""
    entry = _known(connection, key)
    number = _reserve(connection, key) if entry is None else entry.number
    posted = connection.execute(
        "INSERT OR IGNORE INTO mail (session, name, item) VALUES (?, ?, ?)", (number, name, item)
    )
    if posted.rowcount != 1:
        return False
    connection.execute("UPDATE sessions SET unfinished = 1 WHERE id = ?", (number,))
    return True


def mail(connection: sqlite3.Connection, number: int, taken: int) -> list[tuple[int, bytes]]:
    """The items behind the one of id `taken`, each with its id."""
    return connection.execute(
        "SELECT id, item FROM mail WHERE session = ? AND id > ? ORDER BY id", (number, taken)
    ).fetchall()


def has_mail(connection: sqlite3.Connection, key: SessionKey) -> bool:
    """Whether items wait that no holder of the lease has taken."""
    waiting = connection.execute(
        f"SELECT 1 FROM sessions s WHERE s.agent = ? AND s.session = ? AND {_WAITING}",  # noqa: S608
        key,
    )
    return waiting.fetchone() is not None


def delete(connection: sqlite3.Connection, leases: Leases, key: SessionKey) -> int | None:
    """Remove the session, its lease taken, and leave its rows to the housekeeping. Its number, where there is one.

    Raises:
        SessionBusy: Somebody writes it.
    """
    entry = find(connection, key)
    if entry is None or entry.created is None:
        return None
    if not leases.take(entry.number):
        raise SessionBusy(entry.running)
    connection.execute("DELETE FROM sessions WHERE id = ?", (entry.number,))
    connection.execute("DELETE FROM mail WHERE session = ?", (entry.number,))
    connection.execute("INSERT INTO trash VALUES (?)", (entry.number,))
    connection.execute("UPDATE state SET takeovers = takeovers + 1")
    return entry.number


def unfinished(connection: sqlite3.Connection, leases: Leases) -> list[SessionKey]:
    """The marked sessions that nobody holds."""
    marked: list[Any] = connection.execute(
        "SELECT id, agent, session FROM sessions WHERE unfinished ORDER BY id"
    ).fetchall()
    return [
        SessionKey(agent, session)
        for number, agent, session in marked
        if not leases.is_held(number)
    ]


def make(
    connection: sqlite3.Connection, key: SessionKey, owner: str | None, created: int
) -> tuple[int, bytes]:
    """A new session's entry, its number and its header; the caller stores that."""
    entry = _known(connection, key)
    number = _reserve(connection, key) if entry is None else entry.number
    connection.execute(
        "UPDATE sessions SET owner = ?, created = ?, updated = ? WHERE id = ?",
        (owner, created, created, number),
    )
    return number, encode_private(Private(header(key, owner=owner, created=created)))


def _make(
    connection: sqlite3.Connection, key: SessionKey, owner: str | None, found: Entry | None
) -> Entry:
    now = time.time_ns() // 1_000_000
    number, line = make(connection, key, owner, now)
    insert(connection, [(number, 0, 0, 1, now, line)])
    return Entry(
        number, *key, owner, now, now, 0, len(line), 1, None, 0 if found is None else found.taken, 0
    )


def _check_owner(entry: Entry, owner: str | None) -> None:
    if entry.owner != owner:
        raise not_owner(SessionKey(entry.agent, entry.session))


def _known(connection: sqlite3.Connection, key: SessionKey) -> Entry | None:
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM sessions s WHERE s.agent = ? AND s.session = ?",  # noqa: S608
        key,
    ).fetchone()
    return None if row is None else Entry(*row)


def _reserve(connection: sqlite3.Connection, key: SessionKey) -> int:
    made = connection.execute("INSERT INTO sessions (agent, session) VALUES (?, ?)", key)
    assert made.lastrowid is not None  # noqa: S101 - an INSERT has one
    return made.lastrowid


def _fresh(row: tuple[Any, ...]) -> Entry:
    entry = Entry(*row[:-3])
    entry.tail, entry.updated, entry.running = row[-3:]
    return entry
