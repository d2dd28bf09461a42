"""Values: what a tool returns or reports, turned into JSON once, by one rule.

Walk first: depth, cycles, and anything that only people may see is refused wherever it hides. Then what JSON has no
word for is translated as pydantic does it: dates and times ISO 8601, `Decimal` a string, bytes URL-safe base64, enums
their value, models and dataclasses objects. NaN, infinities, integers beyond 64 bits, and types without a translation are
refused with the path to them, because silence here is a wrong answer later. Lone surrogates become U+FFFD.

orjson alone would not do: it writes a nested dataclass as it finds it. It is not validation: that is `litro.schema`.
"""

import dataclasses
import math
from collections import deque
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, Final, cast

import orjson

from litro.errors import EncodingError

MAX_DEPTH: Final = 100
"""Deepest nesting of a value. orjson's own limit is 254; browsers' consoles give up earlier."""

_CONTAINERS: Final = (dict, list)
_NOTHING_TRANSLATED: Final = (
    orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_DATETIME
    | orjson.OPT_PASSTHROUGH_SUBCLASS
)

IN_REQUEST: Final = 16
"""Levels that a model request puts around a call's input, and some to spare: it goes into every later one."""


class PersonOnly:
    """The base of what only a person may see. Encoding refuses it at every depth, so the model never reads it."""

    __slots__ = ()


def encode_value(value: object) -> bytes:
    """The value as JSON.

    Raises:
        EncodingError: `not-json` or `nested-ui`; the message names the path to what is in the way.
    """
    return orjson.dumps(to_jsonable(value))


def to_jsonable(value: object, *, above: int = 0) -> Any:
    """The value made of None, bools, ints, floats, well-formed strings, lists and dicts with string keys alone.

    Args:
        value: What a tool returned, or a model sent.
        above: Levels that what it is put into will add around it.

    Raises:
        EncodingError: as `encode_value`.
    """
    try:
        return _copied(value, MAX_DEPTH - above)
    except _NotPlain:
        return _Walk().visit(value, "value", above)


def well_formed(text: str) -> str:
    """The text with each lone surrogate replaced by U+FFFD: UTF-8 has no bytes for one."""
    try:
        text.encode()
    except UnicodeEncodeError:
        # A pair that arrived in two halves is one character once they stand together.
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


class TextPieces:
    """Joins the halves of characters that a server put into two pieces."""

    def __init__(self) -> None:
        self._half = ""

    def add(self, piece: str) -> str:
        """What can be shown now, well-formed: the piece without a half at its end, after the half before it."""
        text = self._half + piece
        self._half = ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            self._half = text[-1]
            text = text[:-1]
        return well_formed(text)

    def end(self) -> str:
        """What stands for a half that never found its other one."""
        half, self._half = self._half, ""
        return well_formed(half)


class _NotPlain(Exception):
    """Something has to be translated, or refused: which, the walk tells."""


def _copied(value: object, levels: int) -> Any:
    """A copy of what is JSON already, as most values are: a walk that can name each place takes many times as long."""
    try:
        copy: object = orjson.loads(orjson.dumps(value, option=_NOTHING_TRANSLATED))
    except TypeError as error:
        raise _NotPlain from error
    # What was translated all the same, such as NaN or a tuple, is not what it was.
    if copy != value or _is_deep(copy, levels):
        raise _NotPlain
    return copy


def _is_deep(value: Any, levels: int) -> bool:
    """Whether the JSON is nested deeper than so many levels."""
    if not isinstance(value, dict | list):
        return False
    if levels <= 0:
        return True
    for item in cast("list[Any]", value.values() if isinstance(value, dict) else value):
        # Most are scalars, and a call for each would take longer than all the rest.
        if isinstance(item, _CONTAINERS) and _is_deep(item, levels - 1):
            return True
    return False


