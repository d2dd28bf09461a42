"""What one engine process may use.

Time: a render that is late is killed with its process. Memory: V8 limits its own heap, but buffers live beside it
(1.9 GB within 2 s were measured), so what the process holds is watched while a request takes long; an address-space limit is
no alternative, since WebAssembly reserves gigabytes that it never touches. Where the system does not tell what a process
holds (there is no /proc), the time limit alone protects.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_PAGE: Final = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one engine process may use."""

    heap: int = 256
    """Megabytes of V8's heap."""
    resident: int = 640
    """Megabytes of memory in all."""
    answer: int = 16_000_000
    """Bytes of one answer."""
    renders: int = 10_000
    """Requests after which a process is replaced: what components leave behind goes with it."""
    start: float = 10.0
    """Seconds to start and to load components."""
    wait: float = 15.0
    """Seconds that a request waits for a process that is free."""


DEFAULT: Final = Limits()


def resident_megabytes(pid: int) -> int | None:
    """Megabytes that the process holds, where the system tells."""
    try:
        fields = Path(f"/proc/{pid}/statm").read_text().split()
    except OSError:
        return None
    return int(fields[1]) * _PAGE // 1_000_000
