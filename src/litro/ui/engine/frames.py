"""Frames on a pipe: 4 bytes of length, big-endian, and that many bytes of JSON. It knows bytes, not processes.

An answer that begins with a zero byte is HTML as it stands: neither side escapes it, nor reads it again for its escapes.
"""

import struct
from typing import Any, Final, cast

import orjson

from litro.errors import RenderFailed

_LENGTH: Final = struct.Struct(">I")
_HTML: Final = b"\0"


def packed(payload: object) -> bytes:
    """The frame of a value that JSON can hold.

    Raises:
        RenderFailed: It is nested too deeply, or no JSON.
    """
    try:
        body = orjson.dumps(payload)
    except orjson.JSONEncodeError as error:
        msg = f"it cannot be handed to the engine: {error}."
        raise RenderFailed(msg) from error
    return _LENGTH.pack(len(body)) + body


class FrameReader:
    """Puts frames together from bytes that come in any pieces.

    Args:
        longest: Bytes that the body of one may have.
    """

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._waiting = bytearray()

    def feed(self, data: bytes) -> dict[str, Any] | None:
        """Take what came, and answer the object of the frame that it completes.

        Raises:
            RenderFailed: It is no frame, too long, or more than the one that was asked for.
        """
        waiting = self._waiting
        waiting += data
        if len(waiting) < _LENGTH.size:
            return None
        (length,) = _LENGTH.unpack_from(waiting)
        if length > self._longest:
            # What a component wrote to the pipe by itself reads as an enormous length.
            msg = f"it answered {length} bytes, and {self._longest} are the most, so its process was ended."
            raise RenderFailed(msg)
        end = _LENGTH.size + length
        if len(waiting) < end:
            return None
        answer = _object(bytes(memoryview(waiting)[_LENGTH.size : end]))
        if answer is None or len(waiting) > end:
            msg = "it answered what is no frame, so its process was ended. A component may not write to standard output itself."
            raise RenderFailed(msg)
        self._waiting = bytearray()
        return answer


def _object(body: bytes) -> dict[str, Any] | None:
    if body.startswith(_HTML):
        return _html(body)
    try:
        answer: object = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    return cast("dict[str, Any]", answer) if isinstance(answer, dict) else None


def _html(body: bytes) -> dict[str, Any] | None:
    try:
        return {"ok": True, "html": str(memoryview(body)[len(_HTML) :], "utf-8")}
    except UnicodeDecodeError:
        return None
