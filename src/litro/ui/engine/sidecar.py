"""One engine process: one request in flight, over its pipes.

A process that is late, dies, takes too much memory, or answers what is no frame is killed; it is never used again. It is not the
pool, which replaces it.
"""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, cast

from litro.errors import RenderFailed
from litro.ui.engine.frames import FrameReader
from litro.ui.engine.limits import Limits, resident_megabytes
from litro.ui.engine.node import Node

SOURCES: Final = Path(str(files("litro").joinpath("sidecar"))).resolve()
VENDOR: Final = Path(str(files("litro").joinpath("vendor"))).resolve()

_WATCH_AFTER: Final = 0.05
"""Seconds between two looks at what a process holds: most requests have ended before the first."""

_PATIENCE: Final = 0.5
"""Seconds from the end of a process's pipes to its own end."""

_KILLED: Final = 9

_KEPT: Final = ("LANG", "LC_ALL", "LC_TIME", "TZ", "SYSTEMROOT")
"""What a process is told of the environment: how people here write numbers and dates, never a key."""


class _Pipes(asyncio.SubprocessProtocol):
    """The protocol of one process: frames of its standard output are the answers."""

    def __init__(self, limits: Limits) -> None:
        self._frames = FrameReader(limits.answer)
        loop = asyncio.get_running_loop()
        self.answer: asyncio.Future[dict[str, Any]] = loop.create_future()
        self.gone: asyncio.Future[None] = loop.create_future()
        """Done when the process has ended and its pipes are closed."""
        self._transport: asyncio.BaseTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """It has started."""
        self._transport = transport

    def pipe_data_received(self, fd: int, data: bytes) -> None:  # noqa: ARG002 - asyncio's signature
        """Take a piece of an answer."""
        try:
            answer = self._frames.feed(data)
        except RenderFailed as error:
            self.settle(error)
        else:
            if answer is not None and not self.answer.done():
                self.answer.set_result(answer)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's signature
        """Answer whoever waits: no more will come."""
        self.settle(ConnectionResetError())

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's signature
        """Everything is closed."""
        self.settle(ConnectionResetError())
        if self._transport is not None:
            # Ended already; only its own book-keeping is left.
            self._transport.close()
        if not self.gone.done():
            self.gone.set_result(None)

    def settle(self, error: Exception) -> None:
        """Fail what is asked, or what will be."""
        if not self.answer.done():
            self.answer.set_exception(error)
            # Nobody may ever ask: that is no mistake.
            self.answer.exception()


class Sidecar:
    """A started process."""

    def __init__(
        self, transport: asyncio.SubprocessTransport, pipes: _Pipes, limits: Limits
    ) -> None:
        self._transport = transport
        self._pipes = pipes
        self._limits = limits
        self._grew = False
        self._watching: asyncio.TimerHandle | None = None
        self.asked: int = 0
        """Requests that it was given."""

    @classmethod
    async def start(
        cls, node: Node, limits: Limits, *, reads: Sequence[Path] | None = None
    ) -> "Sidecar":
        """Start one. It has loaded nothing yet.

        Args:
            node: What runs it.
            limits: What it may use.
            reads: The only folders whose files it may read, besides our own; it may then write nothing, start nothing, and
                where Node can forbid it, reach no network. None restricts nothing: for building.

        Raises:
            RenderFailed: The system cannot start it.
        """
        loop = asyncio.get_running_loop()
        try:
            transport, pipes = await loop.subprocess_exec(
                lambda: _Pipes(limits),
                node.path,
                f"--max-old-space-size={limits.heap}",
                *([] if reads is None else _permissions(node, reads)),
                # Stacks name the components' own lines.
                "--enable-source-maps",
                "--disable-warning=ExperimentalWarning",
                "--disable-warning=SecurityWarning",
                SOURCES / "main.mjs",
                str(os.getpid()),
                str(limits.resident),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=None,
                env={name: os.environ[name] for name in _KEPT if name in os.environ},
                # A terminal's Ctrl-C is the server's: it says goodbye first.
                start_new_session=sys.platform != "win32",
            )
        except OSError as error:
            msg = f"no process could be started: {error}."
            raise RenderFailed(msg) from error
        return cls(transport, pipes, limits)

    @property
    def pid(self) -> int:
        """The process's number."""
        return self._transport.get_pid()

    @property
    def is_alive(self) -> bool:
        """Whether it has not ended by itself."""
        return self._transport.get_returncode() is None and not self._pipes.answer.done()

    async def request(self, frame: bytes, *, timeout: float) -> dict[str, Any]:  # noqa: ASYNC109 - a limit of the request, told by name
        """Ask, and wait for the answer. Whatever goes wrong, the process is of no use any more.

        Raises:
            RenderFailed: It was late, died, took too much memory, or answered what is no frame.
        """
        self.asked += 1
        loop = asyncio.get_running_loop()
        self._watching = loop.call_later(_WATCH_AFTER, self._watch)
        try:
            self._pipe(0).write(frame)
            async with asyncio.timeout(timeout):
                answer = await self._pipes.answer
        except TimeoutError:
            msg = f"it took longer than {timeout:g} s, so its process was ended."
            raise RenderFailed(msg) from None
        except ConnectionError as error:
            raise RenderFailed(await self._death()) from error
        finally:
            self._watching.cancel()
        self._pipes.answer = loop.create_future()
        return answer

    async def kill(self) -> None:
        """End it now, and wait until it is gone."""
        self.kill_now()
        await asyncio.shield(self._pipes.gone)

    def kill_now(self) -> None:
        """End it now."""
        self._kill()
        stdin, stdout = self._pipe(0), self._pipe(1)
        if not stdin.is_closing():
            stdin.abort()
        if not stdout.is_closing():
            stdout.close()

    def _pipe(self, fd: int) -> asyncio.WriteTransport:
        # No loop's transport is an instance of it; each has its methods.
        return cast("asyncio.WriteTransport", self._transport.get_pipe_transport(fd))

    def _kill(self) -> None:
        if self._transport.get_returncode() is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            if sys.platform == "win32":
                self._transport.kill()
            else:
                # Popen's own kill() would wait for the process, and take its status from asyncio.
                os.kill(self.pid, signal.SIGKILL)

    def _watch(self) -> None:
        held = resident_megabytes(self.pid)
        if held is None:
            return
        if held > self._limits.resident:
            self._grew = True
            self._kill()
            return
        self._watching = asyncio.get_running_loop().call_later(_WATCH_AFTER, self._watch)

    async def _death(self) -> str:
        # Its pipes may have closed a moment before it ended; one that only closed them has nothing more to say.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                await asyncio.shield(self._pipes.gone)
        code = self._transport.get_returncode()
        await self.kill()
        return _ending(code, self._limits, grew=self._grew)


def _ending(code: int | None, limits: Limits, *, grew: bool) -> str:
    if grew:
        return f"it took more than {limits.resident} MB of memory, so its process was ended."
    if code is None:
        return "it closed its pipes, so its process was ended."
    if code >= 0:
        return f"it ended its process, with status {code}."
    if -code == _KILLED:
        # By its own watchdog, by the system, or by somebody.
        return f"its process was killed: it took more than {limits.resident} MB of memory, or the system is short of it."
    return f"its process ended by signal {-code}: it took more than {limits.heap} MB of heap, or ended itself."


def _permissions(node: Node, reads: Sequence[Path]) -> list[str]:
    name = "--permission" if node.version >= (22, 13) else "--experimental-permission"
    # The watchdog is a worker.
    return [name, "--allow-worker", *(f"--allow-fs-read={p}/*" for p in (SOURCES, VENDOR, *reads))]
