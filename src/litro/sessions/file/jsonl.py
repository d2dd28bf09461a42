"""The log file's format: a header line, then events and private lines, numbered without gaps.

Pure reading: it tells a torn tail, which a crash leaves and a writer may cut, from damage before the end, which
nobody may touch. It opens nothing, locks nothing and writes nothing.
"""

import os
from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import Any, cast

import orjson

from litro.errors import NewerFormat, SessionDamaged
from litro.events import Event
from litro.sessions.base import FORMAT, SessionKey
from litro.wire import EVENT_PREFIX, decode_event, seq_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """What a log holds, up to the end of its last whole line."""

    owner: str | None
    created: int
    length: int
    """Bytes, the torn tail left out."""
    tail: int
    """The last seq."""
    taken: int
    """Bytes of the mailbox that were taken."""
    titled: int = 0
    """The seq of the last `title` event, 0 where there is none."""


def examine(lines: Iterable[bytes], key: SessionKey, where: str) -> Extent | None:
    """Read a whole log. None where there is not even a whole header.

    Raises:
        SessionDamaged: A line before the end is not what it must be; names the byte offset.
        NewerFormat: The header is of a newer version.
    """
    header: dict[str, Any] | None = None
    length = tail = taken = titled = 0
    lines = iter(lines)
    for line in lines:
        fields = _parsed(line)
        if fields is None:
            if header is None:
                _refuse_foreign(line, where)
            _refuse_damage(line, lines, f"{where}: byte {length}")
            break
        if header is None:
            header = _header(fields, key, where)
        elif "seq" in fields:
            # By its bytes, as readers find it: they know an event by how its line begins.
            if not line.startswith(b"%b%d," % (EVENT_PREFIX, tail + 1)):
                msg = (
                    f"{where}: byte {length}: {line[:60]!r} follows seq {tail}, so a line that begins with "
                    f'{{"seq":{tail + 1}, is required.'
                )
                raise SessionDamaged(msg + _ASIDE)
            tail += 1
            if fields.get("kind") == "title":
                titled = tail
        taken = fields.get("inbox", taken)
        length += len(line)
    if header is None:
        return None
    return Extent(
        owner=header["owner"],
        created=header.get("created", 0),
        length=length,
        tail=tail,
        taken=taken,
        titled=titled,
    )


def examine_from(fd: int, size: int, seq: int, *, limit: int) -> int | None:
    """Where whole lines end, by the lines from `seq` on alone, of a log whose header is known to be whole.

    None where those are more than `limit` bytes, or where one of them is not what it must be: `examine` tells.
    """
    offset = offset_of(fd, size, seq)
    tail = seq - 1
    if not 0 < size - offset <= limit:
        return None
    with os.fdopen(os.dup(fd), "rb") as file:
        file.seek(offset)
        for line in file:
            fields = _parsed(line) if offset + len(line) <= size else None
            if fields is None:
                # Mostly a torn tail, but what is torn and what damaged is told in one place.
                return None
            if "seq" in fields:
                tail += 1
                if not line.startswith(b"%b%d," % (EVENT_PREFIX, tail)):
                    return None
            offset += len(line)
            if offset == size:
                break
    return offset


def read_header(line: bytes, key: SessionKey, where: str) -> dict[str, Any] | None:
    """The fields of a log's first line, or None where it is torn.

    Raises:
        SessionDamaged, NewerFormat: as `examine`.
    """
    fields = _parsed(line)
    if fields is None:
        _refuse_foreign(line, where)
        _refuse_damage(line, (), f"{where}: byte 0")
        return None
    return _header(fields, key, where)


def offset_of(fd: int, end: int, seq: int) -> int:
    """The byte offset where reading from `seq` begins, among the first `end` bytes.

    Private lines before the event are skipped, the header included unless `seq` is 1 or less. A binary search:
    it costs a few reads, whatever the log's length.
    """
    if seq <= 1:
        return 0
    low, high = 0, end
    while low < high:
        middle = (low + high) // 2
        start, line = _event_from(fd, middle, end)
        if line is None or seq_of(line) >= seq:
            high = middle
        else:
            low = start + len(line)
    start, line = _event_from(fd, low, end)
    return end if line is None else start


