"""What of a log's blocks is sent: without the text deltas that their message repeats, and not more than was asked for.

It reads ahead one round at a time. What a round says twice is known from the bytes of its lines: only messages are parsed.
"""

from collections.abc import AsyncIterator
from typing import Final

from litro.turn.closing import closing
from litro.wire import decode_event, kind_of, last_seq

_KIND: Final = b'"kind":'
_TURN: Final = b'"turn":'
_DELTA: Final = b"text-delta"
"""The one kind that a message repeats: reasoning is in no other event."""


class Sieve:
    """Takes the text deltas of rounds that have their `message` out of a replay; what comes live passes.

    Args:
        tail: The last seq of the replay. What is behind it is live.
    """

    def __init__(self, tail: int) -> None:
        self._tail = tail
        self._is_live = tail < 1
        self._round = b""
        """The turn and round whose deltas are held, as its lines spell them."""
        self._held: list[tuple[bytes, bool]] = []
        """Lines that wait for the round's message, and whether each is a delta."""

    def feed(self, block: bytes) -> bytes:
        """What can be sent, now that this block of events is known."""
        if self._is_live:
            return block
        out: list[bytes] = []
        for line in block.splitlines(keepends=True):
            self._take(line, out)
        if (last_seq(block) or 0) >= self._tail:
            self._is_live = True
            self._release(out, deltas=True)
        return b"".join(out)

    def end(self) -> bytes:
        """What was held when the log ended."""
        out: list[bytes] = []
        self._release(out, deltas=True)
        return b"".join(out)

    def _take(self, line: bytes, out: list[bytes]) -> None:
        kind = kind_of(line)
        # Numbers only stand before the kind, so that these are the turn's and the round's.
        place = line[line.index(_TURN) : line.index(_KIND)]
        if kind == _DELTA:
            if place != self._round:
                self._release(out, deltas=True)
                self._round = place
            self._held.append((line, True))
        elif not self._held:
            out.append(line)
        elif kind == b"message" and place == self._round and _is_of_the_model(line):
            self._release(out, deltas=False)
            out.append(line)
        elif kind == b"turn-end":
            # The round was cut off: its deltas are all that there is of it.
            self._release(out, deltas=True)
            out.append(line)
        else:
            self._held.append((line, False))

    def _release(self, out: list[bytes], *, deltas: bool) -> None:
        out += [line for line, is_delta in self._held if deltas or not is_delta]
        self._held.clear()


async def without_deltas(blocks: AsyncIterator[bytes], tail: int) -> AsyncIterator[bytes]:
    """The blocks of events without the text deltas of rounds that have their message by seq `tail`."""
    sieve = Sieve(tail)
    async with closing(blocks):
        async for block in blocks:
            if events := sieve.feed(block):
                yield events
    if events := sieve.end():
        yield events


async def at_most(blocks: AsyncIterator[bytes], limit: int) -> AsyncIterator[bytes]:
    """The first `limit` of the blocks' events."""
    left = limit
    async with closing(blocks):
        async for block in blocks:
            lines = block.splitlines(keepends=True)
            if len(lines) >= left:
                yield b"".join(lines[:left])
                return
            left -= len(lines)
            yield block


def _is_of_the_model(line: bytes) -> bool:
    event = decode_event(line)
    return event is not None and event.payload["role"] == "assistant"
