"""Markers of what somebody has to look after: an empty file for a lease that is held, one for mail that waits.

They lie in `.unfinished/<agent>/` below the store's directory, so that nobody reads logs, or even their folders, to find
what a crash left. Making one is made durable. Removing one is not: a marker that comes back after a power failure costs a look
at a session that is well, and a marker that is missing would cost a turn its end.

Two kinds, since they are guarded by different locks: the holder of the lease alone makes and removes a lease's marker,
and whoever holds the mailbox its own. It is not the lease: a marker without one is what is looked for.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal

from litro.directories import make_private, sync_directory
from litro.sessions.base import SessionKey, is_store_id
from litro.sessions.file import filenames

Kind = Literal["lease", "mail"]

_FOLDER: Final = ".unfinished"
_MAKE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW


class Markers:
    """The markers of a store. Everything here may wait for the disk."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory / _FOLDER

    def make(self, key: SessionKey, kind: Kind) -> bool:
        """Mark the session; `sync` makes it durable. False where it was marked before."""
        return _make(self._path(key, kind))

    def sync(self, key: SessionKey) -> None:
        """Make what marks the session durable, whoever made it: he may have died before it was."""
        sync_directory(self._path(key, "lease").parent)

    def remove(self, key: SessionKey, kind: Kind) -> None:
        """Take the mark away, if there is one."""
        self._path(key, kind).unlink(missing_ok=True)

    def has(self, key: SessionKey, kind: Kind) -> bool:
        """Whether the session is marked."""
        return self._path(key, kind).exists()

    def marked(self) -> list[SessionKey]:
        """Every marked session once, in the order of their names."""
        return sorted(set(self._found()))

    def _found(self) -> Iterator[SessionKey]:
        for agent in _names(self._directory):
            for file in _names(self._directory / agent):
                name, _, kind = file.rpartition(".")
                key = SessionKey(filenames.decode(agent), filenames.decode(name))
                if kind in {"lease", "mail"} and all(map(is_store_id, key)):
                    yield key

    def _path(self, key: SessionKey, kind: Kind) -> Path:
        name = f"{filenames.encode(key.session)}.{kind}"
        return self._directory / filenames.encode(key.agent) / name


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 - names are all that is asked for
    except (FileNotFoundError, NotADirectoryError):
        return []


def _make(path: Path) -> bool:
    try:
        os.close(os.open(path, _MAKE, 0o600))
    except FileExistsError:
        return False
    except FileNotFoundError:
        make_private(path.parent)
        return _make(path)
    return True
