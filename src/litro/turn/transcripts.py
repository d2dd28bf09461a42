"""Transcripts that are kept in memory, ready for their session's next turn. The log is what counts; these only follow it."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from litro.sessions.base import SessionKey, SessionMeta, SessionStore
from litro.turn.transcript import Transcript

_KEPT: Final = 1000


class Transcripts:
    """The transcripts of the sessions that were used last.

    Args:
        store: Where the logs are.
        is_held: Whether this process writes the session, so that its transcript may be ahead of what is durable.
    """

    def __init__(self, store: SessionStore, is_held: Callable[[SessionKey], bool]) -> None:
        self._store = store
        self._is_held = is_held
        self._kept: OrderedDict[SessionKey, tuple[int, Transcript]] = OrderedDict()

    async def of(self, meta: SessionMeta) -> Transcript:
        """The session's transcript up to its durable tail.

        Raises:
            SessionDamaged, StoreFailed: The log cannot be read.
        """
        key = meta.key
        created, transcript = self._kept.pop(key, (meta.created, Transcript()))
        if created != meta.created or (transcript.tail > meta.tail and not self._is_held(key)):
            # The session was deleted and made anew.
            transcript = Transcript()
        self._kept[key] = (meta.created, transcript)
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        if transcript.tail < meta.tail:
            # From the last known event on, as a private line may follow it.
            async for block in self._store.read(key, transcript.tail):
                transcript.feed_block(block)
        return transcript

    def forget(self, key: SessionKey) -> None:
        """The session's transcript is ahead of what is durable."""
        self._kept.pop(key, None)
