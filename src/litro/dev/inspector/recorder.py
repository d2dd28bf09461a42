"""What models were asked since the process began: the last requests, in memory, as they were when they were sent.

It is not the log: a restart forgets it, and what is older than its bounds is forgotten too.
"""

import time
from collections import OrderedDict
from typing import Final

from litro.dev.inspector.rounds import encode_round
from litro.errors import EncodingError
from litro.sessions.base import SessionMeta
from litro.turn.runner import Asked

MAX_REQUESTS: Final = 200
MAX_BYTES: Final = 16 * 1024 * 1024

# A deleted session's namesake was created at another moment.
_Of = tuple[str, str, int, int, int]


class Recorder:
    """The last requests.

    Args:
        most: How many are kept.
        most_bytes: How many bytes of JSON they may have together.
    """

    def __init__(self, *, most: int = MAX_REQUESTS, most_bytes: int = MAX_BYTES) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._kept: OrderedDict[_Of, bytes] = OrderedDict()
        self._bytes = 0

    def record(self, asked: Asked) -> None:
        """Keep what a model is about to be asked. It is encoded now: what a provider does to it later is not what was sent."""
        try:
            line = encode_round(
                asked.round,
                asked.request,
                asked.provider,
                source="recorded",
                at=time.time_ns() // 1_000_000,
            )
        except EncodingError:
            # It cannot be sent either, which the turn is told.
            return
        if len(line) > self._most_bytes:
            return
        self._kept[_of(asked.session, asked.turn, asked.round)] = line
        self._bytes += len(line)
        while len(self._kept) > self._most or self._bytes > self._most_bytes:
            _, forgotten = self._kept.popitem(last=False)
            self._bytes -= len(forgotten)

    def rounds(self, session: SessionMeta, turn: int) -> dict[int, bytes]:
        """The rounds of a turn that are kept, by their numbers."""
        wanted = _of(session, turn, 0)[:-1]
        return {of[-1]: line for of, line in self._kept.items() if of[:-1] == wanted}


def _of(session: SessionMeta, turn: int, number: int) -> _Of:
    return (session.key.agent, session.key.session, session.created, turn, number)
