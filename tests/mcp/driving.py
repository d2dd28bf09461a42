"""The project that clients drive, over either transport. It judges nothing."""

import contextlib
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mcp_rigs

PROJECT = mcp_rigs.HERE / "driven"
PATIENCE = 20.0


class Target:
    """A server to drive.

    Attributes:
        marks: Where the tool `linger` leaves its marks.
        url: Its address, or None over stdio.
        command: What a host starts over stdio.
        env: What it starts it with.
    """

    def __init__(self, marks: Path, url: str | None) -> None:
        self.marks = marks
        self.url = url
        self.command = [sys.executable, "-m", "litro", "mcp", "serve", "--project", str(PROJECT)]
        self.env = mcp_rigs.environment(MARKS=str(marks))

    @property
    def transport(self) -> str:
        return "stdio" if self.url is None else "http"

    def to_drive(self) -> list[str]:
        """As a command's arguments."""
        return ["stdio", *self.command] if self.url is None else ["http", self.url]

    def marked(self, mark: str) -> None:
        """Wait for a mark: a file of another process has no event."""
        pause = threading.Event()
        for _ in range(int(PATIENCE / 0.02)):
            if (self.marks / mark).exists():
                return
            pause.wait(0.02)
        raise AssertionError(f"{mark} is not there, but {sorted(self.marks.iterdir())} are")


@contextlib.contextmanager
def target(transport: str, marks: Path, **more: Any) -> Iterator[Target]:
    """The project over this transport; HTTP's server runs meanwhile."""
    if transport == "stdio":
        yield Target(marks, None)
        return
    with mcp_rigs.served(PROJECT, MARKS=str(marks), **more) as routes:
        yield Target(marks, f"{routes}/demo")
