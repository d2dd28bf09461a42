"""JSON-RPC messages as bytes: the lines of a pipe, and what is said of a line that is no message.

It knows the envelope alone. Which methods there are, and what their parameters mean, is the SDK's business.
"""

import json
from typing import Any, Final, cast

import orjson

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
INTERNAL_ERROR: Final = -32603

MAX_LINE: Final = 16 * 1024 * 1024
"""Bytes that a message may have. What is longer is refused without being kept."""

Id = str | int | None


class Malformed(Exception):
    """A line that is no message, and the error that answers it."""

    def __init__(self, code: int, message: str, id: Id = None) -> None:  # noqa: A002 - the protocol's word
        super().__init__(message)
        self.code = code
        self.message = message
        self.id = id

    def answer(self) -> bytes:
        """The error as a line, without its end."""
        error = {"code": self.code, "message": self.message}
        return orjson.dumps({"jsonrpc": "2.0", "id": self.id, "error": error})


class Lines:
    """Cuts a stream of bytes into lines, however the stream was cut into chunks."""

    def __init__(self, limit: int = MAX_LINE) -> None:
        self._limit = limit
        self._rest = bytearray()
        self._is_too_long = False

    def feed(self, chunk: bytes) -> list[bytes | None]:
        """The lines that the chunk completes, without their ends; None for one that was too long."""
        first, *others = chunk.split(b"\n")
        if not others:
            self._keep(first)
            return []
        self._keep(first)
        lines = [self._line(), *(self._whole(line) for line in others[:-1])]
        self._keep(others[-1])
        return lines

    def end(self) -> list[bytes | None]:
        """What was left without a line's end when the stream ended."""
        return [self._line()] if self._rest or self._is_too_long else []

    def _keep(self, part: bytes) -> None:
        self._is_too_long = self._is_too_long or len(self._rest) + len(part) > self._limit
        if self._is_too_long:
            self._rest = bytearray()
        else:
            self._rest += part

    def _line(self) -> bytes | None:
        line = None if self._is_too_long else bytes(self._rest)
        self._rest, self._is_too_long = bytearray(), False
        return line

    def _whole(self, line: bytes) -> bytes | None:
        return line if len(line) <= self._limit else None


def parse(line: bytes | None) -> dict[str, Any] | None:
    """The message in a line; None where the line is blank.

    Raises:
        Malformed: It is no message.
    """
    if line is None:
        msg = f"The message is longer than {MAX_LINE} bytes, so it was not read."
        raise Malformed(INVALID_REQUEST, msg)
    line = line.removeprefix(b"\xef\xbb\xbf").strip()
    if not line:
        return None
    message = _json(line)
    if isinstance(message, list):
        msg = "Batches are not supported: send each message on a line of its own."
        raise Malformed(INVALID_REQUEST, msg)
    if not isinstance(message, dict):
        msg = "A message is a JSON object, so one is required."
        raise Malformed(INVALID_REQUEST, msg)
    return cast("dict[str, Any]", message)


def id_of(message: dict[str, Any]) -> Id:
    """The id that an error about this message carries."""
    given = message.get("id")
    return given if isinstance(given, str | int) and not isinstance(given, bool) else None


def _json(line: bytes) -> object:
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError as error:
        if b"\\u" in line:
            # A host may escape half of a pair that it cut a text in: the rest of the message is good.
            return _mended(line, error)
        raise _garbage(error) from None


def _mended(line: bytes, error: ValueError) -> object:
    try:
        text = json.dumps(json.loads(line), ensure_ascii=False)
        whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return orjson.loads(whole)
    except (ValueError, RecursionError):
        raise _garbage(error) from None


def _garbage(error: ValueError) -> Malformed:
    return Malformed(PARSE_ERROR, f"The line is not JSON: {error}")
