"""Hides what is a secret by its name: in the source that a traceback quotes, and among the keys that users add to a request.

A net below what is never shown, such as headers and keys of providers. What people, models and tools said is shown as it is.
"""

import re
from collections.abc import Mapping
from typing import Any, Final, cast

MASK: Final = "…"

_NAME: Final = r"(?:api[_-]?key|secret|password|passwd|authorization|credential|(?:^|[_-])token)s?"
_KEY: Final = re.compile(rf"{_NAME}$", re.IGNORECASE)
_IN_SOURCE: Final = re.compile(
    r"(?P<before>(?:api[_-]?key|secret|password|passwd|authorization|credential|token)s?"
    r"""["']?\s*(?::[^=:"'\n]{0,40})?[=:]\s*[rbf]{0,2}(?P<quote>["']))(?P<value>.+?)(?P=quote)""",
    re.IGNORECASE,
)
_SHOWN: Final = frozenset({"messages", "system", "tools"})
"""What a model reads is no setting, whatever its parts are called."""


def masked_source(text: str) -> str:
    """The lines of source, or of a traceback, without the literals that are secrets by their name."""
    return _IN_SOURCE.sub(rf"\g<before>{MASK}\g<quote>", text)


def masked_body(body: Mapping[str, Any]) -> dict[str, Any]:
    """The body of a request without the settings that are secrets by their name."""
    return {key: value if key in _SHOWN else _masked(key, value) for key, value in body.items()}


def _masked(key: str, value: Any) -> Any:
    if isinstance(value, str):
        return MASK if _KEY.search(key) else value
    if isinstance(value, Mapping):
        fields = cast("Mapping[str, Any]", value)
        return {name: _masked(str(name), inner) for name, inner in fields.items()}
    if isinstance(value, list | tuple):
        return [_masked(key, inner) for inner in cast("list[Any]", value)]
    return value
