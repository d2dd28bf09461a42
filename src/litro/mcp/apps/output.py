"""Packed apps on disk: a document and a descriptor each, and a manifest that lists them.

    weather/card.html   weather/card.json   manifest.json

A folder changes from one whole build to the next whatever stops the writing, and never holds a mix for `read`. A build is made in a
folder beside, made durable, and takes its place under one name, `NEXT`: from then on it is the build. What follows, moving its files to
where they belong, can be done again from the start, by the next `write`; until it is done, readers take what is in `NEXT`.

Files that no build has written are never touched.
"""

import contextlib
import hashlib
import os
import secrets
import shutil
import unicodedata
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final, cast

import orjson

from litro.directories import sync_directory
from litro.errors import LitroError, Problem, ProjectError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

MANIFEST: Final = "manifest.json"
_OURS: Final = ".litro-build-"
_NEXT: Final = ".litro-next"
_TRIES: Final = 16
"""Each is of use only where a build has been written meanwhile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    """An app that is packed.

    Attributes:
        name: Its file's path below `mcp-apps/`, without its suffix.
        uri: Its address.
        html: Its document.
        descriptor: What hosts are told of it beside: `uri`, `name`, `mimeType`, `_meta`.
    """

    name: str
    uri: str
    html: str
    descriptor: Mapping[str, Any]


class _Unreadable(Exception):
    """What is there is no whole build."""


def read(out: Path) -> tuple[Packed, ...]:
    """What a folder holds: the last build that was finished, whole.

    Returns:
        Each app, by name; none where nothing was built.

    Raises:
        LitroError: The files are not those of one build.
    """
    reason = ""
    for _ in range(_TRIES):
        folder = out / _NEXT if (out / _NEXT).is_dir() else out
        try:
            return tuple(_packed(folder, entry) for entry in _manifest(folder))
        except FileNotFoundError as error:
            if Path(error.filename) == out / MANIFEST and not (out / _NEXT).is_dir():
                return ()
            reason = f"{error.filename} is missing"
        except (OSError, _Unreadable) as error:
            reason = str(error)
    msg = f"{out}: {reason}, so a whole build is required. Build it again: litro mcp-app build"
    raise LitroError(msg)


def write(out: Path, packed: Sequence[Packed]) -> None:
    """Put the apps into the folder, in place of those that an earlier build has put there.

    Raises:
        ProjectError: Files that no build has written are in the way. Nothing was changed.
        LitroError: The folder cannot be written. What was there before can still be read, or what was to be written can be.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
        with _locked(out):
            _clear(out)
            _finish(out)
            files = _files_of(packed)
            _refuse_foreign(out, files)
            _stage(out, files)
            _finish(out)
    except (FileExistsError, NotADirectoryError) as error:
        msg = f"{error.filename or out}: it is a file, so a folder is required. Move it away, or choose another --out."
        raise LitroError(msg) from error
    except OSError as error:
        msg = f"{error.filename or out}: it cannot be written ({error.strerror or error}). Let this user write {out}, or choose another --out."
        raise LitroError(msg) from error


