"""Conversations: who may speak in which session, which turns run, and what of a session can be heard.

It ties agents, the store and turns together for every surface: HTTP and the in-process API call it, and nothing above it
opens a session. It knows no request and no wire format.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final
from uuid import uuid4

import orjson

from litro.definitions import Agent, Principal, owner_of
from litro.discovery.load import LoadedAgent
from litro.encoding import well_formed
from litro.errors import (
    BrokenAgent,
    GoingAway,
    MessageReused,
    NotOwner,
    TooManyTurns,
    UnknownAgent,
)
from litro.providers import resolve
from litro.providers.base import Provider
from litro.sessions.base import SessionKey, SessionMeta, SessionStore, SessionWriter
from litro.turn.machine import Begun
from litro.turn.runner import Surroundings, Turn
from litro.turn.transcript import Started, Transcript
from litro.wire import public, through_turn_end

logger = logging.getLogger(__name__)

_TRANSCRIPTS: Final = 1000
"""Conversations that are kept in memory, ready for their next turn."""

_LAST_WORDS: Final = 2.0
"""Seconds for interrupted turns to be recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What a person says."""

    text: str
    id: str | None = None
    """The caller's own id, under which the message counts once."""


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
        self.agents = agents
        self._broken = broken
        self._surroundings = surroundings
        self._max_turns = max_turns
        self._providers: dict[Agent, Provider] = {}
        self._transcripts: OrderedDict[SessionKey, tuple[int, Transcript]] = OrderedDict()
        self._turns: dict[SessionKey, Turn] = {}
        self._tasks: dict[Turn, asyncio.Task[None]] = {}
        self._begun: dict[object, LoadedAgent] = {}
        self._closing = False
        self._retired: Callable[[], None] = _nothing
        self._goodbyes: set[asyncio.Task[None]] = set()

    def agent(self, name: str) -> LoadedAgent:
        """The agent of this name.

        Raises:
            UnknownAgent, BrokenAgent: There is none, or its files are wrong.
        """
        if name in self.agents:
            return self.agents[name]
        if name in self._broken:
            msg = f"Agent {name!r} could not be loaded: {self._broken[name]}"
            raise BrokenAgent(msg)
        msg = f"Unknown agent: {name!r}."
        raise UnknownAgent(msg)

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
        self.agents = agents
        self._broken = broken
        self._retired = retired
        self._retire()

    def in_use(self) -> list[LoadedAgent]:
        """The agents that are served, and those that turns still have."""
        return [*self.agents.values(), *self._begun.values()]

    async def meta(self, key: SessionKey, principal: Principal) -> SessionMeta | None:
        """What is known of the session, or None where there is none.

        Raises:
            NotOwner: It belongs to another principal.
        """
        meta = await self.store.meta(key)
        if meta is not None and meta.owner != owner_of(principal):
            msg = f"session {key.session!r} of agent {key.agent!r} belongs to somebody else."
            raise NotOwner(msg)
        return meta

    async def begin(
        self, key: SessionKey, message: Message, *, principal: Principal, request: Any = None
    ) -> Turn | Started:
        """Record the message and the start of its turn. Nothing runs before `run`.

        Returns:
            The turn, or the one that a message with the same id started before.

        Raises:
            UnknownAgent, BrokenAgent, NotOwner, MessageReused, TooManyTurns, GoingAway, SessionError: No turn
                was started, and nothing was recorded.
        """
        agent = self.agent(key.agent)
        if message.id is not None:
            meta = await self.meta(key, principal)
            before = await self._started(meta, message) if meta is not None else None
            if before is not None:
                return before
        if self._closing:
            msg = "The server is shutting down."
            raise GoingAway(msg)
        if len(self._begun) >= self._max_turns:
            msg = f"{self._max_turns} turns are running, which is the limit (max_turns)."
            raise TooManyTurns(msg)
        await self._given_back(key)
        place = object()
        self._begun[place] = agent
        try:
            writer = await self.store.open(key, owner=owner_of(principal))
            try:
                turn = await self._begin(agent, writer, message, principal, request)
            except BaseException:
                self._transcripts.pop(key, None)
                await writer.close()
                raise
            self._begun[turn] = agent
            return turn
        finally:
            self._leave_place(place)

    def run(self, turn: Turn) -> None:
        """Let a turn that `begin` answered run. Nobody has to wait for it."""
        self._turns[turn.key] = turn
        task = asyncio.create_task(turn.run(), name=f"litro-turn-{turn.key.session}")
        self._tasks[turn] = task

        def ended(_: object) -> None:
            del self._tasks[turn]
            self._leave_place(turn)
            if self._turns.get(turn.key) is turn:
                del self._turns[turn.key]
            if turn.failure is not None:
                # The transcript is ahead of what is durable.
                self._transcripts.pop(turn.key, None)

        task.add_done_callback(ended)

    async def cancel(self, key: SessionKey, *, principal: Principal) -> bool:
        """Cancel the session's running turn, in whichever process it runs. False where none does.

        Raises:
            NotOwner: The session belongs to another principal.
            StoreFailed: The store cannot be read or written.
        """
        meta = await self.meta(key, principal)
        turn = self._turns.get(key)
        if turn is not None:
            turn.stop("cancelled")
            return True
        if meta is None or meta.running is None:
            return False
        item = orjson.dumps({"cancel": meta.running})
        await self.store.post(key, item, id=f"cancel-{meta.running}")
        return True

    async def follow(
        self, key: SessionKey, start: int, *, turn: int | None
    ) -> AsyncIterator[bytes]:
        """Blocks of event lines from seq `start`, then as they become durable, to the end of `turn`.

        Without a turn in flight it ends with the last durable line. When the turn's lease is gone, so is the turn.

        Raises:
            StoreFailed, SessionDamaged: The log cannot be read, or nothing more of it becomes durable.
        """
        running = self._turns.get(key)
        lines = self._lines(key, start, live=turn is not None)
        try:
            async for block in lines:
                events = public(block)
                if turn is not None:
                    events, is_end = through_turn_end(events, turn)
                    if is_end:
                        yield events
                        return
                if events:
                    yield events
        finally:
            close = getattr(lines, "aclose", None)
            if close is not None:
                await close()
        if running is not None and running.number == turn and running.failure is not None:
            raise running.failure

    async def leave(self, grace: float) -> None:
        """Start no turn any more; give running ones `grace` seconds, then interrupt them."""
        self._closing = True
        if self._tasks:
            await asyncio.wait(self._tasks.values(), timeout=grace)
        for turn in self._turns.values():
            turn.stop("interrupted")
        if self._tasks:
            await asyncio.wait(self._tasks.values(), timeout=_LAST_WORDS)

    async def close(self) -> None:
        """Close the providers' connections, then the store."""
        for provider in self._providers.values():
            await _close(provider)
        if self._goodbyes:
            await asyncio.wait(self._goodbyes)
        await self.store.close()

    def _leave_place(self, place: object) -> None:
        agent = self._begun.pop(place)
        if self.agents.get(agent.name) is not agent:
            self._retire()

    def _retire(self) -> None:
        """Close the providers that nobody speaks through any more."""
        used = {used.agent for used in self.in_use()}
        for agent in self._providers.keys() - used:
            provider = self._providers.pop(agent)
            # Agents of two generations may have it from a module that both import.
            if not any(
                provider is known
                for other in used
                for known in (other.model, self._providers.get(other))
            ):
                task = asyncio.create_task(_close(provider))
                self._goodbyes.add(task)
                task.add_done_callback(self._goodbyes.discard)
        self._retired()

    async def _given_back(self, key: SessionKey) -> None:
        """Wait while a turn that has ended gives its lease back: whoever heard its end may speak again."""
        turn = self._turns.get(key)
        if turn is not None and turn.has_ended:
            await asyncio.wait({self._tasks[turn]})

    async def _begin(
        self,
        agent: LoadedAgent,
        writer: SessionWriter,
        message: Message,
        principal: Principal,
        request: Any,
    ) -> Turn:
        key = writer.meta.key
        transcript = await self._transcript(writer.meta)
        for event in transcript.repairs():
            transcript.feed(event, writer.append(event))
        turn = Turn(
            key=key,
            agent=agent,
            provider=self._provider(agent.agent),
            writer=writer,
            transcript=transcript,
            surroundings=self._surroundings,
            principal=principal,
            request=request,
        )
        begun = Begun(message=message.id or uuid4().hex, text=message.text, by=owner_of(principal))
        await turn.begin(begun)
        return turn

    async def _started(self, meta: SessionMeta, message: Message) -> Started | None:
        """The turn that a message with this id has started."""
        before = (await self._transcript(meta)).started.get(message.id or "")
        if before is not None and before.text != well_formed(message.text):
            msg = f"The message id {message.id!r} was used before, for another text. Use a new one for a new message."
            raise MessageReused(msg)
        return before

    async def _transcript(self, meta: SessionMeta) -> Transcript:
        """The session's transcript up to its durable tail."""
        key = meta.key
        created, transcript = self._transcripts.pop(key, (meta.created, Transcript()))
        if created != meta.created or (transcript.tail > meta.tail and key not in self._turns):
            # The session was deleted and made anew.
            transcript = Transcript()
        self._transcripts[key] = (meta.created, transcript)
        while len(self._transcripts) > _TRANSCRIPTS:
            self._transcripts.popitem(last=False)
        if transcript.tail < meta.tail:
            # From the last known event on, as a private line may follow it.
            async for block in self.store.read(key, transcript.tail):
                transcript.feed_block(block)
        return transcript

    def _lines(self, key: SessionKey, start: int, *, live: bool) -> AsyncIterator[bytes]:
        return self.store.follow(key, start) if live else self.store.read(key, start)

    def _provider(self, agent: Agent) -> Provider:
        if agent not in self._providers:
            self._providers[agent] = resolve(agent.model)
        return self._providers[agent]


async def _close(provider: Provider) -> None:
    close = getattr(provider, "aclose", None)
    if close is None:
        return
    try:
        await close()
    except Exception:
        # A provider may be the user's own, and the others are to be closed as well.
        logger.exception("The provider %r could not be closed", provider.name)


def _nothing() -> None:
    """Nobody wants to know."""
