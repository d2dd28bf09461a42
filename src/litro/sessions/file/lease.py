"""The lease on a log file: a kernel lock that says who writes, and how much of the file is durable.

An open-file-description lock belongs to one open file, is freed by the kernel when its process dies, excludes
writers in the same process as well, and, unlike flock, can be asked for without being taken. One byte beyond any data is
the lease. A range beside it publishes: its length is the durable length plus one, so that a reader in another process
learns with one system call both that a writer lives and how far it may read.
Source: fcntl(2), "Open file description locks (non-POSIX)".

It is not a lock between machines: that takes a store with leases of its own.
"""

import errno
import os
import struct
import sys
from typing import Final

from litro.errors import StoreFailed

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

_BASE: Final = 1 << 62
_CLAIM: Final = _BASE - 2
"""The byte whose lock is the lease. Not beside the range that publishes, or the kernel would merge the two."""
_DARWIN: Final = sys.platform == "darwin"
# Darwin orders struct flock differently, and its headers give the commands to some programs only.
_LAYOUT: Final = struct.Struct("@qqihh" if _DARWIN else "@hhqqi0q")
_SETLK: Final[int] = getattr(fcntl, "F_OFD_SETLK", 90)
_SETLKW: Final[int] = getattr(fcntl, "F_OFD_SETLKW", 91)
_GETLK: Final[int] = getattr(fcntl, "F_OFD_GETLK", 92)


def take(fd: int) -> bool:
    """Take the lease of the open file. False where another writer holds it.

    Raises:
        StoreFailed: The system has no such locks.
        OSError: The file system refused.
    """
    try:
        _control(fd, _SETLK, _CLAIM, 1)
    except OSError as error:
        if error.errno in {errno.EAGAIN, errno.EACCES}:
            return False
        raise
    return True


def publish(fd: int, durable: int) -> None:
    """Tell readers in other processes that the first `durable` bytes are durable. The lease must be held."""
    _control(fd, _SETLK, _BASE, durable + 1)


def give_back(fd: int) -> None:
    """Free the lease, also where a forked child still has the file open."""
    _control(fd, _SETLK, 0, 0, lock=False)


def durable_length(fd: int) -> int | None:
    """The durable length that the lease's holder published, or None where nobody did. Never takes the lease."""
    kind, length = _control(fd, _GETLK, _BASE, 0)
    return None if kind == _unlocked() else length - 1


def wait_exclusive(fd: int) -> None:
    """Hold the whole open file until it is closed, waiting for whoever holds it now."""
    _control(fd, _SETLKW, 0, 0)


def is_linked(fd: int) -> bool:
    """Whether the open file still has a name: it may have been deleted between opening and locking."""
    return os.fstat(fd).st_nlink > 0


def _control(
    fd: int, command: int, start: int, length: int, *, lock: bool = True
) -> tuple[int, int]:
    if fcntl is None:
        msg = (
            "the file store: this system has no open-file-description locks, so one writer a session cannot be "
            "guaranteed.\nUse another store on this system: set `sessions`."
        )
        raise StoreFailed(msg)
    kind: int = fcntl.F_WRLCK if lock else fcntl.F_UNLCK
    if _DARWIN:
        answer = fcntl.fcntl(fd, command, _LAYOUT.pack(start, length, 0, kind, os.SEEK_SET))
        _, length, _, kind, _ = _LAYOUT.unpack(answer)
    else:
        answer = fcntl.fcntl(fd, command, _LAYOUT.pack(kind, os.SEEK_SET, start, length, 0))
        kind, _, _, length, _ = _LAYOUT.unpack(answer)
    return kind, length


def _unlocked() -> int:
    assert fcntl is not None  # noqa: S101 - _control has answered
    return fcntl.F_UNLCK
