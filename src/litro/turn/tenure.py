"""A tenure: the time for which this process holds a session's lease. Its mail is taken, and turn follows turn.

Only the holder of the lease appends, so here alone is decided what waits, what starts, what joins and what was withdrawn:
each in one step of the loop, so that of two things that exclude each other one happens. Which sessions this process holds is
`litro.turn.tenures`' business, and who may speak in them `litro.turn.conversations`'.
"""

import asyncio
import logging
import time
from typing import Any, Final, cast

import orjson

from litro.definitions import Principal, owner_of
from litro.discovery.load import LoadedAgent
from litro.encoding import well_formed
from litro.errors import BrokenAgent, LeaseLost, SessionDamaged, StoreFailed, UnknownAgent
from litro.events import Event
from litro.sessions.base import SessionKey, SessionStore, SessionWriter
from litro.turn.machine import Begun
from litro.turn.queue import QueuedMessage, queued
from litro.turn.roster import Roster
from litro.turn.runner import Surroundings, Turn
from litro.turn.transcript import Transcript

logger: Final = logging.getLogger(__name__)

_LOOK: Final = 0.01
"""Seconds between two looks whether the mailbox is empty."""

_LOOKS: Final = 200


class Tenure:
    """A session that this process holds.

    Args:
        writer: The lease, which the tenure gives back.
        transcript: The session so far.
        roster: The agents.
        surroundings: What every turn shares.
    """

    def __init__(
        self,
        writer: SessionWriter,
        transcript: Transcript,
        *,
        roster: Roster,
        surroundings: Surroundings,
    ) -> None:
        self.key: SessionKey = writer.meta.key
        self.turn: Turn | None = None
        """The turn that runs, or ran last."""
        self.failure: LeaseLost | StoreFailed | None = None
        """Why nothing more could be recorded."""
        self.is_leaving = False
        """Whether no other turn may start."""
        self.since: int = time.time_ns() // 1_000_000
        """When it began, in milliseconds since the epoch."""
        self.was_left: bool = False
        """Whether somebody died in it."""
        self._is_taking = True
        self._writer = writer
        self._transcript = transcript
        self._roster = roster
        self._around = surroundings
        self._clerk: asyncio.Task[None] | None = None
        self._deciding: list[asyncio.Future[None]] = []

    @property
    def is_between(self) -> bool:
        """Whether no turn runs now, so that it will be decided at once what comes."""
        return self.turn is None or self.turn.has_ended or not self._is_taking

    @property
    def waits(self) -> bool:
        """Whether a message waits for its turn."""
        return len(self._transcript.queue) > 0

    def knows(self, message: str) -> bool:
        """Whether a message of this id has started, waits, or was withdrawn."""
        queue = self._transcript.queue
        return (
            message in self._transcript.started
            or message in queue.withdrawn
            or queue.get(message) is not None
        )

    def decision(self) -> "asyncio.Future[None]":
        """Done when the next turn runs, or the lease was given back."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._deciding.append(future)
        return future

    def decide(self) -> None:
        """Tell who waits for a decision."""
        deciding, self._deciding = self._deciding, []
        for future in deciding:
            if not future.done():
                future.set_result(None)

    # Preparing.

    def repair(self) -> None:
        """Close what a crash left open.

        Raises:
            LeaseLost, StoreFailed: Nothing can be appended.
        """
        self.was_left = self._transcript.is_open
        for event in self._transcript.repairs():
            self._append(event)

    async def collect(self, store: SessionStore) -> None:
        """Take what was posted while nobody held the session, so that it keeps its place."""
        clerk = self._clerk = self._clerk or asyncio.create_task(self._take_mail())
        for _ in range(_LOOKS):
            if clerk.done() or not await store.has_mail(self.key):
                return
            await asyncio.wait({clerk}, timeout=_LOOK)

    async def start(
        self, begun: Begun, agent: LoadedAgent, *, principal: Principal, request: Any = None
    ) -> Turn:
        """Make a turn's start durable. Nothing runs before `live`.

        Raises:
            LeaseLost, StoreFailed: It is not.
        """
        turn = Turn(
            key=self.key,
            agent=agent,
            provider=self._roster.provider(agent.agent),
            writer=self._writer,
            transcript=self._transcript,
            surroundings=self._around,
            principal=principal,
            request=request,
        )
        self._roster.enter(turn, agent)
        try:
            await turn.begin(begun)
        except BaseException:
            self._roster.leave(turn)
            raise
        self.turn = turn
        for waiting in self._transcript.queue:
            if waiting.mode == "steer":
                turn.steer(waiting.id, waiting.text)
        self.decide()
        return turn

    async def start_waiting(self) -> Turn | None:
        """Start the turn of the message that waits first. None where none waits, or none may start now.

        Raises:
            UnknownAgent, BrokenAgent: Its agent cannot be spoken to now.
            LeaseLost, StoreFailed: Its start is not durable.
        """
        waiting = next(iter(self._transcript.queue), None)
        if waiting is None or self.is_leaving or self.failure is not None:
            return None
        begun = Begun(message=waiting.id, text=waiting.text, by=waiting.by)
        principal = self._transcript.queue.principal(waiting)
        agent = self._roster.agent(self.key.agent)
        try:
            return await self.start(begun, agent, principal=principal)
        except (LeaseLost, StoreFailed) as error:
            self.failure = error
            raise

    # Living.

    async def live(self) -> None:
        """Run turn after turn until nobody waits, then give the lease back."""
        try:
            turn = self.turn
            while turn is not None:
                self._clerk = self._clerk or asyncio.create_task(self._take_mail())
                turn = await self._run(turn)
        finally:
            await self.give_back()

    async def _run(self, turn: Turn) -> Turn | None:
        """Run a turn to its end; answer the one that follows."""
        try:
            await turn.run()
            self.failure = turn.failure
            return await self._next()
        finally:
            self._roster.leave(turn)

    async def give_back(self) -> None:
        """Give the lease back. What still waits is left to whoever looks after unfinished sessions."""
        self._is_taking = False
        try:
            await self._stop_clerk()
        finally:
            await self._writer.close(unfinished=self.failure is not None or self.waits)

    async def _next(self) -> Turn | None:
        """Start the next turn, where a message waits for one."""
        if not self.waits and self.failure is None:
            self._is_taking = False
            await self._stop_clerk()
            # One may just have come.
            self._is_taking = self.waits
        try:
            return await self.start_waiting()
        except (UnknownAgent, BrokenAgent) as error:
            # The sweep tries again.
            logger.warning("What waits in session %s/%s goes on waiting: %s", *self.key, error)
        except (LeaseLost, StoreFailed) as error:
            logger.error("%s/%s cannot be recorded: %s", *self.key, error)  # noqa: TRY400
        return None

    async def _stop_clerk(self) -> None:
        if self._clerk is not None:
            self._clerk.cancel()
            await asyncio.wait({self._clerk})
            self._clerk = None

    # What waits.

    async def add(self, message: QueuedMessage, principal: Principal) -> None:
        """Let a message wait; durable on return.

        Raises:
            LeaseLost, StoreFailed: It is not.
        """
        self._add(message, principal)
        await self._writer.flush()

    async def withdraw(self, message: str) -> bool:
        """Let a message that waits never start; durable on return. False where none of this id waits.

        Raises:
            LeaseLost, StoreFailed: It is not.
        """
        is_withdrawn = self._withdraw(message)
        await self._writer.flush()
        return is_withdrawn

    async def flush(self) -> None:
        """Return when all that waits is durable.

        Raises:
            LeaseLost, StoreFailed: It never will be.
        """
        await self._writer.flush()

    def _add(self, message: QueuedMessage, principal: Principal) -> None:
        transcript, queue = self._transcript, self._transcript.queue
        if message.id in transcript.started or message.id in queue.withdrawn:
            return
        # The mailbox gives an item again where a crash parted it from what came of it: then it may wait already, and a
        # crash between its two lines may have left it without its principal.
        if queue.get(message.id) is not None and queue.knows_principal(message.id):
            return
        event, private = queued(message, principal, turn=transcript.turn)
        transcript.feed(event, self._writer.append(event, private))
        queue.remember(message.id, principal)
        if message.mode == "steer" and self.turn is not None:
            self.turn.steer(message.id, message.text)

    def _withdraw(self, message: str) -> bool:
        if self._transcript.queue.get(message) is None:
            return False
        payload = {"id": message}
        self._append(Event(kind="withdrawn", payload=payload, turn=self._transcript.turn))
        if self.turn is not None:
            self.turn.forget(message)
        return True

    def _append(self, event: Event) -> None:
        self._transcript.feed(event, self._writer.append(event))

    # Mail.

    async def _take_mail(self) -> None:
        """Take what other processes and requests post to the session."""
        try:
            async for item in self._writer.inbox():
                self._take(item)
        except (LeaseLost, StoreFailed):
            # The turn meets the same, and tells it.
            return
        except SessionDamaged as error:
            logger.error("No mail is taken in session %s/%s: %s", *self.key, error)  # noqa: TRY400

    def _take(self, item: bytes) -> None:
        match orjson.loads(item):
            case {"cancel": int(number)}:
                # A cancel names its turn: one that came too late must not stop the next.
                if self.turn is not None and self.turn.number == number:
                    self.turn.stop("cancelled")
            case {"message": {"id": str(id_), "text": str(text), "mode": mode, **rest}}:
                principal = cast("Principal", rest.get("principal"))
                message = QueuedMessage(
                    id=id_,
                    text=text,
                    mode="steer" if mode == "steer" else "queue",
                    by=owner_of(principal),
                )
                self._add(message, principal)
            case {"withdraw": str(message)}:
                self._withdraw(message)
            case {"title": str(text)}:
                payload = {"text": well_formed(text)}
                self._append(Event(kind="title", payload=payload, turn=self._transcript.turn))
            case _:
                logger.warning("Session %s/%s: unknown mail was skipped: %.80r", *self.key, item)
