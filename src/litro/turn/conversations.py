"""Conversations: who may speak in which session, what becomes of a message, and what of a session can be heard.

It ties agents, the store and tenures together for every surface: HTTP and the in-process API call it, and nothing above it
opens a session to speak in it. It knows no request and no wire format.
"""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, get_args
from uuid import uuid4

from litro.definitions import Principal, owner_of
from litro.discovery.load import LoadedAgent
from litro.encoding import to_jsonable, well_formed
from litro.errors import (
    AgentError,
    EncodingError,
    SessionBusy,
    TooManyTurns,
    TurnRefused,
)
from litro.events import OnBusy, WaitMode
from litro.sessions.base import SessionKey, SessionMeta, SessionStore
from litro.sessions.refusals import not_owner
from litro.turn.closing import closing
from litro.turn.elsewhere import GRACE, LOOK, Elsewhere
from litro.turn.machine import Begun
from litro.turn.outcome import Outcome
from litro.turn.queue import MAX_WAITING, Queued, QueuedMessage
from litro.turn.recovery import Recovery
from litro.turn.roster import Roster
from litro.turn.runner import Surroundings, Turn
from litro.turn.tenure import Tenure
from litro.turn.tenures import Tenures
from litro.turn.transcript import Started, Transcript
from litro.wire import last_seq, public, through_turn_end