def event_at(fd: int, end: int, seq: int) -> Event | None:
    """The event of that seq among the first `end` bytes."""
    _, line = _event_from(fd, offset_of(fd, end, seq), end)
    return decode_event(line) if line and seq_of(line) == seq else None


def last_event(
    fd: int, end: int, where: str, *, beside: Container[str] = frozenset()
) -> Event | None:
    """The last event among the first `end` bytes, which end with a whole line, of a kind that is not among `beside`.

    Raises:
        SessionDamaged: The last line is not one.
    """
    while end > 0:
        start = _line_start(fd, end - 1)
        line = os.pread(fd, end - start, start)
        if line.startswith(EVENT_PREFIX):
            try:
                found = decode_event(line)
            except ValueError as error:
                msg = f"{where}: byte {start}: the last line is not an event ({error})."
                raise SessionDamaged(msg + _ASIDE) from error
            if found is None or found.kind not in beside:
                return found
        end = start
    return None


def whole_lines_end(fd: int, size: int) -> int:
    """The offset behind the last newline among the first `size` bytes."""
    return _line_start(fd, size)


_ASIDE = " Nothing was changed: move the file aside, or repair it by hand."
_BEGINNING = b'{"litro":%d,' % FORMAT


def _parsed(line: bytes) -> dict[str, Any] | None:
    if not line.endswith(b"\n"):
        return None
    try:
        fields: object = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return cast("dict[str, Any]", fields) if isinstance(fields, dict) else None


def _refuse_damage(line: bytes, rest: Iterable[bytes], where: str) -> None:
    """Pass a torn tail: a last line without its newline, or space that was allocated and never written."""
    torn = not line.endswith(b"\n") or not line.strip(b"\0\n")
    if not torn or any(other.strip(b"\0\n") for other in rest):
        msg = f"{where}: {line[:60]!r} is not a line of a session log.{_ASIDE}"
        raise SessionDamaged(msg)


def _refuse_foreign(line: bytes, where: str) -> None:
    """Pass the beginning of a header, however short: nothing else is ours to cut."""
    begun = line.strip(b"\0\n")
    if not begun.startswith(_BEGINNING) and not _BEGINNING.startswith(begun):
        msg = f"{where}: byte 0: {line[:60]!r} is not the header of a session log.{_ASIDE}"
        raise SessionDamaged(msg)


def _header(fields: dict[str, Any], key: SessionKey, where: str) -> dict[str, Any]:
    version = fields.get("litro")
    if type(version) is not int:
        msg = f"{where}: byte 0: the first line is not a log's header.{_ASIDE}"
        raise SessionDamaged(msg)
    if version > FORMAT:
        msg = (
            f"{where}: the log has format {version}, and this Litro reads up to {FORMAT}, so a newer Litro wrote it."
            "\nNothing was changed. Upgrade Litro."
        )
        raise NewerFormat(msg)
    if (fields.get("agent"), fields.get("session")) != key:
        msg = f"{where}: byte 0: the header is that of {fields.get('agent')!r}, {fields.get('session')!r}.{_ASIDE}"
        raise SessionDamaged(msg)
    if not isinstance(fields.get("owner", 0), str | None):
        # Who may read it cannot be guessed.
        msg = (
            f"{where}: byte 0: the header names no owner, so a string or null is required.{_ASIDE}"
        )
        raise SessionDamaged(msg)
    return fields


def _line_start(fd: int, position: int) -> int:
    """The offset behind the last newline before `position`."""
    while position > 0:
        begin = max(0, position - 4096)
        found = os.pread(fd, position - begin, begin).rfind(b"\n")
        if found >= 0:
            return begin + found + 1
        position = begin
    return 0


def line_at(fd: int, start: int, end: int) -> bytes:
    """The whole line that begins at `start`; empty where it does not end before `end`."""
    size = 4096
    while True:
        data = os.pread(fd, min(size, end - start), start)
        found = data.find(b"\n")
        if found >= 0:
            return data[: found + 1]
        if len(data) >= end - start or len(data) < size:
            return b""
        size *= 8


def _event_from(fd: int, position: int, end: int) -> tuple[int, bytes | None]:
    """The first event line that begins at or after the line which `position` lies in."""
    start = _line_start(fd, position)
    while start < end:
        line = line_at(fd, start, end)
        if not line:
            break
        if line.startswith(EVENT_PREFIX):
            return start, line
        start += len(line)
    return end, None
