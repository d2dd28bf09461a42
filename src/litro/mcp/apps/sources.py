"""Which files of `mcp-apps/` are apps, and whether each can have a document. Paths only: nothing is read or imported.

Everything that is wrong with any name is found at once, before any of the user's code runs.
"""

import os
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from litro.errors import Problem

FOLDER: Final = "mcp-apps"
"""Where they are, below the project."""

_SUFFIX: Final = ".py"
_UNPRINTABLE: Final = re.compile("[\x00-\x1f\u2028\u2029]")
_EVEN_SO: Final = "An explicit uri does not help: its document is named by this path too."


@dataclass(frozen=True, slots=True, kw_only=True)
class AppFile:
    """One app's file.

    Attributes:
        name: Its path below the folder, without its suffix, with `/` between folders.
        path: Where it is.
    """

    name: str
    path: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """The files of a folder, by name, and everything that is wrong with their names."""

    files: tuple[AppFile, ...]
    problems: tuple[Problem, ...]


def find(folder: Path) -> Sources:
    """The apps' files of a folder, and of the folders in it. Links are followed.

    Args:
        folder: Its absolute path; it need not exist.
    """
    unreadable: list[Problem] = []
    files = [_file(path, folder) for path in _files(folder, unreadable)]
    problems = [*unreadable, *_of_names(files, folder), *_of_pairs(files)]
    if not files and not problems:
        text = (
            "no app files found here, so there is nothing to pack. An app is a .py file with `app = McpApp(…)`; names that "
            "start with _ or -, and those of tests, are passed over."
        )
        problems = [Problem(path=folder, line=None, text=text)]
    return Sources(files=tuple(sorted(files, key=lambda file: file.name)), problems=tuple(problems))


def _files(folder: Path, problems: list[Problem]) -> Iterator[Path]:
    def unreadable(error: OSError) -> None:
        if Path(error.filename) != folder or not isinstance(error, FileNotFoundError):
            text = f"it cannot be read ({error.strerror}). Let this user read it."
            problems.append(Problem(path=Path(error.filename), line=None, text=text))

    above: dict[str, frozenset[str]] = {str(folder): frozenset({os.path.realpath(folder)})}
    for directory, folders, names in os.walk(folder, followlinks=True, onerror=unreadable):
        known = above.pop(directory)
        folders[:] = sorted(name for name in folders if not name.startswith((".", "_")))
        for name in list(folders):
            path = os.path.join(directory, name)  # noqa: PTH118 - os.walk's own spelling is the key
            real = os.path.realpath(path)
            if real in known:
                # A link to a folder that it is in: it has no end.
                folders.remove(name)
            else:
                above[path] = known | {real}
        yield from (Path(directory, name) for name in sorted(names) if _is_app(name))


def _is_app(name: str) -> bool:
    if not name.endswith(_SUFFIX) or name.startswith(("_", "-")):
        return False
    stem = name.removesuffix(_SUFFIX)
    if stem.startswith(".") and stem not in {".", ".."}:
        # Those that editors and systems keep beside a file.
        return False
    is_test = stem.startswith("test_") or stem.endswith(("_test", ".test", ".spec"))
    return not is_test and stem != "conftest"


def _file(path: Path, folder: Path) -> AppFile:
    return AppFile(name=path.relative_to(folder).as_posix().removesuffix(_SUFFIX), path=path)


def _of_names(files: Iterable[AppFile], folder: Path) -> Iterator[Problem]:
    for file in files:
        text = _wrong_name(file.name)
        if text is not None:
            # What cannot be printed must not break the report either.
            shown = Path(ascii(str(file.path))[1:-1]) if _is_unprintable(file.name) else file.path
            yield Problem(path=shown, line=None, text=f"{text} {_EVEN_SO}")
        elif file.name.casefold() == "manifest":
            text = (
                f"its manifest would take the place of the list of all apps, {folder.name}'s own manifest.json. Rename the "
                f"file, or move it into a folder. {_EVEN_SO}"
            )
            yield Problem(path=file.path, line=None, text=text)


def _wrong_name(name: str) -> str | None:
    """What no document can be named; the first of it that applies."""
    parts = name.split("/")
    special = next((character for character in "#?" if character in name), None)
    unprintable = _unprintable(name)
    wrong = (
        ("\\" in name, "its name has a backslash, which ends a folder's name on some systems"),
        (unprintable, f"its name has {unprintable}, which cannot be printed"),
        (not parts[-1], "it has no name before .py"),
        (not {".", ".."}.isdisjoint(parts), "a part of its path is . or .., which means a folder"),
        (special, f"its name has {special}, which ends a path in every address"),
        ("." in name, "its name, or a folder's, has a dot, which Python takes for a package's end"),
    )
    found = next((text for applies, text in wrong if applies), None)
    return None if found is None else f"{found}, so another name is required. Rename it."


def _is_unprintable(name: str) -> bool:
    return _unprintable(name) is not None


def _unprintable(name: str) -> str | None:
    if found := _UNPRINTABLE.search(name):
        return f"U+{ord(found[0]):04X}"
    # A name's bytes that are no UTF-8 come as halves of characters.
    if any("\ud800" <= character <= "\udfff" for character in name):
        return "bytes that are no UTF-8"
    return None


def _of_pairs(files: Iterable[AppFile]) -> Iterator[Problem]:
    """The files whose documents some file systems could not tell apart."""
    alike: dict[str, list[AppFile]] = defaultdict(list)
    for file in files:
        alike[unicodedata.normalize("NFC", file.name).casefold()].append(file)
    for same in alike.values():
        if len(same) > 1:
            names = listed([repr(file.name) for file in same])
            text = (
                f"the documents of {names} would be one on a file system that ignores case, so names that differ by more "
                f"are required. Rename all but one. {_EVEN_SO}"
            )
            yield Problem(path=same[0].path, line=None, text=text)


def listed(names: list[str]) -> str:
    """Names in a sentence: `a, b and c`."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
