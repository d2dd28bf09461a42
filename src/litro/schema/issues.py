"""What is wrong with an input, in a few words that a model can act on.

Values are never repeated: they came from the model, may be a megabyte long, and it knows them.
"""

from typing import Final

from pydantic import ValidationError

MAX_ISSUES: Final = 10
MAX_TEXT: Final = 1000
"""Characters of the whole message."""
_MAX_ISSUE: Final = 160
_MAX_NAME: Final = 40


def issues_of(error: ValidationError) -> str:
    """Each field with what it should be: `city: String should have at least 1 character; days: …`."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    told = [f"{_path(issue['loc'])}: {shortened(issue['msg'])}" for issue in found[:MAX_ISSUES]]
    if len(found) > MAX_ISSUES:
        told.append(f"and {len(found) - MAX_ISSUES} more")
    return shortened("; ".join(told), MAX_TEXT)


def shortened(text: str, limit: int = _MAX_ISSUE) -> str:
    """The text on one line, cut where it is too long."""
    # Cut first: splitting a megabyte to keep a line of it would be work for the sender's benefit.
    line = " ".join(text[: limit * 4].split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def _path(location: tuple[int | str, ...]) -> str:
    path = ""
    for part in location:
        if isinstance(part, int):
            path += f"[{part}]"
        else:
            path += f".{shortened(part, _MAX_NAME)}"
    return shortened(path.removeprefix(".") or "input", _MAX_ISSUE)
