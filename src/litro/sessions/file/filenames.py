"""Session ids as file names, on file systems that ignore case and on those that know device names.

Capitals, a leading `-` or `.`, and Windows' device names are percent-encoded; every other character of an id stands
for itself, so that a log is found by eye. It knows no directory.
"""

from typing import Final
from urllib.parse import unquote

from litro.errors import InvalidSessionId

_DEVICES: Final = frozenset(
    {"con", "prn", "aux", "nul"} | {f"{port}{n}" for port in ("com", "lpt") for n in range(10)}
)
_LONGEST: Final = 240
"""Bytes of a name, extensions left out: file systems take 255."""


def encode(text: str) -> str:
    """The file name for an id that `check_key` accepts.

    Raises:
        InvalidSessionId: The name would be longer than file systems take.
    """
    name = "".join(_percent(char) if char.isupper() else char for char in text)
    if name[0] in "-." or name.partition(".")[0] in _DEVICES:
        name = _percent(name[0]) + name[1:]
    if len(name) > _LONGEST:
        msg = f"session id {text[:80]!r}… takes {len(name)} bytes as a file name, so at most {_LONGEST} are required."
        raise InvalidSessionId(msg)
    return name


def decode(name: str) -> str:
    """The id that a file name stands for."""
    return unquote(name)


def _percent(char: str) -> str:
    return f"%{ord(char):02X}"
