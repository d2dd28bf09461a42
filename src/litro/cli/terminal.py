"""Text for a terminal: what models and tools said, made harmless, and data as a small table.

What a model says may hold escape sequences that move the cursor, write files or rename the window: none gets through.
"""

import shutil
import unicodedata
from collections.abc import Mapping, Sequence
from typing import cast

import orjson

_KEPT = {ord("\n"), ord("\t")}
_CONTROLS = {code: None for code in (*range(32), *range(127, 160)) if code not in _KEPT}
_ROWS = 12
_CELL = 48


def plain(text: str) -> str:
    """The text without control characters, line breaks and tabs aside."""
    return text.translate(_CONTROLS)


def one_line(value: object, limit: int = 160) -> str:
    """A JSON value on one line, cut where it is long."""
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    text = " ".join(plain(text).split())
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def call_line(name: str, given: object) -> str:
    """A tool call on one line: its name, and what it was given."""
    if isinstance(given, Mapping):
        named = cast("Mapping[str, object]", given)
        text = ", ".join(f"{key}={one_line(value, 60)}" for key, value in named.items())
    else:
        text = one_line(given)
    return one_line(f"{name}({text})")


def table(data: object) -> list[str]:
    """Data as lines no wider than the screen: a mapping as two columns, a list of mappings as a table, anything else on one line."""
    screen = max(40, shutil.get_terminal_size((100, 24)).columns - 4)
    rows = _rows(data)
    return [line[:screen] for line in columns(rows)] if rows else [one_line(data)]


def _rows(data: object) -> list[list[str]]:
    """The rows of data that is a table; none where it is not."""
    if isinstance(data, Mapping):
        mapping = cast("Mapping[str, object]", data)
        return [[str(key), one_line(value, _CELL)] for key, value in mapping.items()]
    items = _mappings(data)
    heads = list(dict.fromkeys(str(key) for item in items for key in item))
    if not heads:
        return []
    body = [
        [one_line(item[head], _CELL) if head in item else "" for head in heads]
        for item in items[:_ROWS]
    ]
    more = len(items) - _ROWS
    last = [[f"… and {more} more", *[""] * (len(heads) - 1)]] if more > 0 else []
    return [heads, *body, *last]


def _mappings(data: object) -> list[Mapping[str, object]]:
    """The items of a list of mappings; none where it is anything else."""
    if not isinstance(data, list | tuple):
        return []
    items = cast("Sequence[object]", data)
    found = [cast("Mapping[str, object]", item) for item in items if isinstance(item, Mapping)]
    return found if len(found) == len(items) else []


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows with their cells below each other, two spaces between."""
    clean = [[one_line(cell, 200) for cell in row] for row in rows]
    widths = [max(_width(cell) for cell in column) for column in zip(*clean, strict=True)]
    return [
        "  ".join(
            cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in clean
    ]


def _width(text: str) -> int:
    """Columns that the text takes: East Asian characters take two, combining ones none."""
    return sum(
        0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in "WF")
        for char in text
    )
