"""The open database: one connection that writes, a few that read, one that checkpoints; all in threads.

What SQLite refuses is told as a store's errors here, and only here. A failed sync poisons the database: what the kernel
then still has of the data cannot be known (https://wiki.postgresql.org/wiki/Fsync_Errors).

It knows no sessions.
"""

import logging
import os
import sqlite3
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from litro.directories import sync_directory
from litro.errors import SessionDamaged, SessionError, StoreFailed
from litro.sessions.sqlite import schema
from litro.sessions.sqlite.leases import Leases

logger: Final = logging.getLogger(__name__)

_PATIENCE: Final = 20.0
"""Seconds that a writer waits for one that is not of Litro's: a shell, a backup."""
_IDLE: Final = 8
"""Reading connections that are kept."""
_CACHE: Final = 8192
"""KiB of pages that the writing connection keeps."""

_DAMAGE: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
# What a full disk, or a file that may grow no more, refuses: the transaction is gone, and that is all.
_NO_SPACE: Final = frozenset(
    {sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_TRUNCATE}
)

_checked: set[tuple[int, int]] = set()
"""Files of this process whose header was read. Never again: closing one would free SQLite's locks on it."""
_checking = threading.Lock()


class Database:
    """The database of one handle. Its file is made when it is first needed."""

    def __init__(self, path: Path) -> None:
        self.path: Path = path.absolute()
        self.leases: Leases = Leases(self.path.with_name(f"{self.path.name}-leases"))
        self.poison: BaseException | None = None
        self._writer: sqlite3.Connection | None = None
        self._is_synced: bool | None = None
        """Whether the writing connection syncs its commits."""
        self._checkpointer: sqlite3.Connection | None = None
        self._idle: list[sqlite3.Connection] = []
        self._epoch = 0
        self._is_ready = False
        self._turn = threading.Lock()
        self._preparing = threading.Lock()

    def check(self) -> None:
        """Refuse to go on after a failed sync.

        Raises:
            StoreFailed: There was one.
        """
        if self.poison is not None:
            msg = f"{self.path}: {self.poison}, so nothing more is acknowledged."
            raise StoreFailed(msg) from self.poison

    @contextmanager
    def writing(self, *, synced: bool = True) -> Generator[sqlite3.Connection]:
        """A transaction that writes, the only one; durable at the end, unless what it does may be done again.

        Raises:
            SessionError: It could not be made durable, so nothing of it is there.
        """
        self.prepare()
        with self._turn:
            yield from self._transact(synced=synced)

    def _transact(self, *, synced: bool) -> Generator[sqlite3.Connection]:
        self.check()
        try:
            if self._writer is None:
                self._writer = self.connect()
                self._writer.execute(f"PRAGMA cache_size = -{_CACHE}")
                self._is_synced = None
            if self._is_synced is not synced:
                self._writer.execute(f"PRAGMA synchronous = {'FULL' if synced else 'NORMAL'}")
                self._is_synced = synced
            self._writer.execute("BEGIN IMMEDIATE")
            yield self._writer
            self._writer.execute("COMMIT")
        except sqlite3.Error as error:
            self._undo()
            told = self.told(error)
            self._bury()
            raise told from error
        except BaseException:
            self._undo()
            raise

    @contextmanager
    def reading(self) -> Generator[sqlite3.Connection]:
        """A transaction that sees one moment of the database. It holds nobody up, and must be short.

        Raises:
            SessionError: The database cannot be read.
        """
        self.prepare()
        self.check()
        epoch, connection = self._epoch, None
        try:
            connection = self._idle_or_new()
            connection.execute("BEGIN")
            yield connection
        except sqlite3.Error as error:
            raise self.told(error) from error
        finally:
            if connection is not None:
                self._keep(connection, epoch)

    def checkpoint(self, limit: int) -> None:
        """Move what is committed from the WAL into the file, without holding up writers.

        Where they are so busy that the WAL never ends and is longer than `limit` pages, they wait for its end once.

        Raises:
            SessionError: The disk failed.
        """
        try:
            if self._checkpointer is None:
                self._checkpointer = self.connect()
                # Somebody's long look at the database shall not keep turns waiting for the WAL's end.
                self._checkpointer.execute("PRAGMA busy_timeout = 100")
            _, pages, _ = self._checkpointer.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            if pages > limit:
                with self._turn:
                    self._checkpointer.execute("PRAGMA wal_checkpoint(RESTART)").fetchone()
        except sqlite3.Error as error:
            raise self.told(error) from error

    def connect(self) -> sqlite3.Connection:
        """A connection of one's own, whose user closes it."""
        connection = sqlite3.connect(
            f"{self.path.as_uri()}?mode=rw",
            uri=True,
            timeout=_PATIENCE,
            isolation_level=None,
            check_same_thread=False,
        )
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        # Where the system's SQLite overwrites what is deleted, filing would write everything three times.
        connection.execute("PRAGMA secure_delete = OFF")
        return connection

    def close(self) -> None:
        """Close what is idle; what is in use is closed by its user. It may be used again."""
        with self._preparing:
            self._is_ready = False
            self._epoch += 1
            idle, self._idle = self._idle, []
            for connection in (*idle, self._checkpointer, self._writer):
                if connection is not None:
                    with suppress(sqlite3.Error):
                        connection.close()
            self._writer = self._checkpointer = None
            self.leases.close()

    def told(self, error: sqlite3.Error) -> SessionError:
        """SQLite's error as a store's; the database is poisoned where it says that the disk failed."""
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
        name = getattr(error, "sqlite_errorname", type(error).__name__)
        if code & 0xFF in _DAMAGE:
            return SessionDamaged(
                f"{self.path}: {error} ({name}). Restore the database from a copy."
            )
        if code & 0xFF == sqlite3.SQLITE_IOERR and code not in _NO_SPACE and self.poison is None:
            self.poison = OSError(f"{error} ({name})")
            logger.critical(
                "%s: %s (%s), so the store is closed to protect what it holds. "
                "Check the disk, then start the process anew.",
                self.path,
                error,
                name,
            )
        return StoreFailed(f"{self.path}: {error} ({name}), so nothing of it is acknowledged.")

    def prepare(self) -> None:
        """Make or check the file, once.

        Raises:
            StoreFailed, NewerFormat, SessionDamaged: It cannot be used.
        """
        if self._is_ready:
            return
        with self._preparing:
            if not self._is_ready:
                try:
                    self._find_or_make()
                    self._settle_what_was_left()
                except sqlite3.Error as error:
                    raise self.told(error) from error
                except OSError as error:
                    msg = f"{self.path}: the database cannot be used: {error}"
                    raise StoreFailed(msg) from error
                self._is_ready = True

    def _find_or_make(self) -> None:
        if not os.path.lexists(self.path):
            schema.make(self.path)
        with _checking:
            status = self.path.lstat()
            if (status.st_dev, status.st_ino) not in _checked:
                schema.check_header(self.path)
                _checked.add((status.st_dev, status.st_ino))

    def _settle_what_was_left(self) -> None:
        """Make durable what a process that has died may have left: SQLite shows it, synced or not."""
        connection = self.connect()
        try:
            application, version = (
                connection.execute(f"PRAGMA {name}").fetchone()[0]
                for name in ("application_id", "user_version")
            )
            schema.check_version(self.path, application, version)
            try:
                fd = os.open(f"{self.path}-wal", os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
            except FileNotFoundError:
                fd = None
            if fd is not None:
                try:
                    os.fsync(fd)
                except OSError as error:
                    self.poison = error
                    raise
                finally:
                    os.close(fd)
            sync_directory(self.path.parent)
            self._idle.append(connection)
        except BaseException:
            connection.close()
            raise

    def _undo(self) -> None:
        if self._writer is not None and self._writer.in_transaction:
            with suppress(sqlite3.Error):
                self._writer.execute("ROLLBACK")

    def _bury(self) -> None:
        """After a failed sync: the WAL still has the frames of its commit, and after a crash SQLite would believe them.

        The next commit overwrites the first of them, which ends the chain.
        """
        if self.poison is None or self._writer is None:
            return
        with suppress(sqlite3.Error):
            self._writer.execute("PRAGMA synchronous = OFF")
            self._writer.execute("UPDATE state SET takeovers = takeovers + 1")

    def _idle_or_new(self) -> sqlite3.Connection:
        try:
            # Not asked first whether there is one: another thread may take it meanwhile.
            return self._idle.pop()
        except IndexError:
            return self.connect()

    def _keep(self, connection: sqlite3.Connection, epoch: int) -> None:
        with suppress(sqlite3.Error):
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            if epoch == self._epoch and len(self._idle) < _IDLE:
                self._idle.append(connection)
                return
        connection.close()
