"""Leases as kernel locks: one byte a session in a file beside the database, by the number of the session's row.

Numbers are never used twice, so a deleted session and its namesake have different bytes. A byte is free the moment its
holder's process dies.

It is not what keeps a lost lease from writing, should the file be removed: that is the journal's fence.
"""

import os
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from litro.errors import StoreFailed
from litro.sessions import locks

_FLAGS: Final = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


class Leases:
    """The leases that one handle holds, and questions about those of others."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._fd: int | None = None
        self._held: set[int] = set()
        self._lock = threading.Lock()

    def take(self, number: int) -> bool:
        """Take the session's lease. False where anybody holds it, this handle included.

        Raises:
            StoreFailed: The system refuses the file, or the lock.
        """
        with self._lock, self._telling():
            if number in self._held or not locks.take(self._file(), number):
                return False
            self._held.add(number)
            return True

    def give_back(self, number: int) -> None:
        """Free the session's lease."""
        with self._lock:
            self._held.discard(number)
            if self._fd is not None:
                locks.free(self._fd, number)

    def is_held(self, number: int) -> bool:
        """Whether anybody holds the session's lease. Takes nothing.

        Raises:
            StoreFailed: As `take`.
        """
        with self._lock, self._telling():
            return number in self._held or locks.is_taken(self._file(), number)

    def close(self) -> None:
        """Free everything."""
        with self._lock:
            if self._fd is not None:
                os.close(self._fd)
            self._fd = None
            self._held.clear()

    @contextmanager
    def _telling(self) -> Generator[None]:
        """What the system refuses is a store's failure, for whoever waits to hear of."""
        try:
            yield
        except OSError as error:
            msg = f"{self._path}: leases can neither be taken nor asked for: {error}"
            raise StoreFailed(msg) from error

    def _file(self) -> int:
        if self._fd is None:
            self._fd = os.open(self._path, _FLAGS, 0o600)
        return self._fd
