"""An answer in pieces, as model servers cut it: JSON frames, and a call's arguments.

Both wire formats share these rules. It is not a schema: whether arguments fit a tool is checked elsewhere.
"""

import json
import re
from collections.abc import Mapping
from typing import Any, Final, cast

import orjson

from litro.encoding import IN_REQUEST, to_jsonable, well_formed
from litro.errors import EncodingError, ProviderError
from litro.providers.sse import SseEvent

_NO_NAME: Final = re.compile(r"[^A-Za-z0-9_-]")


def load_json(text: str) -> Any:
    r"""The value of a JSON text, which may escape half of a character: `"\ud83d"` is how some servers cut an emoji.

    Raises:
        ValueError: It is not JSON.
    """
    try:
        return orjson.loads(text)
    except ValueError:
        # The strict parser refuses half characters and lone surrogates in bytes; this one keeps them for `TextPieces`.
        return json.loads(text, parse_constant=_no_constant)


def _no_constant(name: str) -> Any:
    msg = f"{name} is not JSON"
    raise ValueError(msg)


def load_frame(event: SseEvent) -> dict[str, Any]:
    """The JSON object that an event of a stream carries.

    Raises:
        ProviderError: `stream-incomplete`, because a frame that is not an object was cut or garbled.
    """
    try:
        frame = load_json(event.data)
    except (ValueError, RecursionError):
        frame = None
    if not isinstance(frame, dict):
        msg = f"the model's server sent {event.data[:200]!r} in its stream, so a JSON object is missing there."
        raise ProviderError("stream-incomplete", msg, retryable=True)
    return cast("dict[str, Any]", frame)


def fields_of(value: Any) -> dict[str, Any]:
    """The fields of a part of a frame; none where it is no object."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def parse_arguments(text: str) -> Any:
    """A call's arguments: `{}` for none, and the text itself where it is no JSON that every later request can hold."""
    text = well_formed(text)
    if not text.strip():
        return {}
    try:
        value = to_jsonable(load_json(text), above=IN_REQUEST)
    except (ValueError, RecursionError, EncodingError):
        return text
    return {} if value is None else value


def is_whole(arguments: str) -> bool:
    """Whether the arguments are complete JSON, so that nothing can have been cut off them."""
    try:
        load_json(well_formed(arguments))
    except (ValueError, RecursionError):
        return False
    return True


def name_in_history(name: str) -> str:
    """A name that a model called, as history can hold it: models invent names that servers then refuse for good."""
    return _NO_NAME.sub("_", name)[:64] or "_"


def arguments_object(value: Any) -> Mapping[str, Any]:
    """A call's input as history can hold it: servers refuse arguments that are not a JSON object.

    What was not one is wrapped, so that the model sees its mistake beside the error that it got for it.
    """
    if isinstance(value, Mapping):
        return cast("Mapping[str, Any]", value)
    return {} if value is None or value == "" else {"invalid_arguments": value}
