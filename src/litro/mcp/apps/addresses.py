"""The `ui://` addresses of apps: made of the project's name and a file's path, and told apart as hosts tell them apart."""

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, cast

from litro.errors import Problem
from litro.mcp.apps.sources import AppFile, listed

_AUTHORITY: Final = re.compile(r"[a-z0-9][a-z0-9._-]*")
_SEGMENT: Final = re.compile(r"[A-Za-z0-9._~-]+")
_PARTS: Final = re.compile(
    r"(?P<scheme>[^:/?#]+)://(?P<authority>[^/?#]*)(?P<path>[^?#]*)(?P<rest>.*)"
)
_TRIPLET: Final = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED: Final = re.compile(r"[A-Za-z0-9._~-]")


def authority_of(project: Path) -> str | None:
    """What the addresses of a project's apps begin with: `[project].name` of its pyproject.toml, where that can stand there.

    A pyproject.toml that cannot be read has no name here: whoever reads the settings has refused it by then.
    """
    try:
        table = tomllib.loads((project / "pyproject.toml").read_bytes().decode())
    except (OSError, ValueError):
        return None
    named: object = table.get("project")
    name = cast("dict[str, object]", named).get("name") if isinstance(named, dict) else None
    return name if isinstance(name, str) and _AUTHORITY.fullmatch(name) else None


def derived(authority: str | None, name: str) -> str:
    """The address of an app that gives none.

    Args:
        authority: What it begins with.
        name: The app's, with `/` between folders.

    Raises:
        ValueError: A part of the name cannot stand in an address.
    """
    for part in name.split("/"):
        if not _SEGMENT.fullmatch(part):
            msg = (
                f"{part!r} cannot stand in an address, which has letters, digits, ., _, ~ and -. "
                'Rename it, or give the app an address: McpApp(…, uri="ui://…").'
            )
            raise ValueError(msg)
    return f"ui://{name}" if authority is None else f"ui://{authority}/{name}"


def last_part(uri: str) -> str:
    """The name that an address ends in."""
    path = re.split(r"[?#]", uri, maxsplit=1)[0].removeprefix("ui://").rstrip("/")
    return path.rpartition("/")[2] or uri


def clashes(addresses: Iterable[tuple[AppFile, str]]) -> Iterator[Problem]:
    """The apps whose addresses are equivalent, a problem for each address."""
    same: dict[str, list[tuple[AppFile, str]]] = defaultdict(list)
    for file, uri in addresses:
        same[equivalent(uri)].append((file, uri))
    for apps in same.values():
        if len(apps) > 1:
            files = listed([file.name for file, _ in apps])
            all_ = "both" if len(apps) == 2 else "all"
            shown = listed(list(dict.fromkeys(repr(uri) for _, uri in apps)))
            text = f"{files} {all_} resolve to {shown}, and an address is one app's. Give each another uri, or leave it out."
            yield Problem(path=apps[0][0].path, line=None, text=text)


def equivalent(uri: str) -> str:
    """The form that every equivalent address has.

    Source: https://www.rfc-editor.org/rfc/rfc3986#section-6.2
    """
    parts = _PARTS.fullmatch(uri)
    if parts is None:
        return uri
    authority = _triplets(parts["authority"]).lower()
    # Lower case is for letters, not for the digits of what stays escaped.
    authority = _TRIPLET.sub(lambda found: found[0].upper(), authority)
    return f"{parts['scheme'].lower()}://{authority}{_without_dots(_triplets(parts['path']))}{_triplets(parts['rest'])}"


def _triplets(text: str) -> str:
    """Escapes in capitals, and none where the character may stand for itself."""

    def plain(found: re.Match[str]) -> str:
        character = chr(int(found[1], 16))
        return character if _UNRESERVED.fullmatch(character) else found[0].upper()

    return _TRIPLET.sub(plain, text)


def _without_dots(path: str) -> str:
    kept: list[str] = []
    parts = path.split("/")[1:]
    for part in parts:
        if part == "..":
            del kept[-1:]
        elif part != ".":
            kept.append(part)
    if parts and parts[-1] in {".", ".."}:
        kept.append("")
    return "/" + "/".join(kept)
