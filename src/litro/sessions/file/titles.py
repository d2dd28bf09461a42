"""Titles: what a session is called, found in its log without reading it whole.

Without a rename it is the first message of a person, which stands near the log's beginning. A rename may stand anywhere, so
the seqs of `title` events are kept beside the log, in `<session>.titles`, durable before the events are. The log is the
truth: a seq is believed only where the log has a `title` event of that seq.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import orjson

from litro.directories import sync_directory
from litro.sessions.facts import is_persons, title_text
from litro.sessions.file.jsonl import event_at
from litro.wire import EVENT_PREFIX

_SUFFIX: Final = ".titles"
_NEAR: Final = 1 << 17
"""Bytes from a log's beginning among which the first message of a person is looked for."""
_MESSAGE: Final = b'"kind":"message"'
_FILE: Final = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


def title_of(fd: int, end: int, log: Path) -> str | None:
    """What the session is called by the first `end` bytes of its log."""
    for seq in sorted(recorded(log), reverse=True):
        found = event_at(fd, end, seq)
        if found is not None and found.kind == "title":
            return title_text(found.payload)
    return _first_said(fd, end)


def recorded(log: Path) -> list[int]:
    """The seqs that are known to be of `title` events, or will be."""
    try:
        content = log.with_suffix(_SUFFIX).read_bytes()
    except FileNotFoundError:
        return []
    # A crash may have torn the last line.
    return [int(line) for line in content.splitlines() if line.isdigit()]


def record(log: Path, seqs: Iterable[int]) -> None:
    """Keep the seqs, durably.

    Raises:
        OSError: They are not known to be durable.
    """
    path = log.with_suffix(_SUFFIX)
    fd = os.open(path, _FILE, 0o600)
    try:
        # It begins with a newline: what a crash tore shall not become a part of it.
        os.write(fd, b"".join(b"\n%d\n" % seq for seq in seqs))
        os.fsync(fd)
    finally:
        os.close(fd)
    sync_directory(path.parent)


def forget(log: Path) -> None:
    """Remove what is kept beside the log."""
    log.with_suffix(_SUFFIX).unlink(missing_ok=True)


def _first_said(fd: int, end: int) -> str | None:
    with os.fdopen(os.dup(fd), "rb") as file:
        file.seek(0)
        offset = 0
        while offset < min(end, _NEAR):
            line = file.readline()
            offset += len(line)
            if not line or offset > end:
                return None
            if _MESSAGE in line and line.startswith(EVENT_PREFIX):
                fields = orjson.loads(line)
                payload = fields.get("payload")
                if fields.get("kind") == "message" and is_persons(payload):
                    return title_text(payload)
    return None
