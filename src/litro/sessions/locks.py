"""Kernel locks on ranges of an open file: they exclude, die with their process, and can be asked for without being taken.

Open-file-description locks belong to one open file, so they exclude within a process as well, as long as each holder opened
the file for itself.
Source: fcntl(2), "Open file description locks (non-POSIX)".

It knows no sessions, and nothing of other machines.
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

_DARWIN: Final = sys.platform == "darwin"
# Darwin orders struct flock differently, and its headers give the commands to some programs only.
_LAYOUT: Final = struct.Struct("@qqihh" if _DARWIN else "@hhqqi0q")
_SETLK: Final[int] = getattr(fcntl, "F_OFD_SETLK", 90)
_SETLKW: Final[int] = getattr(fcntl, "F_OFD_SETLKW", 91)
_GETLK: Final[int] = getattr(fcntl, "F_OFD_GETLK", 92)


def take(fd: int, start: int, length: int = 1) -> bool:
    """Lock the range; a length of 0 reaches to the end of any file. False where another open file holds some of it.

    Raises:
        StoreFailed: The system has no such locks.
        OSError: The file system refused.
    """
    try:
        _control(fd, _SETLK, start, length)
    except OSError as error:
        if error.errno in {errno.EAGAIN, errno.EACCES}:
            return False
        raise
    return True


def wait(fd: int, start: int, length: int = 1) -> None:
    """Lock the range, waiting for whoever holds some of it."""
    _control(fd, _SETLKW, start, length)


def free(fd: int, start: int, length: int = 1) -> None:
    """Unlock the range, also where a forked child still has the file open."""
    _control(fd, _SETLK, start, length, lock=False)


def is_taken(fd: int, start: int, length: int = 1) -> bool:
    """Whether another open file holds some of the range. Takes nothing."""
    return length_taken(fd, start, length) is not None


def length_taken(fd: int, start: int, length: int = 1) -> int | None:
    """How long the range is that another open file holds there, or None where none does. Takes nothing."""
    kind, taken = _control(fd, _GETLK, start, length)
    return None if kind == _unlocked() else taken


def _control(
    fd: int, command: int, start: int, length: int, *, lock: bool = True
) -> tuple[int, int]:
    """The kind and the length of the lock that the system answers."""
    if fcntl is None:
        msg = (
            "this system has no open-file-description locks, so one writer a session cannot be guaranteed.\n"
            "Use another store on this system: set `sessions`."
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
