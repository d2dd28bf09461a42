"""What may stand in which hole of a template. A value is data: never markup, a handler, or an address that is a script.

Between tags: a scalar, a template, or a list of them. In an attribute: a scalar. In a property: any JSON.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final, cast

from litro.encoding import PersonOnly
from litro.ui.holes import SCRIPT, URLS, Hole

SHOWN_HOLE: Final = "{…}"
"""A hole, as messages show it."""

_EXACT: Final = 2**53


class Composable(PersonOnly):
    """The base of templates: what may stand between tags beside text."""

    __slots__ = ()


def why_not(hole: Hole, value: object) -> str | None:
    """Why the value cannot stand in the hole, or None where it can."""
    if hole.name.lower() in URLS and isinstance(value, str) and SCRIPT.match(value):
        return f"{value!r:.60} would run as a script when it is followed, so another address is required."
    if hole.kind == "property":
        is_for_people = isinstance(value, PersonOnly)
        return "a template is no property, so data is required." if is_for_people else None
    if hole.kind == "boolean" and not isinstance(value, bool):
        return f"{value!r:.60} is not True or False, so one of them is required."
    if hole.kind == "child":
        return next(filter(None, map(_why_no_child, flat(value))), None)
    if not _is_scalar(value):
        return f"it is a {type(value).__name__}, so text, a number, a bool or None is required in an attribute."
    return None


def _why_no_child(value: object) -> str | None:
    is_markup = callable(getattr(value, "__html__", None))
    if isinstance(value, Composable) or (_is_scalar(value) and not is_markup):
        return None
    if is_markup:
        return (
            f"a {type(value).__name__} is markup already and would be escaped once more, so text or a template is required. "
            "Pass its text, or write the markup into the template."
        )
    return f"it is a {type(value).__name__}, so text, a number, a template, or a list of them is required between tags."


def _is_scalar(value: object) -> bool:
    return value is None or isinstance(value, str | bool | int | float)


def flat(value: object) -> Iterator[object]:
    """The value, or what is in its lists, in order."""
    if isinstance(value, list | tuple):
        for item in cast("Sequence[object]", value):
            yield from flat(item)
    else:
        yield value


def as_text(value: Any) -> Any:
    """The value as it is to stand in text: JavaScript would round a large integer."""
    return str(value) if type(value) is int and abs(value) > _EXACT else value
