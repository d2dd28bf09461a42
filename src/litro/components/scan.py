"""Which files of a project's `components/` are components. Paths only: nothing is read."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

FOLDER: Final = "components"

_SUFFIXES: Final = frozenset({".js", ".mjs", ".ts", ".mts"})
_NO_COMPONENT: Final = re.compile(r"[_.].*|.*\.(test|spec|stories|d)\.[a-z]+|.*\.config\.[a-z]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class ComponentFile:
    """One component's file.

    Attributes:
        name: Its path below `components/`, without its suffix, with `/` between folders.
        path: Where it is.
    """

    name: str
    path: Path


def scan(project: Path) -> tuple[ComponentFile, ...]:
    """The project's components, by name. None where there is no `components/`."""
    folder = project / FOLDER
    found = {
        path.relative_to(folder).with_suffix("").as_posix(): path
        for path in _files(folder)
        if path.suffix in _SUFFIXES and not _NO_COMPONENT.fullmatch(path.name)
    }
    return tuple(ComponentFile(name=name, path=path) for name, path in sorted(found.items()))


def sources(project: Path) -> Iterator[Path]:
    """Every file that a build may depend on, components and what they import, less what npm installed."""
    yield from sorted(_files(project / FOLDER, private=True))
    yield from sorted({project / "package.json", *project.glob("tsconfig*.json")})


def _files(folder: Path, *, private: bool = False) -> Iterator[Path]:
    for directory, folders, names in os.walk(folder):
        folders[:] = sorted(
            name
            for name in folders
            if name != "node_modules" and not name.startswith("." if private else ("_", "."))
        )
        yield from (Path(directory, name) for name in sorted(names))
