"""Which files of a project its author writes, as opposed to what tools and editors leave beside them.

It reads no content and watches nothing.
"""

import contextlib
import os
from collections.abc import Iterator
from importlib.util import cache_from_source
from pathlib import Path
from typing import Final

_NOT_OURS: Final = frozenset({"__pycache__", "node_modules", "site-packages"})
_PASSING: Final = ("~", ".tmp", ".bak", ".pyc", ".swp", ".swx", "___jb_tmp___", "___jb_old___")
"""How editors name what they write for a moment."""
_PROBE: Final = "4913"
"""What Vim writes to learn whether it may."""

State = frozenset[tuple[Path, int, int]]
"""The files of a folder, with when they were written and their sizes."""


def is_ignored(name: str) -> bool:
    """Whether a file or folder of this name is none of the author's: hidden, made by a tool, or an editor's."""
    return name[:1] in {".", "#"} or name in _NOT_OURS or name == _PROBE or name.endswith(_PASSING)


def is_below(path: Path, folder: Path) -> bool:
    """Whether the path is in the folder, and nothing on the way to it is ignored."""
    return path.is_relative_to(folder) and not any(map(is_ignored, path.relative_to(folder).parts))


def folders_below(folder: Path) -> Iterator[Path]:
    """The folder and those below it, without ignored ones and virtual environments."""
    for path, names, files in os.walk(folder):
        if "pyvenv.cfg" in files:
            names.clear()
            continue
        names[:] = [name for name in names if not is_ignored(name)]
        yield Path(path)


def state_of(folder: Path) -> State:
    """What can be compared to learn whether a file in the folder was written since."""
    found: set[tuple[Path, int, int]] = set()
    for below in folders_below(folder.resolve()):
        for path in below.iterdir():
            if not is_ignored(path.name) and path.is_file():
                # One that goes meanwhile is not there.
                with contextlib.suppress(FileNotFoundError):
                    status = path.stat()
                    found.add((path, status.st_mtime_ns, status.st_size))
    return frozenset(found)


def forget_bytecode(path: Path) -> None:
    """Let the module, or those of the folder, be read anew when they are imported next.

    Python knows bytecode by the second and the size of its source, so it would miss the second of two quick edits.
    """
    if path.suffix == ".py":
        Path(cache_from_source(str(path))).unlink(missing_ok=True)
        return
    for folder in folders_below(path):
        for module in folder.glob("*.py"):
            forget_bytecode(module)
