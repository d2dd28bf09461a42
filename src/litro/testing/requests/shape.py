"""What both checks are made of: failing in sentences, reading JSON by type, and the rules of JSON itself.

It knows no API.
"""

import math
from typing import Any, NoReturn, cast


def refuse(path: str, found: str, required: str) -> NoReturn:
    """Fail: `path` is where, `found` what is there, `required` what must be."""
    msg = f"{path}: {found}, so {required} is required."
    raise AssertionError(msg)


def require(truth: bool, path: str, found: str, required: str) -> None:  # noqa: FBT001 - as assert
    """Fail with the sentence unless it holds."""
    if not truth:
        refuse(path, found, required)


def short(value: object) -> str:
    """A repr that stays readable."""
    text = repr(value)
    return text if len(text) <= 120 else f"{text[:100]}…"


def object_at(value: object, path: str) -> dict[str, Any]:
    """The value, which must be a JSON object."""
    if not isinstance(value, dict):
        refuse(path, f"it is {short(value)}", "a JSON object")
    return cast("dict[str, Any]", value)


def list_at(value: object, path: str) -> list[Any]:
    """The value, which must be an array that is not empty."""
    if not isinstance(value, list) or not value:
        refuse(path, f"it is {short(cast('object', value))}", "an array that is not empty")
    return cast("list[Any]", value)


def text_at(value: object, path: str) -> str:
    """The value, which must be a string that is not empty."""
    if not isinstance(value, str) or not value:
        refuse(path, f"it is {short(value)}", "a string that is not empty")
    return value


def spoken_at(value: object, path: str) -> str:
    """The value, which must be a string with something to read in it."""
    text = text_at(value, path)
    require(bool(text.strip()), path, f"{short(text)} is whitespace only", "text to read")
    return text


def whole_at(value: object, path: str, *, least: int) -> int:
    """The value, which must be an integer of `least` or more."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        refuse(path, f"it is {short(value)}", f"an integer of {least} or more")
    return value


def check_range(body: dict[str, Any], key: str, most: float) -> None:
    """Require the number at `key`, where there is one, to be from 0 to `most`."""
    if key not in body:
        return
    value = body[key]
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= most:
        refuse(key, f"it is {short(value)}", f"a number from 0 to {most:g}")


def check_json(body: dict[str, Any]) -> None:
    """JSON that every parser reads.

    JSON has no NaN and no infinity: https://www.rfc-editor.org/rfc/rfc8259#section-6.
    Half of a character is refused: anthropics/claude-code#60394 ("no low surrogate in string").
    """
    left: list[tuple[str, object]] = [("", body)]
    while left:
        path, value = left.pop()
        if isinstance(value, dict):
            for key, item in cast("dict[object, object]", value).items():
                _check_plain(key, f"the key {key!r} of {path or 'the body'}")
                require(isinstance(key, str), path, f"{key!r} is a key", "a string")
                left.append((f"{path}.{key}".removeprefix("."), item))
        elif isinstance(value, list):
            items = cast("list[object]", value)
            left += [(f"{path}[{i}]", item) for i, item in enumerate(items)]
        else:
            _check_plain(value, path)


def _check_plain(value: object, path: str) -> None:
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            refuse(path, f"{value[:100]!r} holds half of a character", "well-formed text")
    elif isinstance(value, float):
        require(math.isfinite(value), path, f"it is {value}, which JSON has not", "a finite number")
    elif value is not None and not isinstance(value, int):
        refuse(path, f"it is a {type(value).__name__}", "a JSON value")
