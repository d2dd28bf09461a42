"""Sessions that another process holds: what is asked of the holder through the mailbox, and what came of it.

The answer is in the log, which is the only thing that is believed. Where the holder died, or looked into the mailbox for the
last time before something was posted, the session is looked after here.
"""

import asyncio
import time
from typing import Any, Final

import orjson

from litro.errors import SessionBusy
from litro.sessions.base import SessionKey, SessionStore
from litro.turn.queue import QueuedMessage
from litro.turn.tenures import Tenures
from litro.turn.transcript import Started, Transcript

GRACE: Final = 0.5
"""Seconds in which another process may be about to give a lease back."""

LOOK: Final = 0.05
"""Seconds between two looks at what another process does."""

_MESSAGE: Final = 1.0
"""Seconds in which a holder takes a message that was posted. It is durable before."""

_WITHDRAWAL: Final = 5.0
"""Seconds in which a holder that lives withdraws a message."""


class Elsewhere:
    """What other processes hold.

    Args:
        store: Where sessions are.
        tenures: What this process holds.
        patience: Seconds that somebody waits to hear whether a message was withdrawn.
    """

    def __init__(
        self, store: SessionStore, tenures: Tenures, *, patience: float = _WITHDRAWAL
    ) -> None:
        self._store = store
        self._tenures = tenures
        self._patience = patience

    async def cancel(self, key: SessionKey, turn: int) -> None:
        """Ask the holder to cancel this turn, and no later one.

        Raises:
            StoreFailed: It cannot be asked.
        """
        await self._store.post(key, orjson.dumps({"cancel": turn}), id=f"cancel-{turn}")

    async def add(
        self, key: SessionKey, message: QueuedMessage, principal: Any
    ) -> Started | QueuedMessage | None:
        """Let a message wait; durable on return.

        Returns:
            What became of it, or None where its holder has not taken it yet.

        Raises:
            MessageReused: Its id was used for another one.
            SessionError: It cannot be posted.
        """
        item = {
            "id": message.id,
            "text": message.text,
            "mode": message.mode,
            "principal": principal,
        }
        await self._store.post(key, orjson.dumps({"message": item}), id=f"message-{message.id}")
        deadline = time.monotonic() + _MESSAGE
        while time.monotonic() < deadline:
            transcript = await self._look(key)
            known = None if transcript is None else transcript.known(message.id, message.text)
            if known is not None:
                return known
        return None

    async def withdraw(self, key: SessionKey, message: str) -> bool:
        """Ask the holder to withdraw a message. False where it started or was withdrawn before, or none of this id waits.

        Raises:
            SessionBusy: The holder has not answered, and may be dead: whether it is withdrawn, the log will tell.
            SessionError: It cannot be asked.
        """
        transcript = await self._look(key)
        if transcript is not None and message in transcript.queue.withdrawn:
            return False
        await self._store.post(key, orjson.dumps({"withdraw": message}), id=f"withdraw-{message}")
        deadline = time.monotonic() + self._patience
        while time.monotonic() < deadline:
            transcript = await self._look(key)
            if transcript is None or message in transcript.started:
                return False
            if message in transcript.queue.withdrawn:
                return True
        waits = transcript is not None and transcript.queue.get(message) is not None
        if waits or await self._store.has_mail(key):
            raise SessionBusy
        return False

    async def _look(self, key: SessionKey) -> Transcript | None:
        """The session as it is now; None where it is gone."""
        try:
            await self._tenures.look_after(key)
        except SessionBusy:
            await asyncio.sleep(LOOK)
        meta = await self._store.meta(key)
        return None if meta is None else await self._tenures.transcripts.of(meta)
