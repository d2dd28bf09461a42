"""The database's tables, and what tells a Litro database of this version from any other file.

It opens no database that is in use.
"""

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from secrets import token_hex
from typing import Final

from litro.directories import make_private, sync_directory
from litro.errors import NewerFormat, SessionDamaged, StoreFailed

APPLICATION: Final = 0x4C49_5452
"""`LITR`, in the database's header: https://sqlite.org/fileformat2.html#application_id."""

VERSION: Final = 1
"""In the header too. A database with a newer one is refused, untouched."""

_TABLES: Final = """
-- Numbers are never used twice: they name leases. A row without `created` holds mail for a session that is not there yet.
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    agent TEXT NOT NULL,
    session TEXT NOT NULL,
    owner TEXT,
    created INTEGER,
    updated INTEGER NOT NULL DEFAULT 0,
    tail INTEGER NOT NULL DEFAULT 0,
    length INTEGER NOT NULL DEFAULT 0,
    running INTEGER NOT NULL DEFAULT 1,
    title TEXT,
    taken INTEGER NOT NULL DEFAULT 0,
    fence INTEGER NOT NULL DEFAULT 0,
    -- Whether the row says all there is to say of the log, what is not filed included: it was given back in order.
    settled INTEGER NOT NULL DEFAULT 0,
    unfinished INTEGER NOT NULL DEFAULT 0,
    UNIQUE (agent, session)
);
CREATE INDEX sessions_by_place ON sessions (agent, owner, updated, session);
CREATE INDEX sessions_unfinished ON sessions (id) WHERE unfinished;

-- What is committed first: a row for each session of a batch, in order, without any index. `offset` and `length(data)` are
-- bytes of the session's log; `last` is the last seq up to the row's end. Ids only grow, so readers ask for those they have
-- not seen.
CREATE TABLE hot (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL,
    last INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    running INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    data BLOB NOT NULL
);

-- Where rows of `hot` are filed, those of a session joined, off the path of commits.
CREATE TABLE chunks (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    last INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    data BLOB NOT NULL
);
CREATE UNIQUE INDEX chunks_by_place ON chunks (session, last, offset);

-- Mail is known by its name for good; its item goes when it is taken.
CREATE TABLE mail (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL,
    name TEXT NOT NULL,
    item BLOB,
    UNIQUE (session, name)
);

-- Numbers of deleted sessions whose rows are still to be removed.
CREATE TABLE trash (session INTEGER PRIMARY KEY);

-- One row: how often leases were taken, in all.
CREATE TABLE state (takeovers INTEGER NOT NULL);
INSERT INTO state VALUES (0);
"""


def make(path: Path) -> None:
    """Make the database where there is none, whole or not at all, private to its user.

    Raises:
        OSError, sqlite3.Error: It could not be made.
    """
    make_private(path.parent)
    draft = path.with_name(f".{path.name}.{token_hex(6)}")
    os.close(os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600))
    try:
        with closing(sqlite3.connect(f"{draft.as_uri()}?mode=rw", uri=True)) as connection:
            # Before there is any table, or it takes no effect.
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
            connection.executescript(_TABLES)
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {VERSION}")
            # Last: what closing cannot move from a WAL into the file, it keeps to itself, and only the file is linked.
            connection.execute("PRAGMA journal_mode = WAL")
        _sync(draft)
        # Unlike a rename, it never takes another's place.
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
    sync_directory(path.parent)


def check_header(path: Path) -> None:
    """Refuse a file that is no database of this version, without SQLite: that would repair a foreign one.

    Closing the file frees the locks that this process has on it, so nothing here may have it open already.

    Raises:
        StoreFailed: It is no database of Litro's, or a symbolic link.
        NewerFormat: It was written by a newer version.
        OSError: It cannot be read.
    """
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        head = os.pread(fd, 72, 0)
    finally:
        os.close(fd)
    is_database = head.startswith(b"SQLite format 3\0")
    application = int.from_bytes(head[68:72], "big")
    check_version(path, application if is_database else 0, int.from_bytes(head[60:64], "big"))


def check_version(path: Path, application: int, version: int) -> None:
    """Refuse a database by what its header says.

    Raises:
        StoreFailed, NewerFormat, SessionDamaged: See `check_header`.
    """
    if application != APPLICATION:
        msg = (
            f"{path}: the file is not a database of Litro's, so nothing was changed. "
            "Name another file in `sessions`, or move this one aside."
        )
        raise StoreFailed(msg)
    if version > VERSION:
        msg = (
            f"{path}: the database has format {version}, and this version of Litro knows {VERSION}, so nothing was changed. "
            "Install a newer Litro."
        )
        raise NewerFormat(msg)
    if version < 1:
        msg = f"{path}: the database has format {version}, so it was not made whole. Move it aside."
        raise SessionDamaged(msg)


def _sync(path: Path) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
