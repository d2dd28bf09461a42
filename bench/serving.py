"""Servers that a benchmark starts: `litro serve` on each store, and ends.

It measures nothing.
"""

import contextlib
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from conditions import cpu_of

BENCH = Path(__file__).parent.absolute()
SOURCE = BENCH.parent / "src"

AGENT = """from litro import Agent
from ticks import Ticker

agent = Agent(Ticker(), "Tick.")
"""
NULL = "from null_store import NullStore\nSTORE = NullStore()\n"
NAIVE = (
    "from pathlib import Path\nfrom naive_store import NaiveStore\nSTORE = NaiveStore(Path({!r}))\n"
)
CONFIG = "from litro import Config\n{}\nconfig = Config(sessions=STORE)\n"


@dataclass(frozen=True)
class Server:
    """A server that is up."""

    name: str
    port: int
    pid: int

    def cpu(self) -> float:
        """Seconds of CPU, all threads."""
        return cpu_of(self.pid)


@dataclass(frozen=True)
class Order:
    """A server to start."""

    name: str
    command: list[str]
    source: Path = SOURCE


def project(folder: Path, name: str, sessions: str, *, source: Path = SOURCE) -> Order:
    """`litro serve` of a project that is written: `sessions` is a URL, or Python that makes a STORE."""
    root = folder / name
    agent = root / "agents" / "bench"
    agent.mkdir(parents=True)
    (agent / "agent.py").write_text(AGENT)
    command = ["-m", "litro", "serve", "--project", str(root), "--port", "0"]
    if "STORE" in sessions:
        (root / "agents" / "_config.py").write_text(CONFIG.format(sessions))
    else:
        command += ["--sessions", sessions]
    return Order(name, command, source)


def store(folder: Path, name: str, url: str | None = None) -> str:
    """What `project` takes for the store of this name; `url` is Postgres's."""
    match name:
        case "null":
            return NULL
        case "naive":
            return NAIVE.format(str(folder / "naive-logs"))
        case "sqlite":
            return f"sqlite:{folder / 'sqlite-logs' / 'sessions.db'}"
        case "postgres":
            assert url is not None
            return url
        case _:
            return f"file:{folder / f'{name}-logs'}"


@contextlib.contextmanager
def serving(orders: list[Order]) -> Iterator[list[Server]]:
    """The servers, all up; ended afterwards."""
    processes: list[subprocess.Popen[str]] = []
    try:
        running: list[Server] = []
        for order in orders:
            process = start(order.command, {"PYTHONPATH": f"{order.source}{os.pathsep}{BENCH}"})
            processes.append(process)
            running.append(Server(order.name, port_of(process), process.pid))
        yield running
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def start(command: list[str], env: Mapping[str, str]) -> subprocess.Popen[str]:
    """A Python program, with as many turns as it is asked for."""
    env = {**os.environ, "LITRO_MAX_TURNS": "20000", **env}
    return subprocess.Popen([sys.executable, *command], env=env, stderr=subprocess.PIPE, text=True)


def port_of(process: subprocess.Popen[str]) -> int:
    """The port that the server says it listens on."""
    assert process.stderr is not None
    said = ""
    for line in process.stderr:
        said += line
        found = re.search(r"http://127\.0\.0\.1:(\d+) ", line)
        if found:
            await_listening(int(found[1]))
            return int(found[1])
    sys.exit(f"bench: a server did not start:\n{said}")


def await_listening(port: int) -> None:
    """Return when connections are taken: a server may say its port before."""
    deadline = time.monotonic() + 20
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            if time.monotonic() > deadline:
                sys.exit(f"bench: nothing listens on port {port}")
            time.sleep(0.02)
        else:
            return
