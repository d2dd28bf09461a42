"""A turn of a session, found in its log: where it begins and what was said, and what the model had to read in each of its rounds.

It reads, and asks no model and no user's code.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final

from litro.events import Event
from litro.http.answers import Refused, failure
from litro.providers.base import Message
from litro.sessions.base import SessionKey, SessionMeta, SessionStore
from litro.sessions.refusals import unknown_session
from litro.turn.closing import closing
from litro.turn.machine import CLOSED
from litro.turn.transcript import Transcript
from litro.wire import decode_event, events_of

_ENDS: Final = frozenset({"tool-result", "ui", "tool-error"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Beginning:
    """How a turn began."""

    start: int
    """The seq of its `turn-start`."""
    text: str | None
    """What was said. None where a crash came between the turn's start and its message."""


async def known(store: SessionStore, key: SessionKey) -> SessionMeta:
    """What is known of a session, whosoever it is.

    Raises:
        UnknownSession: There is none.
        InvalidSessionId: There cannot be one.
    """
    meta = await store.meta(key)
    if meta is None:
        raise unknown_session(key)
    return meta


async def beginning_of(store: SessionStore, key: SessionKey, turn: int) -> Beginning:
    """How the session's turn of this number began.

    Raises:
        Refused: 404, there is no such turn.
        StoreFailed, SessionDamaged: The log cannot be read.
    """
    start: Event | None = None
    async with closing(_blocks_of(store, key, turn)) as blocks:
        async for block, _ in blocks:
            for event in events_of(block):
                if event.turn != turn:
                    continue
                if event.kind == "turn-start":
                    start = event
                elif start is not None and _is_said(event, start):
                    return Beginning(start=start.seq, text=event.payload["text"])
                elif start is not None and event.kind == "turn-end":
                    return Beginning(start=start.seq, text=None)
    if start is None:
        message = f"Session {key.session!r} has no turn {turn}."
        raise Refused(failure(404, "unknown-turn", message))
    return Beginning(start=start.seq, text=None)


async def messages_of(
    store: SessionStore, key: SessionKey, turn: int, provider: str
) -> dict[int, tuple[Message, ...]]:
    """What the model had to read in each round of a turn, by the round's number.

    Args:
        store: Where the log is.
        key: The session.
        turn: The turn's number.
        provider: The provider whose own state of earlier rounds is handed back to it.

    Raises:
        StoreFailed, SessionDamaged: The log cannot be read.
    """
    rounds = _Rounds(turn, provider)
    async with closing(_blocks_of(store, key, turn)) as blocks:
        async for block, is_of_turn in blocks:
            if not is_of_turn:
                rounds.transcript.feed_block(block)
                continue
            for line in block.splitlines(keepends=True):
                rounds.feed(line)
            if rounds.has_ended:
                break
    return rounds.messages


class _Rounds:
    """The transcript at each moment at which a turn's model was asked."""

    def __init__(self, turn: int, provider: str) -> None:
        self.transcript = Transcript()
        self.messages: dict[int, tuple[Message, ...]] = {}
        self.has_ended = False
        self._turn = turn
        self._provider = provider
        self._open: set[str] = set()
        """The calls of the round that have no result."""
        self._was_stopped = False

    def feed(self, line: bytes) -> None:
        if self.has_ended:
            return
        self.transcript.feed_block(line)
        event = decode_event(line)
        if event is None or event.turn != self._turn:
            return
        asked = self._asked_by(event)
        if asked is not None:
            self.messages[asked] = self.transcript.messages(self._provider)
        self.has_ended = event.kind == "turn-end"

    def _asked_by(self, event: Event) -> int | None:
        """The number of the round that is asked behind this event."""
        if event.kind == "message":
            if event.payload["role"] == "user":
                # One that joined says which round it joined.
                return event.round or 1
            self._open = set(event.payload.get("calls", ()))
        elif event.kind in _ENDS and event.call is not None:
            self._open.discard(event.call)
            # The end of a turn closes calls too, and then nobody is asked.
            closes = event.kind == "tool-error" and event.payload["type"] in CLOSED
            self._was_stopped = self._was_stopped or closes
            if not self._open and not self._was_stopped:
                return (event.round or 0) + 1
        return None


async def _blocks_of(
    store: SessionStore, key: SessionKey, turn: int
) -> AsyncIterator[tuple[bytes, bool]]:
    """The log's blocks, and whether events of the turn may be in each: most logs are other turns' deltas."""
    mark = b'"turn":%d,' % turn
    async with closing(store.read(key, 1)) as blocks:
        async for block in blocks:
            yield block, mark in block


def _is_said(event: Event, start: Event) -> bool:
    return (
        event.kind == "message"
        and event.payload["role"] == "user"
        and event.payload["id"] == start.payload["message"]
    )