@contextlib.contextmanager
def _locked(out: Path) -> Generator[None]:
    """One writer at a time. The lock is on the folder itself, and gone with its process."""
    fd = os.open(out, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        # Some network file systems lock no folders; even there no build takes part of another.
        with contextlib.suppress(OSError):
            if fcntl is not None:
                fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def _clear(out: Path) -> None:
    """Remove what writers that were stopped have left."""
    for path in out.glob(f"{_OURS}*"):
        shutil.rmtree(path)


def _files_of(packed: Iterable[Packed]) -> dict[str, bytes]:
    """Every file of a build, by its path; the manifest last."""
    files: dict[str, bytes] = {}
    entries: list[dict[str, Any]] = []
    for app in sorted(packed, key=lambda app: app.name):
        html, descriptor = f"{app.name}.html", f"{app.name}.json"
        files[html] = app.html.encode()
        files[descriptor] = _json(app.descriptor)
        digests = {"html": _digest(files[html]), "descriptor": _digest(files[descriptor])}
        entries.append(
            {
                "name": app.name,
                "uri": app.uri,
                "html": html,
                "descriptor": descriptor,
                "sha256": digests,
            }
        )
    return {**files, MANIFEST: _json(entries)}


def _stage(out: Path, files: Mapping[str, bytes]) -> None:
    """Make the build, durably, and make it the one that counts."""
    working = out / f"{_OURS}{secrets.token_hex(8)}"
    working.mkdir()
    try:
        for name, content in files.items():
            _put(working / name, content)
        for folder in {(working / name).parent for name in files}:
            _sync_up(folder, working)
        working.rename(out / _NEXT)
    except BaseException:
        shutil.rmtree(working, ignore_errors=True)
        raise
    sync_directory(out)


def _finish(out: Path) -> None:
    """Move the build that counts, if it has not been, to where it belongs. It can be stopped anywhere, and begun again."""
    following = out / _NEXT
    if not following.is_dir():
        return
    try:
        entries = _manifest(following)
        for entry in entries:
            _packed(following, entry)
    except (FileNotFoundError, _Unreadable):
        # Somebody has changed it: what is to be written is what puts that right.
        shutil.rmtree(following)
        return
    for name in _paths(entries):
        _take_over(following, out, name)
    _remove_stale(out, {*_paths(entries)})
    for name in _paths(entries):
        _sync_up((out / name).parent, out)
    # Until here the old one tells what is stale.
    _take_over(following, out, MANIFEST)
    sync_directory(out)
    used = out / f"{_OURS}{secrets.token_hex(8)}"
    following.rename(used)
    sync_directory(out)
    shutil.rmtree(used)


def _take_over(following: Path, out: Path, name: str) -> None:
    target, passing = out / name, following / ".passing"
    target.parent.mkdir(parents=True, exist_ok=True)
    _put(passing, (following / name).read_bytes())
    passing.replace(target)


def _remove_stale(out: Path, current: set[str]) -> None:
    """Remove what the build before has written and this one has not."""
    alike = {_folded(name) for name in current}
    for name in _written_before(out) or ():
        if _folded(name) in alike:
            continue
        path = out / name
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
            sync_directory(path.parent)
        with contextlib.suppress(OSError):
            while path.parent != out:
                path = path.parent
                path.rmdir()


def _refuse_foreign(out: Path, files: Iterable[str]) -> None:
    before = _written_before(out)
    if before is None:
        # Which files are ours cannot be known; a build is what puts that right.
        return
    ours = {_folded(name) for name in before} | {_folded(MANIFEST)}
    problems: list[Problem] = []
    for name in files:
        for path in (*_parents_of(out, name), out / name):
            is_folder = path != out / name
            known = not is_folder and path.is_file() and _folded(name) in ours
            if os.path.lexists(path) and not known and not (is_folder and path.is_dir()):
                text = "no build has written it, so it is not replaced. Move it away, or choose another --out."
                problems.append(Problem(path=path, line=None, text=text))
    if problems:
        raise ProjectError(tuple(dict.fromkeys(problems)))


def _parents_of(out: Path, name: str) -> list[Path]:
    return [out / parent for parent in PurePosixPath(name).parents if parent.name]


def _written_before(out: Path) -> list[str] | None:
    """The files that the manifest lists; none where there is no manifest, and None where it is damaged.

    Raises:
        ProjectError: It is somebody else's.
    """
    try:
        return _paths(_manifest(out))
    except FileNotFoundError:
        return []
    except _Unreadable:
        if _is_object(out / MANIFEST):
            text = "it is not the list of a build, so it is not replaced. Move it away, or choose another --out."
            raise ProjectError([Problem(path=out / MANIFEST, line=None, text=text)]) from None
        return None


def _is_object(path: Path) -> bool:
    """Whether it is another program's manifest: ours is a list."""
    try:
        return isinstance(orjson.loads(path.read_bytes()), dict)
    except orjson.JSONDecodeError:
        return False


def _manifest(folder: Path) -> list[dict[str, Any]]:
    try:
        entries: object = orjson.loads((folder / MANIFEST).read_bytes())
    except orjson.JSONDecodeError as error:
        msg = f"{folder / MANIFEST} is no JSON ({error})"
        raise _Unreadable(msg) from None
    if not isinstance(entries, list) or not all(map(_is_entry, cast("list[object]", entries))):
        msg = f"{folder / MANIFEST} is not the list of a build"
        raise _Unreadable(msg)
    return cast("list[dict[str, Any]]", entries)


def _is_entry(entry: object) -> bool:
    match entry:
        case {
            "name": str(name),
            "uri": str(),
            "html": str(html),
            "descriptor": str(descriptor),
            "sha256": {"html": str(), "descriptor": str()},
        }:
            inside = PurePosixPath(name)
            is_inside = not inside.is_absolute() and ".." not in inside.parts
            return is_inside and (html, descriptor) == (f"{name}.html", f"{name}.json")
        case _:
            return False


def _paths(entries: Iterable[Mapping[str, Any]]) -> list[str]:
    return [path for entry in entries for path in (entry["html"], entry["descriptor"])]


def _packed(folder: Path, entry: Mapping[str, Any]) -> Packed:
    contents: dict[str, bytes] = {}
    for kind in ("html", "descriptor"):
        path = folder / entry[kind]
        contents[kind] = path.read_bytes()
        if _digest(contents[kind]) != entry["sha256"][kind]:
            msg = f"{path} is not what was built"
            raise _Unreadable(msg)
    return Packed(
        name=entry["name"],
        uri=entry["uri"],
        html=contents["html"].decode(),
        descriptor=orjson.loads(contents["descriptor"]),
    )


def _put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync_up(folder: Path, top: Path) -> None:
    """Make the names in a folder durable, and its own, up to the topmost."""
    while True:
        sync_directory(folder)
        if folder == top:
            return
        folder = folder.parent


def _json(value: object) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _folded(name: str) -> str:
    """The name as a file system sees it that ignores case."""
    return unicodedata.normalize("NFC", name).casefold()
