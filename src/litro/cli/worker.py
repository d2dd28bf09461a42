"""A worker of `litro serve --workers`, from its own side: what its parent left it, and how it shows that it lives.

Its parent's side is `litro.cli.workers`. It serves as `litro serve` alone does, and ends by the same signals.
"""

import asyncio
import contextlib
import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from typing import Any, Final

from litro.cli.serving import App, Server

INHERITED: Final = "_LITRO_WORKER"
"""Tells a worker its descriptors: the socket that it listens on, its pulse, and its parent's life."""

READY: Final = b"!"
BEAT: Final = b"."

INTERVAL: Final = 0.5
"""Seconds between two beats."""

SILENCE: Final = 5.0
"""Seconds without a beat after which a worker that is to end is stuck: something blocks its event loop."""


class Worker:
    """This process as a worker.

    Args:
        listener: The socket that all workers accept from.
        pulse: Where to beat.
        parent: Ends when the parent does.
        repeats: Whether another worker has just said what there is to say of the project.
    """

    def __init__(self, listener: int, pulse: int, parent: int, *, repeats: bool) -> None:
        for descriptor in (listener, pulse, parent):
            # The children of users' tools are none of ours.
            os.set_inheritable(descriptor, False)  # noqa: FBT003 - the only way to say it
        os.set_blocking(pulse, False)
        self.listener: socket.socket = socket.socket(fileno=listener)
        self.repeats = repeats
        self._pulse = pulse
        self._parent = parent
        self._last = time.monotonic()

    @classmethod
    def inherited(cls) -> "Worker | None":
        """What the parent left in the environment. None in a process that is no worker."""
        text = os.environ.pop(INHERITED, None)
        if text is None:
            return None
        listener, pulse, parent, repeats = map(int, text.split(","))
        worker = cls(listener, pulse, parent, repeats=bool(repeats))
        threading.Thread(target=worker._outlive_nobody, name="litro-parent", daemon=True).start()
        return worker

    def serve(self, app: App, *, lifespan: Any, ready: Callable[[], None]) -> None:
        """Serve until a signal, or the parent's death.

        Raises:
            SystemExit: With 1, where it could not start; uvicorn has said why.
        """

        def answers() -> None:
            ready()
            self._say(READY)

        _BeatingServer(app, ready=answers, lifespan=lifespan, beat=self._beat).serve_on(
            self.listener
        )

    def _beat(self) -> None:
        self._last = time.monotonic()
        self._say(BEAT)

    def _say(self, word: bytes) -> None:
        # A parent that is stopped or dead hears nothing, which is no reason to end here.
        with contextlib.suppress(OSError):
            os.write(self._pulse, word)

    def _outlive_nobody(self) -> None:
        """End in order when the parent has died, and at once where the event loop is blocked."""
        # Nothing is ever written: it returns when the last process that could write is gone.
        os.read(self._parent, 1)
        os.kill(os.getpid(), signal.SIGTERM)
        asked = time.monotonic()
        while time.monotonic() - max(asked, self._last) < SILENCE:
            time.sleep(INTERVAL)
        os._exit(1)


class _BeatingServer(Server):
    """Shows that its event loop runs, from before the app starts until after it has ended."""

    def __init__(
        self, app: App, *, ready: Callable[[], None], lifespan: Any, beat: Callable[[], None]
    ) -> None:
        super().__init__(app, ready=ready, lifespan=lifespan)
        self._beat = beat
        self._beating: asyncio.Task[None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so."""
        self._beating = asyncio.create_task(self._beats())
        await super().startup(sockets)

    async def _beats(self) -> None:
        while True:
            self._beat()
            await asyncio.sleep(INTERVAL)
