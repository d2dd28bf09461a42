"""What a session's entry in a list says of its log: which turn runs, and what it is called. One rule for every store.

Pure: told event by event, in order. It stores nothing.
"""

from dataclasses import dataclass
from typing import Any, Final, cast

from litro.events import Event
from litro.sessions.base import MAX_TITLE
from litro.wire import decode_event

BETWEEN_TURNS: Final = frozenset({"title", "queued", "withdrawn"})
"""Kinds that belong to no turn's course: they tell neither that one runs nor that it ended."""
_DELTA: Final = b'"kind":"text-delta"'


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known behind some event of a log."""

    running: int = 1
    """The number of the open turn, or of the one that comes next."""
    title: str | None = None

    def after(self, event: Event) -> "Facts":
        """What is known behind one more event; the same object where it tells nothing new."""
        if event.kind == "text-delta" and event.turn == self.running:
            return self
        running, title = self.running, self.title
        if event.kind == "title":
            title = title_text(event.payload) or title
        elif event.kind not in BETWEEN_TURNS:
            running = event.turn + (event.kind == "turn-end")
            if title is None and event.kind == "message" and is_persons(event.payload):
                title = title_text(event.payload)
        if (running, title) == (self.running, self.title):
            return self
        return Facts(running, title)


def facts_of(lines: bytes) -> Facts:
    """What is known behind all the lines. Deltas are many and tell nothing but their turn, so the last one is enough."""
    known, delta = Facts(), b""
    for line in lines.splitlines():
        if _DELTA in line:
            delta = line
            continue
        event = decode_event(line)
        if event is not None:
            known = known.after(event)
            if event.kind not in BETWEEN_TURNS:
                delta = b""
    last = decode_event(delta)
    return known if last is None else known.after(last)


def is_persons(payload: Any) -> bool:
    """Whether the payload is that of a person's `message`."""
    return isinstance(payload, dict) and cast("dict[str, Any]", payload).get("role") == "user"


def title_text(payload: Any) -> str | None:
    """What a payload's text makes of a title."""
    text = cast("dict[str, Any]", payload).get("text") if isinstance(payload, dict) else None
    return text[:MAX_TITLE] if isinstance(text, str) else None