class _Walk:
    """One pass over a value; `_above` holds the ids of the containers that the walk is inside of."""

    def __init__(self) -> None:
        self._above: set[int] = set()

    def visit(self, value: object, path: str, depth: int) -> Any:
        kind = type(value)
        if value is None or kind is bool:
            return value
        if kind is str:
            return well_formed(cast("str", value))
        if kind is int:
            return _whole(cast("int", value), path)
        if kind is float:
            return _finite(cast("float", value), path)
        return self._compound(value, path, depth)

    def _compound(self, value: object, path: str, depth: int) -> Any:
        if isinstance(value, PersonOnly):
            msg = (
                f"{path} is a {type(value).__name__} inside another value, so people's channel would reach the model.\n"
                "Return the result of ui() directly."
            )
            raise EncodingError("nested-ui", msg)
        if depth >= MAX_DEPTH:
            msg = (
                f"{path[:80]}… is nested deeper than {MAX_DEPTH} levels, so it cannot be a result."
            )
            raise EncodingError("not-json", msg)
        if id(value) in self._above:
            msg = f"{path} contains itself, so it has no JSON."
            raise EncodingError("not-json", msg)
        self._above.add(id(value))
        try:
            return self._inside(value, path, depth + 1)
        finally:
            self._above.discard(id(value))

    def _inside(self, value: object, path: str, depth: int) -> Any:
        if isinstance(value, Mapping):
            return self._mapping(cast("Mapping[object, object]", value), path, depth)
        if isinstance(value, list | tuple | AbstractSet | deque):
            items = cast("list[object]", value)
            return [self.visit(item, f"{path}[{i}]", depth) for i, item in enumerate(items)]
        if isinstance(value, Iterator):
            kind = type(cast("object", value)).__name__
            msg = f"{path} is a {kind}, which can be read once only, so a list is required."
            raise EncodingError("not-json", msg)
        for name, item in _attributes(value):
            # A model's own serialiser may leave a field out; what it holds is looked at all the same.
            self.visit_attribute(item, f"{path}.{name}", depth)
        return self.visit(_translated(value, path), path, depth)

    def visit_attribute(self, item: object, path: str, depth: int) -> None:
        """Look for what only people may see; what else has no JSON is the serialiser's business."""
        try:
            self.visit(item, path, depth)
        except EncodingError as error:
            if error.type == "nested-ui":
                raise

    def _mapping(self, value: Mapping[object, object], path: str, depth: int) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key, item in value.items():
            name = _key(key, path)
            result[name] = self.visit(item, f"{path}.{name}", depth)
        return result


def _whole(value: int, path: str) -> int:
    if -(2**63) <= value < 2**64:
        return value
    msg = f"{path} is an integer beyond 64 bits, so readers would round it. Return it as a string."
    raise EncodingError("not-json", msg)


def _finite(value: float, path: str) -> float:
    if math.isfinite(value):
        return value
    msg = f"{path} is {value}, which JSON has no word for. Return None, or leave it out."
    raise EncodingError("not-json", msg)


def _key(key: object, path: str) -> str:
    if isinstance(key, str):
        return well_formed(str(key))
    if key is None or isinstance(key, bool | int | float):
        return orjson.dumps(key).decode()
    translated = _translated(key, f"a key of {path}")
    if isinstance(translated, str | int | float):
        return str(translated)
    msg = f"{path} has the key {key!r}, a {type(key).__name__}, so a string is required."
    raise EncodingError("not-json", msg)


def _attributes(value: object) -> Iterator[tuple[str, object]]:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield field.name, getattr(value, field.name, None)
    elif hasattr(type(value), "__pydantic_serializer__"):
        yield from vars(value).items()
        yield from (getattr(value, "__pydantic_extra__", None) or {}).items()


def _translated(value: object, path: str) -> Any:
    # Only values beyond plain JSON pay for importing pydantic.
    from pydantic_core import PydanticSerializationError, to_jsonable_python  # noqa: PLC0415

    try:
        translated = to_jsonable_python(value, bytes_mode="base64", by_alias=True)
    except (PydanticSerializationError, ValueError, TypeError, RecursionError) as error:
        msg = f"{path} is a {type(value).__name__}, which has no JSON, so it cannot be a result. ({error})"
        raise EncodingError("not-json", msg) from error
    if type(translated) is type(value) and not isinstance(value, str | int | float):
        msg = f"{path} is a {type(value).__name__}, which has no JSON, so it cannot be a result."
        raise EncodingError("not-json", msg)
    # A subclass of a plain type (an enum that is a str, a numpy float) translates to itself: take its plain value.
    if isinstance(translated, str):
        return str.__str__(translated)
    for plain in (bool, int, float):
        if isinstance(translated, plain):
            return plain(translated)
    return translated
