"""A session's mailbox as a file: one line an item, posted by any process, without a lease.

Posting holds the file for as long as it takes to look for the id and append. What was taken is not recorded here but
in the log, by the holder of the lease, so that taking an item and what came of it become durable together.

A session ends by one rename, of its log into its mailbox's place: a log there is no mailbox, but what is left to remove.
"""

import contextlib
import os
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any, Final, cast

import orjson

from litro.directories import sync_directory
from litro.errors import SessionDamaged, StoreFailed
from litro.sessions.file import lease

_LOG: Final = b'{"litro"'
"""How a log begins, and no item."""
_USE: Final = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW


def post(
    path: Path,
    item: bytes,
    id: str,  # noqa: A002
    *,
    mark: Callable[[], object],
    forget: Callable[[], object],
) -> bool:
    """Append `item`, durable on return. False where `id` was posted before.

    `mark` leaves the durable sign that mail waits, while the file is held. `forget` is as for `clear`.

    Raises:
        OSError: It could not be written; nothing of it is left.
        SessionDamaged: The mailbox holds what is no item.
        ValueError: `item` is not JSON.
    """
    line = orjson.dumps({"id": id, "item": orjson.loads(item)}, option=orjson.OPT_APPEND_NEWLINE)
    while True:
        with _held(path, os.O_CREAT) as fd:
            if _is_log(fd):
                forget()
                continue
            is_new = _append(fd, path, line, id, mark)
            # The session, and its mailbox, may have been deleted meanwhile: the item is its namesake's.
            if lease.is_linked(fd):
                return is_new


def replace(path: Path, log: Path) -> None:
    """Put the log in the mailbox's place, in one step, and between two posts. Its lease must be held.

    Whoever then holds the lease holds that place as well: who posts, or clears it, waits.
    """
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(FileNotFoundError):
            stack.enter_context(_held(path))
        os.rename(log, path)  # noqa: PTH104 - as the calls around it


def clear(path: Path, forget: Callable[[], object]) -> None:
    """Where a session was deleted, and not all of it is gone: wait for who deletes it, or finish in his stead.

    `forget` removes what is left, while it is held.

    Raises:
        OSError: The file cannot be used.
    """
    with contextlib.suppress(FileNotFoundError), _held(path) as fd:
        if _is_log(fd):
            forget()


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
    with contextlib.suppress(FileNotFoundError), _held(path):
        if not waits(path, taken):
            unmark()


def unless_begun(path: Path, unmark: Callable[[], object]) -> None:
    """Call `unmark` while the file is held, where nothing was ever posted. The session's lease must be held.

    Raises:
        OSError: The file cannot be used.
    """
    with _held(path, os.O_CREAT) as fd:
        if not os.fstat(fd).st_size:
            unmark()
            # Made to be held: who waits to post makes it anew.
            path.unlink()


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


@contextlib.contextmanager
def _held(path: Path, flags: int = 0) -> Generator[int]:
    """The file, opened, and nobody else's. It has its name; that one may go who holds the session's lease."""
    while True:
        fd = os.open(path, _USE | flags, 0o600)
        try:
            lease.wait_exclusive(fd)
            # Between opening and locking, the file may have been deleted.
            if lease.is_linked(fd):
                yield fd
                return
        finally:
            os.close(fd)


def _append(fd: int, path: Path, line: bytes, id: str, mark: Callable[[], object]) -> bool:  # noqa: A002
    """Append the line, durable and marked, or nothing. False where `id` is there."""
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


def _is_log(fd: int) -> bool:
    return os.pread(fd, len(_LOG), 0) == _LOG


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
        if _is_log(fd):
            return b""
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