__all__ = ["Conversations", "Message", "Queued", "QueuedMessage", "Started", "Turn"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What a person says."""

    text: str
    id: str | None = None
    """The caller's own id, under which the message counts once."""
    on_busy: OnBusy | None = None
    """What becomes of it while a turn runs. None is as the agent has it."""

    def __post_init__(self) -> None:
        if self.on_busy is not None and self.on_busy not in get_args(OnBusy):
            msg = f'on_busy is {self.on_busy!r:.80}, so "reject", "queue", "steer" or None is required.'
            raise ValueError(msg)


class Conversations:
    """An app's conversations.

    Args:
        store: Where they are kept.
        agents: The agents that can be spoken to.
        broken: What is told of every agent whose files are wrong, by its name.
        surroundings: What every turn shares.
        max_turns: How many turns may run at once.
    """

    def __init__(
        self,
        store: SessionStore,
        agents: Mapping[str, LoadedAgent],
        *,
        broken: Mapping[str, str] = MappingProxyType({}),
        surroundings: Surroundings,
        max_turns: int,
    ) -> None:
        self.store = store
        self._roster = Roster(agents, broken)
        self._tenures = Tenures(store, self._roster, surroundings, max_turns=max_turns)
        self._elsewhere = Elsewhere(store, self._tenures)
        self.recovery: Recovery = Recovery(store, self._tenures.look_after)
        """The sweep, which whoever runs the app begins and ends."""

    @property
    def agents(self) -> Mapping[str, LoadedAgent]:
        """The agents that can be spoken to, by name."""
        return self._roster.agents

    @agents.setter
    def agents(self, agents: Mapping[str, LoadedAgent]) -> None:
        self._roster.agents = agents

    def agent(self, name: str) -> LoadedAgent:
        """The agent of this name.

        Raises:
            UnknownAgent, BrokenAgent: There is none, or its files are wrong.
        """
        return self._roster.agent(name)

    def swap(
        self,
        agents: Mapping[str, LoadedAgent],
        *,
        broken: Mapping[str, str],
        retired: Callable[[], None],
    ) -> None:
        """Serve other agents from the next turn on. Turns that have begun keep theirs to their end.

        Args:
            agents: The agents that can be spoken to.
            broken: What is told of every agent whose files are wrong, by its name.
            retired: Called when agents that are not served any more have had their last turn.
        """
        self._roster.swap(agents, broken, retired)

    def in_use(self) -> list[LoadedAgent]:
        """The agents that are served, and those that turns still have."""
        return self._roster.in_use()

    async def meta(self, key: SessionKey, principal: Principal) -> SessionMeta | None:
        """What is known of the session, or None where there is none.

        Raises:
            NotOwner: It belongs to another principal.
        """
        meta = await self.store.meta(key)
        if meta is not None and meta.owner != owner_of(principal):
            raise not_owner(key)
        return meta

    # Speaking.

    async def begin(
        self, key: SessionKey, message: Message, *, principal: Principal, request: Any = None
    ) -> Turn | Started | Queued:
        """Record the message, and the start of its turn or that it waits. Nothing runs before `run`.

        Returns:
            The turn; the one that a message with the same id started or joined before; or, where a turn runs and the
            message may wait, that it does.

        Raises:
            UnknownAgent, BrokenAgent, NotOwner, MessageReused, TooManyTurns, GoingAway, SessionError: No turn
                was started, and nothing was recorded.
            AgentError: The principal cannot be recorded, so the message cannot wait.
        """
        agent = self.agent(key.agent)
        said = Begun(
            message=message.id or uuid4().hex,
            text=well_formed(message.text),
            by=owner_of(principal),
        )
        on_busy = message.on_busy or agent.agent.on_busy
        deadline = time.monotonic() + GRACE
        while True:
            await self._tenures.settled(key)
            before = await self._before(key, message, principal)
            if before is not None:
                return before
            self._tenures.refuse_when_leaving()
            try:
                begun = await self._attempt(key, said, on_busy, principal, request)
            except SessionBusy:
                # Another process, whose turn was heard to end or which recovers, may be about to give the lease back.
                if key in self._tenures or time.monotonic() > deadline:
                    raise
                await asyncio.sleep(LOOK)
            else:
                if begun is not None:
                    return begun

    def run(self, turn: Turn) -> None:
        """Let a turn that `begin` answered run, and what waits then. Nobody has to wait for it."""
        tenure = self._tenures.get(turn.key)
        assert tenure is not None  # noqa: S101 - `begin` has just answered it
        self._tenures.live(tenure)

    async def cancel(self, key: SessionKey, *, principal: Principal) -> bool:
        """Cancel the session's running turn, in whichever process it runs. False where none does.

        What waits is not cancelled: it comes next, unless it is withdrawn.

        Raises:
            NotOwner: The session belongs to another principal.
            StoreFailed: The store cannot be read or written.
        """
        meta = await self.meta(key, principal)
        tenure = self._tenures.get(key)
        if tenure is not None:
            if tenure.turn is None or tenure.turn.has_ended:
                return False
            tenure.turn.stop("cancelled")
            return True
        if meta is None or meta.running is None:
            return False
        # The lease may be held between two turns: a cancel of the one that is to come would meet a message of tomorrow.
        transcript = await self._tenures.transcripts.of(meta)
        if not transcript.is_open:
            return False
        await self._elsewhere.cancel(key, transcript.turn)
        return True

    # Waiting.

    async def queue(self, key: SessionKey, *, principal: Principal) -> tuple[QueuedMessage, ...]:
        """The messages that wait in the session, in the order in which they will start.

        Raises:
            NotOwner, SessionError: It belongs to somebody else, or cannot be read.
        """
        meta = await self.meta(key, principal)
        if meta is None:
            return ()
        tenure = self._tenures.get(key)
        if tenure is not None:
            await tenure.flush()
        return tuple((await self._tenures.transcripts.of(meta)).queue)

    async def withdraw(self, key: SessionKey, message: str, *, principal: Principal) -> bool:
        """Withdraw a message that waits, so that it never starts.

        Returns:
            Whether it was withdrawn now: False where it has started, or none of this id waits.

        Raises:
            NotOwner, SessionError: The session belongs to somebody else, or cannot be written.
        """
        meta = await self.meta(key, principal)
        if meta is None:
            return False
        await self._tenures.settled(key)
        tenure = self._tenures.get(key)
        if tenure is not None:
            return await tenure.withdraw(message)
        try:
            tenure = await self._tenures.take_over(key, meta.owner)
        except SessionBusy:
            return await self._elsewhere.withdraw(key, message)
        try:
            return await tenure.withdraw(message)
        finally:
            with contextlib.suppress(TurnRefused):
                # What waits beside it goes on waiting where its agent is gone.
                await self._tenures.go_on(tenure)

    # Hearing.

    async def follow(
        self, key: SessionKey, start: int, *, turn: int | None
    ) -> AsyncIterator[bytes]:
        """Blocks of event lines from seq `start`, then as they become durable, to the end of `turn`.

        Without a turn in flight it ends with the last durable line. When the turn's lease is gone, so is the turn.

        Raises:
            StoreFailed, SessionDamaged: The log cannot be read, or nothing more of it becomes durable.
        """
        tenure = self._tenures.get(key)
        running = None if tenure is None else tenure.turn
        lines = self._lines(key, start, live=turn is not None)
        async with closing(lines):
            async for block in lines:
                events = public(block)
                if turn is not None:
                    events, is_end = through_turn_end(events, turn)
                    if is_end:
                        yield events
                        return
                if events:
                    yield events
        if running is not None and running.number == turn and running.failure is not None:
            raise running.failure

    async def hear(self, key: SessionKey, queued: Queued) -> AsyncIterator[bytes]:
        """Wait for a message that waits: the events of its turn from where it started or joined, or `withdrawn` alone.

        It outlasts a crash, if this process or another recovers the session. Without an end where the app is left, or
        the session was deleted.

        Raises:
            StoreFailed, SessionDamaged: The log cannot be read.
        """
        outcome, start = Outcome(queued.id), queued.start
        while not self._tenures.is_leaving:
            lines = self._lines(key, start, live=True)
            async with closing(lines):
                async for block in lines:
                    start = (last_seq(block) or start - 1) + 1
                    events = outcome.of(public(block))
                    if events:
                        yield events
                    if outcome.is_known:
                        return
            if await self.store.meta(key) is None:
                return
            await asyncio.sleep(LOOK)

    # The app's life.

    async def recover(self) -> None:
        """Look after every session that somebody died in, or left with something to do."""
        await self.recovery.sweep()

    async def leave(self, grace: float) -> None:
        """Start no turn any more; give running ones `grace` seconds, then interrupt them. What waits goes on waiting."""
        self._tenures.is_leaving = True
        await self.recovery.end()
        await self._tenures.leave(grace)

    async def close(self) -> None:
        """Close the providers' connections, then the store."""
        await self.recovery.end()
        await self._roster.close()
        await self.store.close()

    # What becomes of a message.

    async def _attempt(
        self,
        key: SessionKey,
        said: Begun,
        on_busy: OnBusy,
        principal: Principal,
        request: Any,
    ) -> Turn | Started | Queued | None:
        """What becomes of a message now, or None where that has to be asked again.

        Raises:
            SessionBusy: The session is held, and the message may not wait.
        """
        tenure = self._tenures.get(key)
        if tenure is not None:
            return await self._wait_here(tenure, said, on_busy, principal)
        try:
            return await self._start(key, said, principal, request)
        except SessionBusy:
            if on_busy == "reject" or key in self._tenures:
                raise
            return await self._wait_elsewhere(key, _waiting(said, on_busy), principal)

    async def _start(
        self, key: SessionKey, said: Begun, principal: Principal, request: Any
    ) -> Turn | None:
        """Start a turn in a session that nobody holds. None where others that waited there come first."""
        self._tenures.refuse_when_full()
        place, agent = object(), self.agent(key.agent)
        self._roster.enter(place, agent)
        try:
            tenure = await self._tenures.open(key, said.by)
            if tenure.knows(said.message):
                # Sent twice at once: the other one was faster.
                await self._tenures.drop(tenure)
                return None
            if tenure.waits:
                self._roster.leave(place)
                await self._tenures.go_on(tenure)
                self._tenures.refuse_when_leaving()
                return None
            try:
                return await tenure.start(said, agent, principal=principal, request=request)
            except BaseException:
                await self._tenures.drop(tenure)
                raise
        finally:
            self._roster.leave(place)

    async def _before(
        self, key: SessionKey, message: Message, principal: Principal
    ) -> Started | Queued | None:
        """What became of a message with this id.

        Raises:
            MessageReused: It had another text, or was withdrawn.
        """
        meta = None if message.id is None else await self.meta(key, principal)
        if message.id is None or meta is None:
            return None
        transcript = await self._tenures.transcripts.of(meta)
        known = transcript.known(message.id, message.text)
        return _queued(known, meta, transcript) if isinstance(known, QueuedMessage) else known

    async def _wait_here(
        self, tenure: Tenure, said: Begun, on_busy: OnBusy, principal: Principal
    ) -> Queued | None:
        """Let a message wait in a session that this process holds. None where no turn runs there any more.

        Raises:
            SessionBusy: It may not wait.
        """
        meta = await self.meta(tenure.key, principal)
        if meta is None or tenure.turn is None or tenure.is_between:
            return None
        if on_busy == "reject":
            raise SessionBusy(tenure.turn.number, tenure.since)
        transcript = await self._tenures.transcripts.of(meta)
        _refuse_to_wait(transcript, tenure.key)
        if tenure.is_between or tenure.knows(said.message):
            return None
        message = _waiting(said, on_busy)
        queued = _queued(message, meta, transcript)
        await tenure.add(message, _recordable(principal))
        return queued

    async def _wait_elsewhere(
        self, key: SessionKey, message: QueuedMessage, principal: Principal
    ) -> Started | Queued | None:
        """Let a message wait in a session that another process holds. None where it is just being created."""
        meta = await self.meta(key, principal)
        if meta is None:
            await asyncio.sleep(LOOK)
            return None
        transcript = await self._tenures.transcripts.of(meta)
        _refuse_to_wait(transcript, key)
        queued = _queued(message, meta, transcript)
        known = await self._elsewhere.add(key, message, _recordable(principal))
        return known if isinstance(known, Started) else queued

    def _lines(self, key: SessionKey, start: int, *, live: bool) -> AsyncIterator[bytes]:
        return self.store.follow(key, start) if live else self.store.read(key, start)


def _waiting(said: Begun, on_busy: OnBusy) -> QueuedMessage:
    mode: WaitMode = "steer" if on_busy == "steer" else "queue"
    return QueuedMessage(id=said.message, text=said.text, mode=mode, by=said.by)


def _queued(message: QueuedMessage, meta: SessionMeta, transcript: Transcript) -> Queued:
    turn = transcript.turn if meta.running is None else meta.running
    return Queued(id=message.id, mode=message.mode, turn=turn, start=transcript.tail + 1)


def _refuse_to_wait(transcript: Transcript, key: SessionKey) -> None:
    if len(transcript.queue) >= MAX_WAITING:
        msg = (
            f"{len(transcript.queue)} messages wait in session {key.session!r}, which is the limit. "
            "Send it again when some have been answered, or withdraw one that waits."
        )
        raise TooManyTurns(msg)


def _recordable(principal: Principal) -> Any:
    """The principal as the log keeps it for a message that waits.

    Raises:
        AgentError: It cannot be kept.
    """
    try:
        return to_jsonable(principal)
    except EncodingError as error:
        msg = (
            f"access: the principal {owner_of(principal)!r} cannot be recorded ({error}), so a message cannot wait for "
            "its turn. Let access return JSON values."
        )
        raise AgentError(msg) from error
