"""A cursor into a log's file: a byte offset, moved over whole lines."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

from litro.errors import SessionDamaged
from litro.sessions.file.jsonl import offset_of

BLOCK: Final = 256 * 1024
"""Bytes of a block, unless one line is longer."""

_INLINE: Final = 64 * 1024
"""Bytes that are read without a thread: what was just written is in the page cache, and a thread would cost more."""


class LogReader:
    """Reads an open log forward from a seq. It knows nothing of what is durable: the caller names the end."""

    def __init__(self, fd: int, path: Path, start: int) -> None:
        self.fd = fd
        self.path = path
        self.inode: int = os.fstat(fd).st_ino
        self.offset: int = 0
        self.start = start
        """The seq from which on it reads."""
        self._sought = start if start > 1 else None

    async def blocks(self, end: int) -> AsyncIterator[bytes]:
        """Whole lines up to `end`, a block at a time; none while the first seq lies beyond.

        Raises:
            SessionDamaged: The file is shorter than it was.
        """
        if self._sought is not None:
            self.offset = await asyncio.to_thread(offset_of, self.fd, end, self._sought)
            if self.offset < end:
                self._sought = None
        while self.offset < end:
            if end - self.offset <= _INLINE:
                block = os.pread(self.fd, end - self.offset, self.offset)
                block = block[: block.rfind(b"\n") + 1]
            else:
                block = await asyncio.to_thread(_read_block, self.fd, self.offset, end)
            if not block:
                msg = f"{self.path}: the file ends before byte {end}, which was durable."
                raise SessionDamaged(msg)
            self.offset += len(block)
            yield block


def _read_block(fd: int, offset: int, end: int) -> bytes:
    size = BLOCK
    while True:
        block = os.pread(fd, min(size, end - offset), offset)
        whole = block.rfind(b"\n") + 1
        if whole or len(block) < min(size, end - offset) or offset + size >= end:
            return block[:whole]
        size *= 4
