"""A session's mailbox as a file: one line an item, posted by any process, without a lease.

Posting holds the file for as long as it takes to look for the id and append. What was taken is not recorded here but
in the log, by the holder of the lease, so that taking an item and what came of it become durable together.
"""

import os
from pathlib import Path
from typing import Any

import orjson

from litro.sessions.file import lease
from litro.sessions.file.directory import sync_directory


def post(path: Path, item: bytes, id: str) -> bool:  # noqa: A002
    """Append `item`, durable on return. False where `id` was posted before.

    Raises:
        OSError: It could not be written.
        ValueError: `item` is not JSON.
    """
    line = orjson.dumps({"id": id, "item": orjson.loads(item)}, option=orjson.OPT_APPEND_NEWLINE)
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        lease.wait_exclusive(fd)
        content = os.pread(fd, os.fstat(fd).st_size, 0)
        end = content.rfind(b"\n") + 1
        if any(_parsed(known)["id"] == id for known in content[:end].splitlines()):
            return False
        # A crash may have left half an item, which nobody was told is there.
        os.ftruncate(fd, end)
        _write_all(fd, line, end)
        os.fsync(fd)
        if end == 0:
            sync_directory(path.parent)
        return True
    finally:
        os.close(fd)


def items(path: Path, taken: int) -> list[tuple[bytes, int]]:
    """The items behind the first `taken` bytes, each with the offset behind it."""
    try:
        with path.open("rb") as file:
            file.seek(taken)
            content = file.read()
    except FileNotFoundError:
        return []
    found: list[tuple[bytes, int]] = []
    for line in content.splitlines(keepends=True):
        if line.endswith(b"\n"):
            taken += len(line)
            found.append((orjson.dumps(_parsed(line)["item"]), taken))
    return found


def _parsed(line: bytes) -> dict[str, Any]:
    return orjson.loads(line)


def _write_all(fd: int, data: bytes, offset: int) -> None:
    while data:
        written = os.pwrite(fd, data, offset)
        data, offset = data[written:], offset + written
