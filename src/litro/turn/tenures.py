"""The sessions that this process holds: how a tenure begins, goes on, and is over.

At most `max_turns` of them have a turn. It knows no message and nobody who may speak: `litro.turn.conversations` does.
"""

import asyncio
import logging
import time
from typing import Final

from litro.errors import GoingAway, LitroError, SessionBusy, TooManyTurns
from litro.sessions.base import SessionKey, SessionStore
from litro.turn.roster import Roster
from litro.turn.runner import Surroundings
from litro.turn.tenure import Tenure
from litro.turn.transcripts import Transcripts

logger: Final = logging.getLogger(__name__)

_LAST_WORDS: Final = 2.0
"""Seconds for interrupted turns to be recorded."""

_PATIENCE: Final = 5.0
"""Seconds that somebody waits while a session is recovered."""


class Tenures:
    """The sessions that this process holds.

    Args:
        store: Where sessions are.
        roster: The agents.
        surroundings: What every turn shares.
        max_turns: How many turns may run at once.
    """

    def __init__(
        self, store: SessionStore, roster: Roster, surroundings: Surroundings, *, max_turns: int
    ) -> None:
        self.transcripts: Transcripts = Transcripts(store, self.__contains__)
        self.is_leaving: bool = False
        """Whether no turn starts any more."""
        self._store = store
        self._roster = roster
        self._surroundings = surroundings
        self._max_turns = max_turns
        self._held: dict[SessionKey, Tenure] = {}
        self._tasks: dict[Tenure, asyncio.Task[None]] = {}
        self._opening: dict[SessionKey, asyncio.Future[None]] = {}

    def __contains__(self, key: SessionKey) -> bool:
        return key in self._held

    def get(self, key: SessionKey) -> Tenure | None:
        """The session's tenure, where this process has it."""
        return self._held.get(key)

    def refuse_when_full(self) -> None:
        """Refuse another turn where as many run as may.

        Raises:
            TooManyTurns: They do.
        """
        if self._roster.places >= self._max_turns:
            msg = f"{self._max_turns} turns are running, which is the limit (max_turns)."
            raise TooManyTurns(msg)

    def refuse_when_leaving(self) -> None:
        """Refuse another turn where the app is going away.

        Raises:
            GoingAway: It is.
        """
        if self.is_leaving:
            msg = "The server is shutting down."
            raise GoingAway(msg)

    async def settled(self, key: SessionKey) -> None:
        """Wait while it is about to be decided whether a turn runs in the session.

        Whoever heard a turn's end may speak again, and who speaks while the session is recovered is not refused.

        Raises:
            SessionBusy: It took too long.
        """
        deadline = time.monotonic() + _PATIENCE
        while True:
            tenure = self._held.get(key)
            waited = self._opening.get(key)
            if waited is None and tenure is not None and tenure.is_between:
                waited = tenure.decision()
            if waited is None:
                return
            await asyncio.wait({waited}, timeout=max(0.0, deadline - time.monotonic()))
            if not waited.done():
                raise SessionBusy

    async def open(self, key: SessionKey, owner: str | None) -> Tenure:
        """Hold the session. What a crash left open in it is closed, and its mail taken then.

        Raises:
            SessionError: It cannot be held.
        """
        writer = await self._store.open(key, owner=owner)
        try:
            tenure = Tenure(
                writer,
                await self.transcripts.of(writer.meta),
                roster=self._roster,
                surroundings=self._surroundings,
            )
            tenure.is_leaving = self.is_leaving
            tenure.repair()
        except BaseException:
            self.transcripts.forget(key)
            await writer.close(unfinished=True)
            raise
        self._held[key] = tenure
        if tenure.was_left or tenure.waits:
            await self._collect(tenure)
        return tenure

    async def take_over(self, key: SessionKey, owner: str | None) -> Tenure:
        """Hold a session that somebody left, without anything to say there. Who speaks meanwhile waits.

        Raises:
            SessionError: It cannot be held.
        """
        if key in self._opening:
            # Two found it at once, and the other one is about to know whether it can be had.
            raise SessionBusy
        opened = self._opening[key] = asyncio.get_running_loop().create_future()
        try:
            tenure = await self.open(key, owner)
        finally:
            del self._opening[key]
            opened.set_result(None)
        await self._collect(tenure)
        return tenure

    async def look_after(self, key: SessionKey) -> None:
        """Close what was left open in the session, and run what waits.

        Raises:
            SessionError, UnknownAgent, BrokenAgent: It cannot be held, or what waits cannot start now.
        """
        if self.is_leaving or key in self._held or key in self._opening:
            return
        meta = await self._store.meta(key)
        if meta is not None:
            await self.go_on(await self.take_over(key, meta.owner))

    async def go_on(self, tenure: Tenure) -> None:
        """Let the turns of what waits run, or give the lease back.

        Raises:
            UnknownAgent, BrokenAgent: What waits has no agent now. The lease was given back.
            LeaseLost, StoreFailed: The next turn cannot be recorded. The lease was given back.
        """
        tenure.is_leaving = self.is_leaving
        try:
            if self._roster.places < self._max_turns:
                await tenure.start_waiting()
        finally:
            task = self.live(tenure)
            if tenure.turn is None:
                await asyncio.wait({task})

    def live(self, tenure: Tenure) -> "asyncio.Task[None]":
        """Let its turns run. Nobody has to wait for it."""
        name = f"litro-session-{tenure.key.session}"
        task = self._tasks[tenure] = asyncio.create_task(self._lived(tenure), name=name)
        task.add_done_callback(lambda _: self._tasks.pop(tenure))
        return task

    async def drop(self, tenure: Tenure) -> None:
        """Give back what no turn was started in."""
        self.transcripts.forget(tenure.key)
        try:
            await tenure.give_back()
        finally:
            del self._held[tenure.key]
            tenure.decide()

    async def leave(self, grace: float) -> None:
        """Start no turn any more; give running ones `grace` seconds, then interrupt them. What waits goes on waiting."""
        self.is_leaving = True
        for tenure in self._held.values():
            tenure.is_leaving = True
        if self._tasks:
            await asyncio.wait(self._tasks.values(), timeout=grace)
        for tenure in self._held.values():
            if tenure.turn is not None:
                tenure.turn.stop("interrupted")
        if self._tasks:
            await asyncio.wait(self._tasks.values(), timeout=_LAST_WORDS)

    async def _collect(self, tenure: Tenure) -> None:
        try:
            await tenure.collect(self._store)
        except BaseException:
            await self.drop(tenure)
            raise

    async def _lived(self, tenure: Tenure) -> None:
        key = tenure.key
        try:
            await tenure.live()
        finally:
            del self._held[key]
            if tenure.failure is not None:
                # The transcript is ahead of what is durable.
                self.transcripts.forget(key)
            tenure.decide()
        if self.is_leaving or tenure.failure is not None:
            return
        try:
            # Whoever found the session busy has posted, and counts on its holder.
            if await self._store.has_mail(key):
                await self.look_after(key)
        except LitroError as error:
            logger.info("Session %s/%s is left to the sweep: %s", *key, error)
