"""What becomes of a message that waits, read from the log: the events of its turn from where it started or joined.

It reads lines and waits for nothing.
"""

from typing import Final

from litro.events import Event
from litro.wire import EVENT_PREFIX, decode_event, kind_of, through_turn_end

_TELLING: Final = frozenset([b"turn-start", b"message", b"withdrawn"])


class Outcome:
    """What becomes of the message of this id."""

    def __init__(self, message: str) -> None:
        self.is_known: bool = False
        """Whether nothing more will come."""
        self._message = message
        self._turn: int | None = None

    def of(self, events: bytes) -> bytes:
        """What of the next events of the log belongs to it."""
        if self.is_known:
            return b""
        if self._turn is None:
            events = self._from_start(events)
        if self._turn is not None:
            events, self.is_known = through_turn_end(events, self._turn)
        return events

    def _from_start(self, events: bytes) -> bytes:
        """The events from where the message's turn has it on."""
        at = 0
        for line in events.splitlines(keepends=True):
            if line.startswith(EVENT_PREFIX) and kind_of(line) in _TELLING:
                event = decode_event(line)
                if event is not None and self._is_named_by(event):
                    if event.kind == "withdrawn":
                        self.is_known = True
                        return line
                    self._turn = event.turn
                    return events[at:]
            at += len(line)
        return b""

    def _is_named_by(self, event: Event) -> bool:
        payload = event.payload
        match event.kind:
            case "turn-start":
                return payload["message"] == self._message
            case "message":
                # The model's messages have ids too, and callers may choose the same.
                return payload["role"] == "user" and payload["id"] == self._message
            case _:
                return payload["id"] == self._message
