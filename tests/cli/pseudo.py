"""A pseudo-terminal with a program in it: typed into, and read from, as a person would."""

import contextlib
import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Self

from projects import environment

# Only a session's leader gets a controlling terminal, and only through one does Ctrl-C become a signal.
_LAUNCH = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
_STYLE = re.compile(r"\x1b\[[0-9;]*m")
CTRL_C, CTRL_D = "\x03", "\x04"


class Terminal:
    def __init__(self, master: int, process: "subprocess.Popen[bytes]") -> None:
        self._master = master
        self._process = process
        self._unread = ""
        self.screen = ""

    def type(self, text: str) -> Self:
        os.write(self._master, text.encode())
        return self

    def interrupt(self) -> Self:
        """Press Ctrl-C at the prompt, and again after silence.

        A signal that comes after the prompt is shown, but just before input() waits, is only noted by Python until the
        next key: a person would press again.
        """
        self.type(CTRL_C)
        if not select.select([self._master], [], [], 3)[0]:
            self.type(CTRL_C)
        return self

    def expect(self, text: str) -> Self:
        """Read until `text` has come, behind what was expected before."""
        deadline = time.monotonic() + 30
        while text not in self._unread:
            assert time.monotonic() < deadline, (text, self.screen)
            assert self._read(), f"it ended without {text!r}:\n{self.screen}"
        self._unread = self._unread.partition(text)[2]
        return self

    def ended(self) -> int:
        """The exit code, once everything is read."""
        while self._read():
            pass
        return self._process.wait(30)

    def _read(self) -> bool:
        ready, _, _ = select.select([self._master], [], [], 30)
        assert ready, f"silence after:\n{self.screen}"
        try:
            data = os.read(self._master, 65536).decode(errors="replace")
        except OSError:  # Linux, once the last program that had the terminal has ended
            return False
        self._unread = _STYLE.sub("", self._unread + data)
        self.screen += data
        return bool(data)


@contextlib.contextmanager
def terminal(*arguments: str, cwd: Path) -> Iterator[Terminal]:
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", _LAUNCH, sys.executable, "-m", "litro", *arguments],
        cwd=cwd,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
        env=environment() | {"TERM": "dumb", "COLUMNS": "100"},
    )
    os.close(slave)
    try:
        yield Terminal(master, process)
    finally:
        process.kill()
        process.wait()
        os.close(master)
