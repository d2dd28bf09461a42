"""Servers that live and die: `litro serve` as processes, what each of them holds while it lives, and what it writes.

A server's place keeps its name when the process in it changes. It decides nothing: `mixed` says when who dies.
"""

import asyncio
import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from folding import Wrong

FAULT = "provoked by the campaign"
NOISE = (
    "Task was destroyed",
    "never retrieved",
    "never awaited",
    "ResourceWarning",
    "Exception in ASGI",
    "ASGI callable returned",
    "Event loop is closed",
    "Exception Group Traceback",
)
"""What no server may write, whatever its clients do."""

WARM = 180.0
"""Seconds of a process that do not count: imports, pools, and the transcripts that it keeps of the sessions used last."""


@dataclass
class Sample:
    """What a process held at a time."""

    at: float
    memory: int
    """kB of PSS."""
    descriptors: int
    threads: int


@dataclass
class Held:
    """What a process has held while it lived."""

    pid: int
    what: str
    samples: list[Sample] = field(default_factory=list[Sample])

    @property
    def lived(self) -> float:
        """Seconds from the first sample to the last."""
        return self.samples[-1].at - self.samples[0].at if self.samples else 0.0

    def slope(self, since: float = WARM) -> float | None:
        """kB a minute by least squares, from so many seconds on; None where it lived no minute after them."""
        begin = self.samples[0].at + since
        points = [(s.at / 60, s.memory) for s in self.samples if s.at >= begin]
        if len(points) < 5 or points[-1][0] - points[0][0] < 1:
            return None
        mean_x = sum(x for x, _ in points) / len(points)
        mean_y = sum(y for _, y in points) / len(points)
        spread = sum((x - mean_x) ** 2 for x, _ in points)
        return sum((x - mean_x) * (y - mean_y) for x, y in points) / spread


class Place:
    """Where a server is, one after another.

    Args:
        name: For people.
        folder: Where what servers write is kept.
        options: Of `litro serve`, without the number of workers.
        environment: More variables.
    """

    def __init__(
        self, name: str, folder: Path, options: list[str], environment: Mapping[str, str]
    ) -> None:
        self.name = name
        self.port = 0
        self.workers = 1
        self.process: subprocess.Popen[bytes] | None = None
        self.held: dict[int, Held] = {}
        self.logs: list[Path] = []
        self._folder = folder
        self._options = options
        clean = {key: value for key, value in os.environ.items() if not key.startswith("LITRO_")}
        self._environment = {**clean, **environment, "PYTHONUNBUFFERED": "1"}

    @property
    def is_up(self) -> bool:
        """Whether it answers, as far as is known."""
        return self.port != 0

    @property
    def address(self) -> str:
        """The URL of what is up."""
        return f"http://127.0.0.1:{self.port}"

    async def start(self, workers: int) -> None:
        """Start a server, and return when it answers. `litro dev` where there are to be no workers.

        Raises:
            Wrong: It does not.
        """
        self.workers = workers
        log = self._folder / f"{self.name}{len(self.logs)}.log"
        self.logs.append(log)
        with log.open("wb") as out:
            self.process = subprocess.Popen(
                [
                    sys.executable,
                    "-W",
                    "always::ResourceWarning",
                    "-m",
                    "litro",
                    *(["serve", "--workers", str(workers)] if workers else ["dev"]),
                    *self._options,
                ],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                env=self._environment,
                start_new_session=True,
            )
        deadline = time.monotonic() + 90
        while time.monotonic() < deadline and self.process.poll() is None:
            found = re.search(r"http://127\.0\.0\.1:(\d+) ?", log.read_text())
            if found and await answers(int(found[1])):
                self.port = int(found[1])
                return
            await asyncio.sleep(0.05)
        msg = f"server {self.name} did not start:\n{log.read_text()[-3000:]}"
        raise Wrong(msg)

    def tree(self) -> list[int]:
        """The process, and all that came of it."""
        return [] if self.process is None else list(_tree(self.process.pid))

    def pythons(self) -> list[int]:
        """The processes that answer: the server itself, or its workers."""
        assert self.process is not None
        if self.workers <= 1:
            return [self.process.pid]
        return [pid for pid in _children(self.process.pid) if _is_litro(pid)]

    def kill(self, pids: list[int]) -> None:
        """`kill -9`, all at once; those that were named first die first."""
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    async def ended(self, tree: list[int], within: float) -> int:
        """Wait until nothing of it is left; the server's exit code.

        Raises:
            Wrong: Something is left.
        """
        assert self.process is not None
        self.port = 0
        process, self.process = self.process, None
        deadline = time.monotonic() + within
        while True:
            code = process.poll()
            left = [pid for pid in tree if pid != process.pid and _is_alive(pid)]
            if code is not None and not left:
                return code
            if time.monotonic() > deadline:
                names = {pid: _command_of(pid) for pid in (*left, process.pid) if _is_alive(pid)}
                msg = f"server {self.name}: {names} live on {within:.0f} s after its end"
                raise Wrong(msg)
            await asyncio.sleep(0.05)

    def sample(self) -> None:
        """Note what its processes hold."""
        for pid in self.tree():
            with contextlib.suppress(OSError):
                if pid not in self.held:
                    self.held[pid] = Held(pid, f"{self.name} {_command_of(pid)}")
                self.held[pid].samples.append(sample_of(pid))

    def complaints(self) -> list[str]:
        """What its servers have written that nobody provoked."""
        return [f"{log}: {what}" for log in self.logs for what in complaints_of(log.read_text())]


def complaints_of(text: str) -> list[str]:
    """Tracebacks that nobody provoked, and noise."""
    found = [word for word in NOISE if word in text]
    for block in re.split(r"^(?=Traceback )", text, flags=re.MULTILINE)[1:]:
        # What is behind the frames: the exception, which may begin another's traceback.
        last = next((line for line in block.splitlines()[1:] if not line.startswith(" ")), "")
        chained = "During handling" in block or "direct cause" in block
        if FAULT not in block and not chained:
            found.append(f"{last}\n{block[:3000]}")
    return found


def sample_of(pid: int) -> Sample:
    """What a process holds now.

    Raises:
        OSError: It is gone.
    """
    proc = Path(f"/proc/{pid}")
    rollup = (proc / "smaps_rollup").read_text()
    found = re.search(r"^Pss: +(\d+)", rollup, re.MULTILINE)
    return Sample(
        at=time.monotonic(),
        memory=int(found[1]) if found else 0,
        descriptors=len(list((proc / "fd").iterdir())),
        threads=len(list((proc / "task").iterdir())),
    )


def descriptors_of(pid: int) -> list[str]:
    """What a process has open."""
    found: list[str] = []
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            found.append(str(entry.readlink()))
    return found


async def answers(port: int) -> bool:
    """Whether something listens there."""
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True


def _tree(pid: int) -> Iterator[int]:
    yield pid
    for child in _children(pid):
        yield from _tree(child)


def _children(pid: int) -> list[int]:
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            with contextlib.suppress(OSError):
                found += map(int, (task / "children").read_text().split())
    return found


def _is_alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def _command_of(pid: int) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return "gone"
    name = Path(os.fsdecode(words[0])).name
    return "node" if "node" in name else "litro" if b"litro" in words else name


def _is_litro(pid: int) -> bool:
    return _command_of(pid) == "litro"
