"""Markdown that a person likes to read in a terminal as well: headings, tables, links."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeVar

K = TypeVar("K")
T = TypeVar("T")

NOTICE: Final = (
    "<!-- Written by scripts/reference from the code. Change that, then run it again. -->"
)

_LINK: Final = re.compile(r"\]\((?!https?:|#|\.\./)([^)]+)\)")


class Undocumented(Exception):
    """The code has something that the reference has no words for, or the other way round."""


def page(title: str, *parts: str) -> str:
    """A whole page."""
    return "\n\n".join([f"# {title}", NOTICE, *(part.strip("\n") for part in parts if part)]) + "\n"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table, one line a row."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)


def code(*names: str) -> str:
    """The names as code, with commas between them."""
    return ", ".join(f"`{name}`" for name in names)


def from_docs(text: str) -> str:
    """The text with links that are written for a page in docs/ leading there from docs/reference/."""
    return _LINK.sub(r"](../\1)", text)


def one_line(text: str | None) -> str:
    """The text without line breaks."""
    return " ".join((text or "").split())


def words_for(names: Iterable[K], words: Mapping[K, T], *, what: str, where: str) -> dict[K, T]:
    """The words of each name, in the order in which they are written.

    Args:
        names: What the code has.
        words: What is said of each.
        what: What such a name is, as in "the error type".
        where: The file that `words` stand in.

    Raises:
        Undocumented: One has no words, or there are words for one that the code has not.
    """
    known = set(names)
    missing = sorted(known - words.keys(), key=repr)
    if missing:
        msg = f"{where}: {what} {missing[0]!r} is in the code and has no words here, so a line for it is required."
        raise Undocumented(msg)
    gone = [name for name in words if name not in known]
    if gone:
        msg = f"{where}: {what} {gone[0]!r} has words here and is not in the code any more. Take the line out."
        raise Undocumented(msg)
    return dict(words)


def _cell(text: str) -> str:
    return re.sub(r"(?<!\\)\|", r"\\|", one_line(text))
