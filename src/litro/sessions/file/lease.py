"""The lease on a log file: a kernel lock that says who writes, and how much of the file is durable.

One byte beyond any data is the lease. A range beside it publishes: its length is the durable length plus one, so that a
reader in another process learns with one system call both that a writer lives and how far it may read.

It is not a lock between machines: that takes a store with leases of its own.
"""

import os
from typing import Final

from litro.sessions import locks

_BASE: Final = 1 << 62
_CLAIM: Final = _BASE - 2
"""The byte whose lock is the lease. Not beside the range that publishes, or the kernel would merge the two."""


def take(fd: int) -> bool:
    """Take the lease of the open file. False where another writer holds it.

    Raises:
        StoreFailed: The system has no such locks.
        OSError: The file system refused.
    """
    return locks.take(fd, _CLAIM)


def publish(fd: int, durable: int) -> None:
    """Tell readers in other processes that the first `durable` bytes are durable. The lease must be held."""
    locks.take(fd, _BASE, durable + 1)


def give_back(fd: int) -> None:
    """Free the lease, also where a forked child still has the file open."""
    locks.free(fd, 0, 0)


def durable_length(fd: int) -> int | None:
    """The durable length that the lease's holder published, or None where nobody did. Never takes the lease."""
    length = locks.length_taken(fd, _BASE, 0)
    return None if length is None else length - 1


def is_held(fd: int) -> bool:
    """Whether somebody holds the lease, be anything published or not. Never takes it."""
    return locks.is_taken(fd, _CLAIM)


def wait_exclusive(fd: int) -> None:
    """Hold the whole open file until it is closed, waiting for whoever holds it now."""
    locks.wait(fd, 0, 0)


def is_linked(fd: int) -> bool:
    """Whether the open file still has a name: it may have been deleted between opening and locking."""
    return os.fstat(fd).st_nlink > 0
