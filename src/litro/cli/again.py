"""The process of a command that serves a project while somebody writes it: it ends in order, and begins anew in place.

The next one has the socket that this one listens on: whoever connects meanwhile waits, and is answered. What it serves is the
command's business.
"""

import asyncio
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from litro.cli.main import prepare
from litro.cli.serving import App, Server, listen, own_command
from litro.dev.process import restart_with
from litro.dev.restarts import Restarts
from litro.dev.stage import Stage
from litro.dev.trouble import of_error, tell
from litro.errors import LitroError

_INHERITED: Final = "_LITRO_LISTENER"
"""Tells the next process which descriptor listens."""

_PORTS: Final = 20
"""How many ports are tried."""

_LINGER: Final = 10
"""Looks at connections that were accepted just before a restart and have not said yet what they want."""


class Again:
    """What the process was started with, and whether it was asked to begin anew."""

    def __init__(self) -> None:
        self._inherited = os.environ.pop(_INHERITED, None)
        # Before .env is read: what the next process finds in it must count again.
        self._environment: Mapping[str, str] = dict(os.environ)
        self._folder = Path.cwd()
        self._stage: Stage | None = None
        self._wanted = threading.Event()
        self._own_signal_came = False
        self._may_interrupt = False
        self._server: _DevServer | None = None

    @property
    def is_restarted(self) -> bool:
        """Whether this process goes on for one before it: what was asked for then was there."""
        return self._inherited is not None

    def listener(self, host: str, port: int) -> socket.socket:
        """The socket of the process before, or a new one.

        Raises:
            click.ClickException: None can be had.
        """
        if self._inherited is None:
            return _listen(host, port)
        listener = socket.socket(fileno=int(self._inherited))
        listener.set_inheritable(False)
        return listener

    def stage(self, project: Path, make: Callable[[Path], App]) -> Stage:
        """The app, or what is wrong with it. From before it is imported on, changes restart.

        Args:
            project: Its folder.
            make: Makes the app of the project, once its modules can be imported.
        """
        signal.signal(signal.SIGTERM, self._asked)
        restart_with(self._restart)
        Restarts(project, self._is_waiting, self._restart).start()
        app: Any = None
        troubles = ()
        try:
            self._may_interrupt = True
            project = prepare(project)
            app = make(project)
        except LitroError as error:
            troubles = of_error(error, project)
        except _Interrupted:
            pass
        finally:
            self._may_interrupt = False
        logging.getLogger("litro").setLevel(logging.INFO)
        self._stage = Stage(project, app, troubles)
        return self._stage

    def serve(
        self, stage: Stage, listener: socket.socket, where: str, more: Sequence[str] = ()
    ) -> None:
        """Serve until the process is to end, or to begin anew.

        Args:
            stage: What to serve.
            listener: Where.
            where: What is said of it.
            more: Further lines that are said once.
        """
        # uvicorn closes its own.
        with listener.dup() as kept:
            if not self._wanted.is_set():
                self._server = _DevServer(
                    stage, ready=lambda: self._ready(where, more), lifespan="on"
                )
                self._server.serve_on(listener)
            listener.close()
            if self._wanted.is_set():
                self._begin_anew(kept)

    def _ready(self, where: str, more: Sequence[str]) -> None:
        if self._wanted.is_set() and self._server is not None:
            # It was asked for before the server heard of signals.
            self._server.should_exit = True
        elif self._inherited is None:
            tell(f"Litro serves {where} (Ctrl-C ends it)", *more)
        elif not self._is_waiting():
            tell(f"restarted {where}")

    def _is_waiting(self) -> bool:
        return self._stage is not None and self._stage.is_waiting

    def _restart(self, why: str) -> None:
        """End the process as an operator would, from whichever thread: streams hear of it in their own ways."""
        if not self._wanted.is_set():
            tell(f"{why} changed: restarting")
            self._wanted.set()
            if self._server is not None:
                self._server.accept_no_more()
            os.kill(os.getpid(), signal.SIGTERM)

    def _asked(self, number: int, frame: object) -> None:
        """SIGTERM where no server has a handler for it, or once it has ended: one is our own."""
        if not self._wanted.is_set() or self._own_signal_came:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            signal.raise_signal(signal.SIGTERM)
        self._own_signal_came = True
        if self._may_interrupt:
            raise _Interrupted

    def _begin_anew(self, listener: socket.socket) -> None:
        listener.set_inheritable(True)
        os.chdir(self._folder)
        sys.stdout.flush()
        sys.stderr.flush()
        environment = {**self._environment, _INHERITED: str(listener.fileno())}
        os.execve(sys.executable, own_command(), environment)  # noqa: S606 - the same command once more


class _Interrupted(BaseException):
    """The app's import is over before its end."""


class _DevServer(Server):
    """Leaves no connection unanswered, whichever process accepts it."""

    _loop: asyncio.AbstractEventLoop | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so."""
        self._loop = asyncio.get_running_loop()
        await super().startup(sockets)

    def accept_no_more(self) -> None:
        """Leave further connections to the next process. From any thread."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._close)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Hear the connections that were accepted, then end."""
        self._close()
        for _ in range(_LINGER):
            await asyncio.sleep(0.05)
            if all(getattr(other, "cycle", None) for other in self.server_state.connections):
                break
        await super().shutdown(sockets)

    def _close(self) -> None:
        if self.started:
            for server in self.servers:
                server.close()


def _listen(host: str, port: int) -> socket.socket:
    listener = listen(host, port, tries=_PORTS if port else 1)
    taken = listener.getsockname()[1]
    if port not in {0, taken}:
        tell(f"Port {port} is taken, so this is port {taken}.")
    return listener
