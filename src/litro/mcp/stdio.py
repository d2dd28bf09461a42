"""The process's own stdin and stdout as the wire of an MCP server, and nobody else's.

Both descriptors are claimed before any code of the user's is imported. From then on descriptor 0 is empty and
descriptor 1 is stderr: what a `print`, a logger, a C library or a subprocess writes never comes between two messages.
Reading and writing are threads' work, so neither waits for a tool. It knows lines, not what they mean.
"""

import asyncio
import contextlib
import io
import os
import queue
import sys
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any, Final, NoReturn

from litro.errors import LitroError
from litro.mcp.ending import Ending
from litro.mcp.messages import Lines

_CHUNK: Final = 64 * 1024
_HIGH_WATER: Final = 1024 * 1024
"""Bytes that may wait for the host to read them, before who sends more waits too."""
_ABOVE_STANDARD: Final = 3
_TOOL_THREAD: Final = "litro-tool-"
"""What the names of tools' threads begin with, in `turn.threads`."""


class Wire:
    """The lines that go to and come from the host.

    Attributes:
        ending: Watches for the end of the process.
        is_read: Whether the host is there to read answers, and they are worth waiting for.
    """

    def __init__(self, inlet: int, outlet: int) -> None:
        self.ending: Ending = Ending(outlet)
        self._inlet = inlet
        self._outlet = outlet
        self._lines: deque[bytes | None] = deque()
        self._has_ended = False
        self.is_read: bool = True
        self._loop: asyncio.AbstractEventLoop | None = None
        self._arrived = asyncio.Event()
        self._outbox: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._unsent = 0
        self._lock = threading.Lock()
        self._sent = asyncio.Event()
        self._is_waiting = False
        self._is_let_go = False

    @classmethod
    def claim(cls) -> "Wire":
        """Take the process's stdin and stdout, for as long as it lives.

        Raises:
            LitroError: One of them is closed.
        """
        try:
            inlet, outlet = _duplicate(0), _duplicate(1)
        except OSError:
            msg = "stdin or stdout is closed, and the host is to be at the other end of both. Start it with pipes."
            raise LitroError(msg) from None
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        try:
            os.dup2(2, 1)
        except OSError:
            os.dup2(nothing, 1)
        os.close(nothing)
        _speak_utf8()
        return cls(inlet, outlet)

    def open(self) -> None:
        """Begin to read, to write, and to watch for the end. In the main thread."""
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(
                before=self.ending.before_fork,
                after_in_parent=self.ending.after_fork,
                after_in_child=self._let_go,
            )
        self.ending.watch()
        for work in (self._read, self._write):
            threading.Thread(target=work, name=f"litro-mcp{work.__name__}", daemon=True).start()

    def _let_go(self) -> None:
        """In a forked child: the wire is its parent's, which may end before it. In the child's own children it is gone."""
        if not self._is_let_go:
            self._is_let_go = True
            _close(self._inlet, self._outlet)
            self.ending.let_go()
        self.ending.after_fork()

    async def lines(self) -> AsyncIterator[bytes | None]:
        """The host's lines, also those that came before; None for one that was too long.

        Ends when the host has said all, or the process has to end.
        """
        self._loop = asyncio.get_running_loop()
        self.ending.tell(self._give_up)
        if self._has_ended:
            self.ending.begin(gone=False)
        while True:
            self._arrived.clear()
            while self._lines:
                yield self._lines.popleft()
            if self._has_ended:
                # What came between the last line and the end.
                while self._lines:
                    yield self._lines.popleft()
                return
            await self._arrived.wait()

    async def send(self, line: bytes) -> None:
        """Send a line; its end is added. Waits where the host reads more slowly than it is written to."""
        with self._lock:
            self._unsent += len(line) + 1
        self._outbox.put(line + b"\n")
        await self._until(_HIGH_WATER)

    async def flush(self) -> None:
        """Wait until everything has been written."""
        await self._until(0)

    async def _until(self, unsent: int) -> None:
        self._loop = asyncio.get_running_loop()
        while self._unsent > unsent and self.is_read:
            self._sent.clear()
            self._is_waiting = True
            if self._unsent > unsent and self.is_read:
                await self._sent.wait()
        self._is_waiting = False

    def _read(self) -> None:
        lines = Lines()
        while chunk := self._chunk():
            self._take(lines.feed(chunk))
        self._lines.extend(lines.end())
        self._has_ended = True
        self._wake(self._arrived)
        # Without a loop yet, what came already is to be answered first: `lines` ends it then.
        if self._loop is not None or not self._lines:
            self.ending.begin(gone=False)

    def _give_up(self) -> None:
        self._has_ended = True
        self.is_read = False
        self._wake(self._arrived)
        self._wake(self._sent)

    def _chunk(self) -> bytes:
        try:
            return os.read(self._inlet, _CHUNK)
        except OSError:
            # A terminal that is gone.
            return b""

    def _take(self, lines: list[bytes | None]) -> None:
        self._lines.extend(lines)
        self._wake(self._arrived)

    def _write(self) -> None:
        is_open = True
        while True:
            batch = [self._outbox.get()]
            while not self._outbox.empty():
                batch.append(self._outbox.get())
            written = b"".join(batch)
            is_open = is_open and self._put(written)
            with self._lock:
                self._unsent -= len(written)
            if self._is_waiting:
                self._wake(self._sent)

    def _put(self, data: bytes) -> bool:
        """Whether the host still reads."""
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._outlet, rest) :]
        except OSError:
            self.ending.begin(gone=True)
            return False
        return True

    def _wake(self, event: asyncio.Event) -> None:
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):
                # Raised where the loop is closed: nobody waits any more.
                self._loop.call_soon_threadsafe(event.set)


def run(wire: Wire, serve: Callable[[], Coroutine[Any, Any, None]]) -> NoReturn:
    """Serve, then end the process.

    Args:
        wire: Open already.
        serve: Serves the host over the wire; returns when its lines have ended.

    Raises:
        SystemExit: In order.
        Exception: What `serve` raised.
    """
    asyncio.run(serve())
    # From here on it is in time as well: what a tool's library does at exit may hang.
    wire.ending.begin(gone=False)
    if any(thread.name.startswith(_TOOL_THREAD) for thread in threading.enumerate()):
        # A tool that nobody could stop. The interpreter must not be taken down around it.
        wire.ending.leave()
    sys.exit(wire.ending.code or 0)


def _duplicate(descriptor: int) -> int:
    """A private copy that no child inherits, beyond the three that children know by number."""
    copies: list[int] = []
    while not copies or copies[-1] < _ABOVE_STANDARD:
        copies.append(os.dup(descriptor))
    _close(*copies[:-1])
    return copies[-1]


def _close(*descriptors: int) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


def _speak_utf8() -> None:
    """What tools print is UTF-8, and a text that is not even that must not fail the call."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)
