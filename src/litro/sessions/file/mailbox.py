"""A session's mailbox as a file: one line an item, posted by any process, without a lease.

Posting holds the file for as long as it takes to look for the id and append. What was taken is not recorded here but
in the log, by the holder of the lease, so that taking an item and what came of it become durable together.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import orjson

from litro.directories import sync_directory
from litro.errors import SessionDamaged, StoreFailed
from litro.sessions.file import lease


def post(path: Path, item: bytes, id: str, mark: Callable[[], object]) -> bool:  # noqa: A002
    """Append `item`, durable on return. False where `id` was posted before.

    `mark` leaves the durable sign that mail waits, while the file is held.

    Raises:
        OSError: It could not be written; nothing of it is left.
        SessionDamaged: The mailbox holds what is no item.
        ValueError: `item` is not JSON.
    """
    line = orjson.dumps({"id": id, "item": orjson.loads(item)}, option=orjson.OPT_APPEND_NEWLINE)
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        lease.wait_exclusive(fd)
        content = os.pread(fd, os.fstat(fd).st_size, 0)
        end = content.rfind(b"\n") + 1
        is_known = any(known["id"] == id for known, _ in _parsed(content[:end], 0, path))
        try:
            # A crash may have left half an item, which nobody was told is there.
            os.ftruncate(fd, end)
            if not is_known:
                _write_all(fd, line, end)
            # A known item's poster may have died before it was durable; the file's name too.
            os.fsync(fd)
            sync_directory(path.parent)
            mark()
        except OSError:
            # Its poster is told that it failed, so trying again must not be told that it is there.
            if not is_known:
                os.ftruncate(fd, end)
            raise
        return not is_known
    finally:
        os.close(fd)


def waits(path: Path, taken: int) -> bool:
    """Whether whole items lie behind the first `taken` bytes.

    Raises:
        StoreFailed: It cannot be read.
    """
    return has_more(path, taken) and bool(_rest(path, taken))


def unless_waits(path: Path, taken: int, unmark: Callable[[], object]) -> None:
    """Call `unmark` while the file is held, where no item waits. Nothing is posted between the look and the call.

    Raises:
        OSError: The file cannot be used.
    """
    try:
        fd = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return
    try:
        lease.wait_exclusive(fd)
        if not waits(path, taken):
            unmark()
    finally:
        os.close(fd)


def has_more(path: Path, taken: int) -> bool:
    """Whether `items` is worth a thread: nearly always there is not even a file."""
    try:
        return path.lstat().st_size > taken
    except FileNotFoundError:
        return False
    except OSError:
        # Reading it will tell what is wrong.
        return True


def items(path: Path, taken: int) -> list[tuple[bytes, int]]:
    """The items behind the first `taken` bytes, each with the offset behind it.

    Raises:
        SessionDamaged: The mailbox holds what is no item.
        StoreFailed: It cannot be read.
    """
    whole = _rest(path, taken)
    return [(orjson.dumps(fields["item"]), end) for fields, end in _parsed(whole, taken, path)]


def _rest(path: Path, taken: int) -> bytes:
    """The whole lines behind the first `taken` bytes."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return b""
    except OSError as error:
        msg = f"{path}: the mailbox cannot be read: {error}"
        raise StoreFailed(msg) from error
    with os.fdopen(fd, "rb") as file:
        file.seek(taken)
        content = file.read()
    return content[: content.rfind(b"\n") + 1]


def _parsed(block: bytes, offset: int, path: Path) -> Iterator[tuple[dict[str, Any], int]]:
    """Each line's fields, with the offset behind it; the block begins at `offset`."""
    for line in block.splitlines(keepends=True):
        try:
            fields: object = orjson.loads(line)
        except orjson.JSONDecodeError:
            fields = None
        if not isinstance(fields, dict) or not {"id", "item"} <= fields.keys():
            msg = (
                f"{path}: byte {offset}: {line[:60]!r} is not an item of a mailbox. Nothing was changed: "
                "move the file aside, or repair it by hand."
            )
            raise SessionDamaged(msg)
        offset += len(line)
        yield cast("dict[str, Any]", fields), offset


def _write_all(fd: int, data: bytes, offset: int) -> None:
    while data:
        written = os.pwrite(fd, data, offset)
        data, offset = data[written:], offset + written
