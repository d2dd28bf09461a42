"""Servers in processes of their own, and a client for each test."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from wiretap import PATIENCE, Connection, Response

HERE = Path(__file__).parent
NOISE = (
    "Task was destroyed",
    "never retrieved",
    "never awaited",
    "ResourceWarning",
    "Exception in ASGI",
    "ASGI callable returned",
    "Event loop is closed",
)
"""What no server may write, whatever its clients do."""


def make_project(folder: Path) -> Path:
    """A copy of the test project."""
    return shutil.copytree(HERE / "project", folder, ignore=shutil.ignore_patterns("__pycache__"))


class Server:
    """A server process for a project.

    Args:
        project: Its folder. What it keeps survives the server, for the next one.
        app: A module of `apps/` to run under plain uvicorn; `litro serve` where it is None.
        before: A command that runs the server's.
        options: More arguments of the server's command.
        environment: More variables.
    """

    def __init__(
        self,
        project: Path,
        app: str | None = None,
        *,
        before: Sequence[str] = (),
        options: Sequence[str] = (),
        **environment: str,
    ) -> None:
        self.project = project
        self.gates = project / "gates"
        self.gates.mkdir(exist_ok=True)
        python = [sys.executable, "-W", "always::ResourceWarning", "-m"]
        if app is None:
            command = [*python, "litro", "serve", "--project", str(project), "--port", "0"]
        else:
            command = [
                *python,
                "uvicorn",
                f"{app}:app",
                "--app-dir",
                str(HERE / "apps"),
                "--port",
                "0",
            ]
        clean = {name: value for name, value in os.environ.items() if not name.startswith("LITRO_")}
        self.process = subprocess.Popen(
            [*before, *command, *options],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env=clean | {"PROJECT": str(project)} | environment,
        )
        self._said: list[str] = []
        self._more = threading.Condition()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        try:
            self.port = int(self.said(r"http://[^/ ]+:(\d+)")[1])
        except AssertionError:
            self.kill()
            raise

    def connect(self, host: str = "127.0.0.1") -> Connection:
        return Connection(self.port, host)

    def said(self, pattern: str) -> "re.Match[str]":
        """Wait until the server has written what matches."""
        deadline = time.monotonic() + PATIENCE
        with self._more:
            while True:
                match = re.search(pattern, self.output)
                if match is not None:
                    return match
                assert self._listener.is_alive(), f"it ended: {self.output}"
                assert self._more.wait(deadline - time.monotonic()), f"not said: {self.output}"

    @property
    def output(self) -> str:
        return "".join(self._said)

    def log(
        self, session: str, agent: str = "open", sessions: str = ".litro/sessions"
    ) -> list[bytes]:
        """The lines of the session's file."""
        path = self.project / sessions / agent / f"{session}.jsonl"
        return path.read_bytes().splitlines(keepends=True)

    def let(self, gate: str) -> None:
        """Open a gate."""
        (self.gates / gate).touch()

    def reached(self, gate: str) -> None:
        """Wait until somebody waits at the gate."""
        wait_for((self.gates / f"{gate}.reached").exists, f"nobody reached {gate}")

    def signal(self, number: int) -> None:
        self.process.send_signal(number)

    def ended(self, within: float = PATIENCE, *, tolerated: str = "") -> None:
        """Wait until the process has ended, and look at what it has written."""
        self._wait(within)
        noise = [word for word in NOISE if word in self.output and word != tolerated]
        assert not noise, f"{noise} in: {self.output}"

    def stop(self) -> None:
        """End it as an operator does."""
        with contextlib.suppress(ProcessLookupError):
            self.signal(signal.SIGTERM)
        try:
            self.ended()
        except subprocess.TimeoutExpired:
            self.kill()
            raise

    def kill(self) -> None:
        """End it as a power cut does."""
        self.process.kill()
        self._wait(PATIENCE)

    def _wait(self, within: float) -> None:
        self.process.wait(within)
        self._listener.join()
        assert self.process.stderr is not None
        self.process.stderr.close()

    def _listen(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            with self._more:
                self._said.append(line)
                self._more.notify_all()
        with self._more:
            self._more.notify_all()


def wait_for(condition: Callable[[], bool], otherwise: str) -> None:
    """Ask again until it is so: a file of another process has no event to wait for."""
    deadline = time.monotonic() + PATIENCE
    pause = threading.Event()
    while not condition():
        assert time.monotonic() < deadline, otherwise
        pause.wait(0.01)


class Client:
    """Requests to a server, a connection each, all closed in the end.

    Args:
        server: Whom to ask.
        mount: Where in it Litro is.
    """

    def __init__(self, server: Server, mount: str = "") -> None:
        self.server = server
        self.mount = mount
        self._connections: list[Connection] = []

    def connect(self) -> Connection:
        connection = self.server.connect()
        self._connections.append(connection)
        return connection

    def at(self, mount: str) -> "Client":
        """The same for another mount."""
        other = Client(self.server, mount)
        other._connections = self._connections
        return other

    def ask(
        self, method: str, path: str, body: bytes | None = None, **headers: str | None
    ) -> Response:
        return self.connect().ask(method, self.mount + path, body, **headers)

    def post(self, session: str, text: str, agent: str = "open", **headers: str | None) -> Response:
        body = json.dumps({"text": text}).encode()
        return self.ask("POST", f"/__litro/agent/{agent}/{session}", body, **headers)

    def get(
        self, session: str, query: str = "", agent: str = "open", **headers: str | None
    ) -> Response:
        return self.ask("GET", f"/__litro/agent/{agent}/{session}{query}", **headers)

    def cancel(self, session: str, agent: str = "open", **headers: str | None) -> Response:
        return self.ask("POST", f"/__litro/agent/{agent}/{session}/cancel", **headers)

    def close(self) -> None:
        for connection in self._connections:
            connection.close()
