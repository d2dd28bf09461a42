"""What a source gave, made the value that it means.

Each takes a variable's text or a file's value, and raises ValueError with what is true and what is required. None knows
which source it was: `resolve` adds that.
"""

import math
import re
from collections.abc import Callable, Iterable
from pathlib import PurePath
from typing import Any, Final, cast

from litro.gates.names import parse_host_pattern
from litro.settings.masking import without_password

_YES: Final = frozenset({"1", "true", "yes", "on"})
_NO: Final = frozenset({"0", "false", "no", "off"})
_PLACES: Final = "one of 'file:DIR', 'sqlite:FILE' and 'postgresql://…'"


def as_given(value: Any) -> Any:
    """Whatever it is."""
    return value


def switch(value: Any) -> bool:
    """Yes or no."""
    if isinstance(value, bool):
        return value
    word = value.strip().lower() if isinstance(value, str) else ""
    if word in _YES or word in _NO:
        return word in _YES
    msg = f"{value!r:.80} is neither yes nor no, so one of 1, true, yes, on, 0, false, no, off is required."
    raise ValueError(msg)


def one_of(*words: str) -> Callable[[Any], str]:
    """One of the words."""

    def parse(value: Any) -> str:
        word = value.strip().lower() if isinstance(value, str) else value
        if word not in words:
            msg = f"{value!r:.80} is not known, so {' or '.join(map(repr, words))} is required."
            raise ValueError(msg)
        return word

    return parse


def whole(what: str) -> Callable[[Any], int]:
    """A whole number of at least 1, of `what`."""

    def parse(value: Any) -> int:
        number = value
        # int() would take other scripts' digits, underscores, and run long on a long text.
        if isinstance(value, str) and re.fullmatch(r"[0-9]{1,15}", value.strip()):
            number = int(value)
        if isinstance(number, int) and not isinstance(number, bool) and number >= 1:
            return number
        msg = (
            f"{value!r:.80} is not a number of {what}, so a whole number of at least 1 is required."
        )
        raise ValueError(msg)

    return parse


def seconds(value: Any) -> float:
    """A time in seconds."""
    number: Any = value
    if isinstance(value, str):
        try:
            number = float(value)
        except ValueError:
            number = math.nan
    # A whole number of a file may be larger than any float.
    if isinstance(number, int | float) and not isinstance(number, bool) and 0 <= number < 1e9:
        return float(number)
    msg = f"{value!r:.80} is not a time in seconds, so a number of at least 0 is required."
    raise ValueError(msg)


def entries_of(check: Callable[[str], object]) -> Callable[[Any], tuple[str, ...]]:
    """A list of strings, each of which `check` accepts; of a text, its parts between commas."""

    def parse(value: Any) -> tuple[str, ...]:
        given = _split(value) if isinstance(value, str) else value
        if not isinstance(given, list | tuple):
            msg = f"{value!r:.80} is not a list, so a list of strings is required."
            raise ValueError(msg)  # noqa: TRY004 - one kind of failure for every source
        entries: list[str] = []
        for entry in cast("Iterable[object]", given):
            if not isinstance(entry, str):
                msg = f"{entry!r:.80} is not a string, so a list of strings is required."
                raise ValueError(msg)  # noqa: TRY004 - the same
            check(entry.strip())
            entries.append(entry.strip())
        return tuple(entries)

    return parse


def secret(value: Any) -> str:
    """A secret that a header can carry. What it is stands in no message."""
    text = value.strip() if isinstance(value, str) else ""
    if text and text.isprintable() and " " not in text:
        return text
    what = "its text" if isinstance(value, str) else f"its {type(value).__name__}"
    msg = f"{what} (not shown) is no secret that a header can carry, so characters without spaces are required."
    raise ValueError(msg)


def folder(value: Any) -> str:
    """A folder's path."""
    if isinstance(value, str | PurePath) and str(value).strip() and "\0" not in str(value):
        return str(value).strip()
    msg = f"{value!r:.80} is no path, so the path of a folder is required."
    raise ValueError(msg)


def _split(text: str) -> list[str]:
    return [part for part in (part.strip() for part in text.split(",")) if part]


_host_entries = entries_of(parse_host_pattern)


def hosts(value: Any) -> tuple[str, ...]:
    """Entries of `allowed_hosts`, at least one."""
    entries = _host_entries(value)
    if not entries:
        msg = (
            f"{value!r:.80} has no entry, which could mean every host or none, so at least one is required. Leave "
            "allowed_hosts out for no check."
        )
        raise ValueError(msg)
    return entries


def store(value: Any) -> Any:
    """A store's URL, or a store."""
    if not isinstance(value, str):
        if callable(getattr(value, "open", None)) and callable(getattr(value, "read", None)):
            return value
        msg = f"{value!r:.80} is no session store, so {_PLACES} or an object with a SessionStore's methods is required."
        raise ValueError(msg)
    shown = without_password(value)
    scheme, colon, rest = value.partition(":")
    if not colon or (len(scheme) == 1 and scheme.isalpha()):
        msg = (
            f"{value!r:.80} has no scheme, so {_PLACES} is required. Write {'file:' + value!r:.90}."
        )
        raise ValueError(msg)
    # A server's URL is its driver's business.
    if scheme in {"postgresql", "postgres"} and rest.startswith("//"):
        return value
    path = rest.removeprefix("//localhost") if rest.startswith("//localhost/") else rest
    if scheme not in {"file", "sqlite"} or not path or re.match("//(?!/)", path):
        msg = (
            f"{shown!r:.80} is no place that Litro knows, so {_PLACES} is required: 'file:.litro/sessions' counts from "
            "the project, 'file:/var/lib/app' from the root. Another kind of store is an object in agents/_config.py."
        )
        raise ValueError(msg)
    return f"{scheme}:{path.removeprefix('//')}"
