"""A process that a benchmark started, with all of its descendants: CPU, memory, its end.

It starts nothing. A tree is whatever has the process's session id, so it has to be started with `start_new_session=True`.
"""

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_MB = 1024.0
"""Of the kilobytes of /proc."""


@dataclass(frozen=True)
class Tree:
    """The processes of a session."""

    root: int

    def pids(self) -> Iterator[int]:
        """Those that live."""
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                with contextlib.suppress(OSError):
                    if os.getsid(int(entry.name)) == self.root:
                        yield int(entry.name)

    def cpu(self) -> float:
        """Seconds that they have used, user and system, ended threads too."""
        used = 0.0
        for pid in self.pids():
            with contextlib.suppress(OSError):
                # The kernel's name for the CPU clock of another process: nanoseconds, where /proc/PID/stat has hundredths.
                used += time.clock_gettime((~pid << 3) | 2)
        return used

    def pss(self) -> float:
        """MB that they hold, shared pages divided among those who share them."""
        return self._sum("smaps_rollup", "Pss:")

    def peak(self) -> float:
        """MB that were resident at the most, each process by itself."""
        return self._sum("status", "VmHWM:")

    def kill(self) -> None:
        """`kill -9` of all of them at once."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.root, signal.SIGKILL)

    def _sum(self, file: str, key: str) -> float:
        total = 0.0
        for pid in self.pids():
            with contextlib.suppress(OSError):
                for line in Path(f"/proc/{pid}/{file}").read_text().splitlines():
                    if line.startswith(key):
                        total += int(line.split()[1]) / _MB
        return total
