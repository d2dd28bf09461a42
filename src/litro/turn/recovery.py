"""The sweep: sessions that somebody died in, or left with something to do, are looked after.

It begins when the app starts and comes again every few seconds, in every process: whoever gets a session's lease closes
what is open there. It reads no log to find them, since the store knows its unfinished sessions, and it knows no turns:
what is done with a session is handed to it.
"""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from litro.errors import NewerFormat, SessionBusy, SessionDamaged, SessionError, TurnRefused
from litro.sessions.base import SessionKey, SessionStore
from litro.turn.closing import closing

logger: Final = logging.getLogger(__name__)

PERIOD: Final = 3.0
"""Seconds between two sweeps."""


class Recovery:
    """Looks after unfinished sessions.

    Args:
        store: Knows them.
        look_after: Does what there is to do in one of them.
    """

    def __init__(
        self, store: SessionStore, look_after: Callable[[SessionKey], Awaitable[None]]
    ) -> None:
        self._store = store
        self._look_after = look_after
        self._told: dict[SessionKey | None, str] = {}
        """What was logged of each session, and of the store."""
        self._task: asyncio.Task[None] | None = None
        self._is_over = asyncio.Event()

    def begin(self) -> None:
        """Sweep now, and again and again until `end`."""
        if self._task is None:
            self._is_over.clear()
            self._task = asyncio.create_task(self._run(), name="litro-recovery")

    async def end(self) -> None:
        """Sweep no more. A session that is just looked after is left in order."""
        self._is_over.set()
        task, self._task = self._task, None
        if task is not None:
            await asyncio.wait({task})

    async def sweep(self) -> None:
        """Look after each unfinished session once. What fails is logged, and comes again with the next sweep."""
        try:
            async with closing(self._store.unfinished()) as keys:
                async for key in keys:
                    await self._visit(key)
                    if self._is_over.is_set():
                        return
        except SessionError as error:
            self._tell(None, f"Unfinished sessions cannot be listed, which is tried again: {error}")
        else:
            self._told.pop(None, None)

    async def _run(self) -> None:
        while not self._is_over.is_set():
            try:
                await self.sweep()
            except Exception:
                # A store may be the user's own, and its sessions are to be looked after all the same.
                logger.exception("The sweep of unfinished sessions failed, and is tried again")
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._is_over.wait(), PERIOD)

    async def _visit(self, key: SessionKey) -> None:
        where = f"{key.agent}/{key.session}"
        try:
            await self._look_after(key)
        except SessionBusy:
            # Somebody else was quicker.
            return
        except (SessionDamaged, NewerFormat) as error:
            self._tell(key, f"Session {where} cannot be recovered: {error}")
        except (SessionError, TurnRefused) as error:
            self._tell(key, f"Session {where} is not recovered yet, which is tried again: {error}")
        except Exception as error:  # noqa: BLE001 - a log may hold what nobody foresaw, and others are to be recovered
            self._tell(key, f"Session {where} cannot be recovered: {error!r}", error)
        else:
            self._told.pop(key, None)

    def _tell(
        self, of: SessionKey | None, text: str, traceback: BaseException | None = None
    ) -> None:
        """Log it, unless it was the last that was logged of it."""
        if self._told.get(of) != text:
            self._told[of] = text
            logger.error("%s", text, exc_info=traceback)
