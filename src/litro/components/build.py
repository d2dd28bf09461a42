"""Builds a project's components: for browsers, and for the engine.

A build is kept in `.litro/build/`, under the digest of all that it was made of: an unchanged project starts at once, and a card
that was stored before a rebuild still finds the hashed files of its time.
"""

import asyncio
import contextlib
import hashlib
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import orjson

from litro.components.scan import ComponentFile, sources
from litro.directories import make_private
from litro.errors import Problem, RenderFailed
from litro.ui.engine import Node, run_once
from litro.ui.engine.sidecar import SOURCES, VENDOR

_PATIENCE: Final = 120.0
_MANIFEST: Final = "manifest.json"
_WORKING: Final = ".building-"
_ABANDONED: Final = 24 * 3600
_KEPT: Final = 90 * 24 * 3600
"""Seconds that a build is kept after its last use: pages that are open, and caches, may name its files."""

_FILE: Final = re.compile(r"[\w@+-][\w.@+-]*\.js")
_LONGEST: Final = 255
"""Bytes that a name may have on disk."""

_TOOLS: Final = (
    VENDOR / "versions.json",
    VENDOR / "browser" / "map.json",
    VENDOR / "server" / "map.json",
    SOURCES / "build.mjs",
    SOURCES / "templates.mjs",
)
"""What decides how a build comes out, besides what goes in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """A build that is done.

    Attributes:
        folder: Where its files are, `browser/` and `server/`.
        browser: Names of files for browsers, by component.
        server: Names of files for the engine, by component; in the order to load them.
        templates: FAST components' templates, by component and tag.
        imported: The files outside `components/` that went in.
        problems: What could not be built, and why.
    """

    folder: Path
    browser: Mapping[str, str]
    server: Mapping[str, str]
    templates: Mapping[str, Mapping[str, Any]]
    imported: tuple[Path, ...]
    problems: tuple[Problem, ...]


async def build(
    project: Path, files: tuple[ComponentFile, ...], node: Node, *, minify: bool
) -> Build:
    """Build the components, or take a build of the same content.

    Raises:
        RenderFailed: The bundler itself failed.
        OSError: There is no place for files, neither in the project nor in the user's cache.
    """
    key = await asyncio.to_thread(_digest, project, minify=minify)
    known = await asyncio.to_thread(_known, project, key)
    if known is not None:
        return _read(project, known)
    working = await asyncio.to_thread(_working_folder, project)
    try:
        manifest = await _built(project, files, node, working, minify=minify)
        folder = await asyncio.to_thread(_finish, working, key, manifest)
    finally:
        shutil.rmtree(working, ignore_errors=True)
    return _read(project, folder)


def kept_file(project: Path, name: str) -> Path | None:
    """A browser's file by its hashed name: of any build that is kept, or one that all components share.

    Args:
        project: The project's folder.
        name: As it came in an address: it may be anything.
    """
    if _FILE.fullmatch(name) is None or len(name.encode()) > _LONGEST:
        return None
    folders = [*(folder / "browser" for folder in _builds(project)), VENDOR / "browser"]
    return next((folder / name for folder in folders if (folder / name).is_file()), None)


async def _built(
    project: Path, files: tuple[ComponentFile, ...], node: Node, out: Path, *, minify: bool
) -> dict[str, Any]:
    request = {
        "op": "build",
        "project": str(project),
        "entries": [{"name": file.name, "file": str(file.path)} for file in files],
        "out": str(out),
        "minify": minify,
    }
    answer = await run_once(node, request, timeout=_PATIENCE)
    if not answer["ok"]:
        msg = f"the bundler failed: {answer['message']}"
        raise RenderFailed(msg, stack=answer["stack"])
    return answer


def _finish(working: Path, key: str, manifest: Mapping[str, Any]) -> Path:
    written = orjson.dumps(
        {**manifest, "inputs": {path: _hash(Path(path)) for path in manifest["inputs"]}}
    )
    (working / _MANIFEST).write_bytes(written)
    folder = working.parent / f"{key}-{hashlib.sha256(written).hexdigest()[:8]}"
    # Another process may have been faster with the same: a folder that is not empty is not replaced.
    with contextlib.suppress(OSError):
        working.replace(folder)
    _prune(working.parent)
    return folder


def _known(project: Path, key: str) -> Path | None:
    """A build of the same content. One with problems is not taken: what was missing may be there now."""
    for folder in _builds(project):
        if not folder.name.startswith(f"{key}-"):
            continue
        manifest = _manifest(folder)
        if manifest is None or manifest["failed"]:
            continue
        if all(_hash(Path(path)) == digest for path, digest in manifest["inputs"].items()):
            with contextlib.suppress(OSError):
                os.utime(folder)
            return folder
    return None


def _manifest(folder: Path) -> dict[str, Any] | None:
    try:
        return orjson.loads((folder / _MANIFEST).read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return None


def _read(project: Path, folder: Path) -> Build:
    manifest = orjson.loads((folder / _MANIFEST).read_bytes())
    return Build(
        folder=folder,
        browser=manifest["browser"],
        server=manifest["server"],
        templates=manifest["templates"],
        imported=tuple(map(Path, manifest["inputs"])),
        # A file that several components import fails for each of them.
        problems=tuple(dict.fromkeys(_problem(project, failed) for failed in manifest["failed"])),
    )


def _problem(project: Path, failure: Mapping[str, Any]) -> Problem:
    message = failure["message"].rstrip(".")
    remedy = "Correct it there."
    if message.startswith("Could not resolve"):
        remedy = (
            "Lit, FAST and files beside it are always there; install anything else with npm, "
            "into the project's node_modules."
        )
    path = project / failure["file"]
    return Problem(path=path, line=failure["line"], text=f"{message}. {remedy}")


def _homes(project: Path) -> Iterator[Path]:
    """Where builds are kept: in the project, or in the user's cache where that is read-only."""
    yield project / ".litro" / "build"
    cache = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
    yield Path(cache, "litro", hashlib.sha256(str(project).encode()).hexdigest()[:16])


def _builds(project: Path) -> list[Path]:
    found: list[Path] = []
    for home in _homes(project):
        with contextlib.suppress(OSError):
            found += sorted(path for path in home.iterdir() if not path.name.startswith("."))
    return found


def _working_folder(project: Path) -> Path:
    """A folder beside the builds."""
    *others, last = _homes(project)
    for home in others:
        with contextlib.suppress(OSError):
            make_private(home)
            return Path(tempfile.mkdtemp(prefix=_WORKING, dir=home))
    make_private(last)
    return Path(tempfile.mkdtemp(prefix=_WORKING, dir=last))


def _prune(home: Path) -> None:
    """Remove the builds that nobody has started with for a season, and what builds that were killed have left."""
    now = time.time()
    for path in home.iterdir():
        kept = _ABANDONED if path.name.startswith(_WORKING) else _KEPT
        with contextlib.suppress(OSError):
            if now - path.stat().st_mtime > kept:
                shutil.rmtree(path)


def _digest(project: Path, *, minify: bool) -> str:
    """A digest of what a build is made of, less what it imports from elsewhere: only a build tells that."""
    summed = hashlib.sha256()
    # Builds for the engine name our own files by where they are.
    for part in (version("litro"), str(minify), str(project), str(VENDOR), *map(_hash, _TOOLS)):
        summed.update(part.encode() + b"\0")
    for path in sources(project):
        summed.update(path.relative_to(project).as_posix().encode() + b"\0")
        summed.update(_hash(path).encode())
    return summed.hexdigest()[:24]


def _hash(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        # Removed meanwhile: that is content as well.
        return ""
