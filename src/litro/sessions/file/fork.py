"""Making a log from the beginning of another: beside its place first, then into it in one step."""

import os
from pathlib import Path
from typing import Final

from litro.events import Private
from litro.sessions.base import SessionKey, header
from litro.sessions.file import titles
from litro.sessions.file.jsonl import line_at, offset_of
from litro.wire import encode_private

_SUFFIX: Final = ".fork"
_MAKE: Final = os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
_CHUNK: Final = 1 << 20


def write_fork(
    source: int, end: int, at: int, path: Path, into: SessionKey, *, owner: str | None, created: int
) -> None:
    """Put a log with the events up to `at`, of the first `end` bytes of `source`, in the place of what lies at `path`.

    The caller holds that one's lease, and it is no session: so nobody else writes here, and what a crash left of an
    earlier try is written over. The log is durable before it is there; its name is the caller's to make durable.

    Raises:
        OSError: The system refused; what lies at `path` was not changed.
    """
    begin = len(line_at(source, 0, end))
    stop = begin if at <= 0 else offset_of(source, end, at + 1)
    made = path.with_suffix(_SUFFIX)
    fd = os.open(made, _MAKE, 0o600)
    try:
        _write(fd, encode_private(Private(header(into, owner=owner, created=created))))
        _copy(source, begin, stop, fd)
        # What its source took of its mailbox says nothing of the fork's.
        _write(fd, encode_private(Private({"inbox": 0})))
        os.fsync(fd)
        os.rename(made, path)  # noqa: PTH104 - as the calls around it
    except BaseException:
        made.unlink(missing_ok=True)
        raise
    finally:
        os.close(fd)


def copy_titles(source: Path, at: int, path: Path) -> None:
    """Keep for the fork what is kept of its source's titles. A place that another log had is cleared first."""
    titles.forget(path)
    seqs = [seq for seq in titles.recorded(source) if seq <= at]
    if seqs:
        titles.record(path, seqs)


def _copy(source: int, begin: int, stop: int, target: int) -> None:
    """In the kernel where it can: file systems that share blocks copy nothing at all."""
    offset = begin
    try:
        while offset < stop:
            count = os.copy_file_range(source, target, stop - offset, offset)
            if count == 0:
                break
            offset += count
    except (AttributeError, OSError):
        # Not on this system, or not on this file system; a full disk says so once more below.
        pass
    while offset < stop:
        data = os.pread(source, min(_CHUNK, stop - offset), offset)
        if not data:
            msg = f"the log ends before byte {stop}, which was durable."
            raise OSError(msg)
        _write(target, data)
        offset += len(data)


def _write(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]
