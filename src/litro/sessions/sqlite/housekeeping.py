"""What is done off the path of commits: filing, removing what was deleted, moving the WAL into the file.

One thread, awake only after commits. Each step is short, so that commits wait for little, and may be done again: none of it
needs a sync of its own, and several processes may do it for one database.
"""

import logging
import sqlite3
import threading
from typing import Final

from litro.errors import SessionError
from litro.sessions.sqlite.database import Database

logger: Final = logging.getLogger(__name__)

_PERIOD: Final = 1.0
"""Seconds in which rows gather: those of a session that come together are filed as one."""
_ROWS: Final = 2_000
"""Rows that are filed in one step."""
_CHUNKS: Final = 200
"""Chunks that are removed in one step."""
_PAGES: Final = 1000
"""Pages that are given back in one step."""
_PAUSE: Final = 0.001
"""Seconds between two steps, so that whoever waits to commit is next."""
_DUE: Final = 4 << 20
"""Bytes committed, roughly, after which the WAL is moved into the file."""
_LONGEST: Final = 8192
"""Pages of the WAL after which writers wait for it to end."""
_PAGE: Final = 4096
_FREE: Final = 256
"""Free pages that are left in the file, for what comes next."""

_FILE: Final = """
INSERT INTO chunks (session, last, offset, data)
SELECT session, max(last), min(offset), CAST(group_concat(data, '') AS BLOB)
FROM (SELECT session, last, offset, CAST(data AS TEXT) AS data FROM hot WHERE id <= :end ORDER BY session, id)
GROUP BY session, offset / 32768
"""
# By places in the log, so that none is long: whoever reads a log's end reads a chunk.
# group_concat keeps a subquery's order: https://sqlite.org/optoverview.html#omit_order_by_on_subqueries_if_it_is_not_needed

_ENTER: Final = """
UPDATE sessions SET tail = h.last, updated = h.updated, running = h.running, length = h.length
FROM (
    SELECT session, last, updated, running, offset + length(data) AS length, max(id)
    FROM hot WHERE id <= :end GROUP BY session
) h
WHERE sessions.id = h.session AND sessions.length <= h.length
"""


class Housekeeping:
    """The thread, and its steps."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._work = threading.Event()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._unmoved = 0

    def committed(self, size: int) -> None:
        """Something was committed, of so many bytes; in any thread."""
        # A commit writes a few pages besides its bytes.
        self._unmoved += size + 3 * _PAGE
        self._work.set()

    def start(self) -> None:
        """Begin, unless it has."""
        if self._thread is None:
            self._stopping.clear()
            # A process that has died may have left some.
            self._work.set()
            self._thread = threading.Thread(
                target=self._run, name="litro-housekeeping", daemon=True
            )
            self._thread.start()

    def stop(self) -> None:
        """End. Waits for the step that runs."""
        if self._thread is not None:
            self._stopping.set()
            self._work.set()
            self._thread.join()
            self._thread = None

    def tidy(self) -> None:
        """File, remove and move what there is.

        Raises:
            SessionError: The database cannot be written.
        """
        while self._file() == _ROWS and not self._stopping.wait(_PAUSE):
            pass
        self._remove()
        if self._unmoved > _DUE:
            self._unmoved = 0
            self._database.checkpoint(_LONGEST)

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._work.wait()
            self._stopping.wait(_PERIOD)
            self._work.clear()
            try:
                self.tidy()
            except SessionError as error:
                # Whoever commits is told as well, where it matters to them.
                logger.warning("housekeeping is put off: %s", error)

    def _file(self) -> int:
        """How many rows were filed."""
        with self._database.reading() as connection:
            count, end = _first(connection)
        if count == 0:
            return 0
        with self._database.writing(synced=False) as connection:
            # Another process may have filed them meanwhile.
            count, end = _first(connection)
            if count:
                connection.execute(_FILE, {"end": end})
                connection.execute(_ENTER, {"end": end})
                connection.execute("DELETE FROM hot WHERE id <= ?", (end,))
                self._unmoved += count * _PAGE // 4
        return count

    def _remove(self) -> None:
        """Remove the rows of deleted sessions, and give the file's space back."""
        removed = False
        while not self._stopping.wait(_PAUSE):
            with self._database.reading() as connection:
                found = connection.execute("SELECT session FROM trash LIMIT 1").fetchone()
            if found is None:
                break
            removed = True
            with self._database.writing(synced=False) as connection:
                _empty(connection, found[0])
        while removed and not self._stopping.wait(_PAUSE):
            with self._database.writing(synced=False) as connection:
                (free,) = connection.execute("PRAGMA freelist_count").fetchone()
                if free <= _FREE:
                    break
                connection.execute(f"PRAGMA incremental_vacuum({_PAGES})").fetchall()


def _first(connection: sqlite3.Connection) -> tuple[int, int]:
    """How many rows are to be filed next, and the id of the last of them."""
    count, end = connection.execute(
        "SELECT count(*), max(id) FROM (SELECT id FROM hot ORDER BY id LIMIT ?)", (_ROWS,)
    ).fetchone()
    return count, end or 0


def _empty(connection: sqlite3.Connection, number: int) -> None:
    connection.execute("DELETE FROM hot WHERE session = ?", (number,))
    gone = connection.execute(
        "DELETE FROM chunks WHERE id IN (SELECT id FROM chunks WHERE session = ? LIMIT ?)",
        (number, _CHUNKS),
    )
    if gone.rowcount < _CHUNKS:
        connection.execute("DELETE FROM trash WHERE session = ?", (number,))
