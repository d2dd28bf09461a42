"""What a tool's return annotation says of its result, as JSON Schema.

It checks no result: what a tool returns is encoded as it is. And it never refuses, because a tool may return what has
no schema: then nothing is promised.
"""

from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Generator,
    Iterable,
    Iterator,
)
from typing import Any, Union, cast, get_args, get_origin

from pydantic import TypeAdapter

from litro.encoding import PersonOnly
from litro.schema.json_schema import json_schema
from litro.schema.signature import UNSTATED, members, unwrapped

_STREAMS = (AsyncGenerator, AsyncIterable, AsyncIterator, Generator, Iterable, Iterator)


def result_schema(returns: Any, result: type) -> dict[str, Any] | None:
    """The schema of the data that the model reads, or None where the annotation does not describe it.

    Args:
        returns: The return annotation.
        result: The generic type in which a generator yields its result.
    """
    described = [_data(member) for member in _results(unwrapped(returns), result)]
    if not described or any(one is UNSTATED for one in described):
        return None
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(cast("Any", Union)[tuple(described)])
        return json_schema(adapter, "serialization")
    except Exception:  # noqa: BLE001 - an annotation may name anything, with hooks of its own
        return None


def _results(returns: Any, result: type) -> tuple[Any, ...]:
    """What the function may result in. A generator's yields are progress, but for `Result[X]`."""
    arguments = get_args(returns)
    if get_origin(returns) not in _STREAMS or not arguments:
        return members(returns)
    yielded, *rest = arguments
    found = [
        part
        for member in members(unwrapped(yielded))
        for part in (get_args(unwrapped(member)) if get_origin(unwrapped(member)) is result else ())
    ]
    # A sync generator may return its result instead: Generator[Yield, Send, Return].
    if len(rest) == 2 and rest[1] not in (None, type(None)):
        found.append(rest[1])
    return tuple(part for one in found for part in members(unwrapped(one)))


def _data(annotation: Any) -> Any:
    """The data's type: of what only people may see, the model reads what it is parametrised with."""
    plain = unwrapped(annotation)
    kind = get_origin(plain) or plain
    if isinstance(kind, type) and issubclass(kind, PersonOnly):
        parameters = get_args(plain)
        return parameters[0] if len(parameters) == 1 else UNSTATED
    return annotation
