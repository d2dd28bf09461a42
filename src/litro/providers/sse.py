r"""Server-Sent Events without IO: bytes in, events out, whatever the reads were cut into.

Source: https://html.spec.whatwg.org/multipage/server-sent-events.html, with two deliberate differences. An event
whose data is empty is not delivered, because no model server means anything by one. A last event that the stream left
unfinished is delivered by `close`, because some servers forget its blank line; whether it is whole is the
caller's to judge.

httpx2 brings a parser, which does not pass our cases: a byte order mark costs it the first event, an event without
data is delivered, the last unfinished event never is, and a `charset` in the content type changes how bytes are read.

It is not a client: it opens nothing, and does not reconnect.
"""

from typing import Final, NamedTuple

MAX_EVENT: Final = 16 * 1024 * 1024
"""Bytes of one event. A server that sends more is broken, and would fill the memory."""

_BOM: Final = b"\xef\xbb\xbf"


class SseEvent(NamedTuple):
    """One event."""

    name: str
    """Its `event` field, `message` where it has none."""
    data: str
    """Its `data` fields, joined by line feeds. Never empty."""


class SseParser:
    """Takes a stream's bytes piece by piece and answers the events that each piece completes."""

    def __init__(self, *, max_event: int = MAX_EVENT) -> None:
        self._max = max_event
        self._size = 0
        self._first = True
        self._cr = False
        self._line: list[bytes] = []
        self._name = ""
        self._data: list[bytes] = []

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """The events that end in `chunk`.

        Raises:
            ValueError: An event is larger than `max_event`.
        """
        if self._cr and chunk:
            # A CR ends its line at once, so the LF of a pair that was cut in two ends nothing more.
            self._cr = False
            chunk = chunk.removeprefix(b"\n")
        if not chunk:
            return []
        self._size += len(chunk)
        self._cr = chunk.endswith(b"\r")
        *ended, rest = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        events = self._take(ended) if ended else []
        if rest:
            self._line.append(rest)
        if self._size > self._max:
            msg = f"the stream holds an event of {self._size} bytes, so it is not read on: {self._max} is the limit."
            raise ValueError(msg)
        return events

    def close(self) -> list[SseEvent]:
        """The event that the stream's end left unfinished, where there is one."""
        return self._take([b"", b""])

    def _take(self, lines: list[bytes]) -> list[SseEvent]:
        self._line.append(lines[0])
        lines[0] = b"".join(self._line)
        self._line.clear()
        if self._first:
            self._first = False
            lines[0] = lines[0].removeprefix(_BOM)
        events: list[SseEvent] = []
        for line in lines:
            if line:
                self._field(line)
            elif (event := self._event()) is not None:
                events.append(event)
        return events

    def _field(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value)
        elif name == b"event":
            self._name = value.decode(errors="replace")

    def _event(self) -> SseEvent | None:
        name, data = self._name or "message", b"\n".join(self._data)
        self._name = ""
        self._data.clear()
        self._size = 0
        return SseEvent(name, data.decode(errors="replace")) if data else None
