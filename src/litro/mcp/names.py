"""What hosts make of names and descriptions: told to the author at start, and served as written.

Nothing is refused or rewritten here: a tool's name is its file's, and changing it behind an author's back would be worse.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

_GUIDANCE: Final = re.compile(r"[A-Za-z0-9_.-]{1,128}")
_EVERYWHERE: Final = re.compile(r"[A-Za-z0-9_-]+")
_SHORT: Final = 40
"""Characters. Hosts put their name for the server before a tool's, and some cut or refuse what then has more than 60."""

MAX_DESCRIPTION: Final = 2048
"""Bytes. Some hosts cut there."""


def reports_on_tool(name: str, description: str) -> Iterator[str]:
    """What is worth knowing of a tool's name and description."""
    if not _GUIDANCE.fullmatch(name):
        yield (
            f"Tool {name!r}: MCP advises names of 1 to 128 letters, digits, _, - and ., so a host may refuse this one. "
            "It is served as written."
        )
    elif not _EVERYWHERE.fullmatch(name):
        yield f"Tool {name!r}: the name has a dot, which some hosts' models refuse. It is served as written."
    elif len(name) > _SHORT:
        yield (
            f"Tool {name!r}: the name has {len(name)} characters, and some hosts refuse one of more than {_SHORT} once "
            "theirs is put before it. It is served as written."
        )
    size = len(description.encode())
    if size > MAX_DESCRIPTION:
        yield (
            f"Tool {name!r}: the description has {size} bytes, and some hosts cut it at {MAX_DESCRIPTION}. "
            "Say the essential first."
        )


def reports_on_instructions(instructions: Any) -> Iterator[str]:
    """What is worth knowing of the instructions that hosts are to get; None where they are to get none."""
    if callable(instructions):
        yield (
            "The agent's instructions are a function of a turn, and a host has none, so hosts get no instructions. "
            "Write them to instructions.md to serve them."
        )
    elif isinstance(instructions, str):
        size = len(instructions.encode())
        if size > MAX_DESCRIPTION:
            yield (
                f"The instructions have {size} bytes, and some hosts cut them at {MAX_DESCRIPTION}. "
                "Say the essential first."
            )
