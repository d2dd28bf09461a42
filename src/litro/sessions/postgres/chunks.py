"""Chunks: pieces of a log that became durable together, and a cursor that walks over them without gaps."""

from typing import NamedTuple

from litro.errors import SessionDamaged
from litro.wire import EVENT_PREFIX, seq_of


class Place(NamedTuple):
    """A chunk's key within its session. Places order chunks."""

    seq0: int
    k: int


START = Place(0, 0)
"""Before every chunk."""


class Chunk(NamedTuple):
    """Whole lines."""

    place: Place
    n: int
    """How many events."""
    data: bytes

    @property
    def last(self) -> int:
        """The seq of the last event up to its end."""
        return self.place.seq0 + self.n - 1


def following(place: Place, n: int) -> Place:
    """The place behind a chunk of `n` events."""
    return Place(place.seq0 + n, 0) if n else Place(place.seq0, place.k + 1)


class Cursor:
    """Where a reader is.

    Args:
        start: The first seq that it wants; of 1 or less, the header as well.
        behind: The place of the last chunk that it is not to read.
    """

    def __init__(self, start: int, behind: Place) -> None:
        self.behind: Place = behind
        self._start = start if start > 1 else 0
        self._next: Place | None = None

    def take(self, chunk: Chunk, where: str) -> bytes:
        """What the reader wants of the chunk that comes next.

        Raises:
            SessionDamaged: It is not the one that comes next.
        """
        if self._next is not None and chunk.place != self._next:
            msg = f"{where}: a chunk at {tuple(chunk.place)} follows, so one at {tuple(self._next)} is required."
            raise SessionDamaged(msg)
        self.behind = chunk.place
        self._next = following(chunk.place, chunk.n)
        if chunk.place.seq0 > self._start:
            return chunk.data
        return b"" if chunk.last < self._start else chunk.data[event_at(chunk.data, self._start) :]


def event_at(data: bytes, seq: int) -> int:
    """The offset of the first event from `seq` on; the end where there is none."""
    offset = 0
    for line in data.splitlines(keepends=True):
        if line.startswith(EVENT_PREFIX) and seq_of(line) >= seq:
            break
        offset += len(line)
    return offset
