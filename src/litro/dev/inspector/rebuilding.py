"""What a turn's model was asked, for the page: as it was recorded, or else made anew of the log.

What is made anew has today's instructions and tools, and today's `history`: the log keeps neither. It says so.
"""

import asyncio
from dataclasses import dataclass, field
from typing import Final

from litro.definitions import TurnContext
from litro.dev.inspector.recorder import Recorder
from litro.dev.inspector.rounds import encode_round
from litro.dev.inspector.turns import beginning_of, known, messages_of
from litro.discovery.load import LoadedAgent
from litro.encoding import well_formed
from litro.errors import BrokenAgent, EncodingError, UnknownAgent
from litro.providers import resolve
from litro.providers.base import Message, ModelRequest, Provider
from litro.sessions.base import SessionKey, SessionMeta
from litro.turn.conversations import Conversations
from litro.turn.runner import (
    Surroundings,
    history_of,
    instructions_of,
    specs_of,
    tools_for_models,
)

_PATIENCE: Final = 5.0
"""Seconds for an agent's own instructions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Requests:
    """What the model saw in a turn."""

    rounds: dict[int, bytes]
    """Each round as JSON, by its number, in order."""
    notes: list[str]
    """What could not be made anew as it was, in sentences."""


@dataclass(slots=True)
class _Today:
    """An agent as it is now, as far as it can be asked."""

    agent: LoadedAgent | None = None
    provider: Provider | None = None
    system: str = ""
    notes: list[str] = field(default_factory=list[str])

    def request(self, messages: tuple[Message, ...]) -> ModelRequest:
        agent = self.agent
        if agent is None:
            return ModelRequest(system="", messages=messages)
        try:
            messages = history_of(agent, messages)
        except Exception as error:  # noqa: BLE001 - the agent's own function
            self.note(f"history failed, so the messages are shown uncut. {_told(error)}")
        tools = specs_of(tools_for_models(agent))
        return ModelRequest(system=self.system, messages=messages, tools=tools)

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


class Rebuilding:
    """Answers what models were asked.

    Args:
        conversations: Whose sessions they were.
        surroundings: What every turn shares.
        recorder: What was recorded.
    """

    def __init__(
        self, conversations: Conversations, surroundings: Surroundings, recorder: Recorder
    ) -> None:
        self._conversations = conversations
        self._around = surroundings
        self._recorder = recorder

    async def requests(self, key: SessionKey, turn: int) -> Requests:
        """What the model was asked in each round of a turn.

        Raises:
            UnknownSession: There is no such session.
            Refused: 404, it has no such turn.
            StoreFailed, SessionDamaged: The log cannot be read.
        """
        store = self._conversations.store
        session = await known(store, key)
        await beginning_of(store, key, turn)
        recorded = self._recorder.rounds(session, turn)
        provider = self._provider(key.agent)
        said = await messages_of(store, key, turn, "" if provider is None else provider.name)
        missing = said.keys() - recorded.keys()
        if not missing:
            return Requests(rounds=dict(sorted(recorded.items())), notes=[])
        today = await self._today(session, provider)
        rounds = dict(recorded)
        for number in missing:
            try:
                rounds[number] = encode_round(
                    number, today.request(said[number]), today.provider, source="rebuilt"
                )
            except EncodingError as error:
                today.note(f"Round {number} has no JSON: {error}")
        return Requests(rounds=dict(sorted(rounds.items())), notes=today.notes)

    def _provider(self, agent: str) -> Provider | None:
        try:
            return resolve(self._conversations.agent(agent).agent.model)
        except (UnknownAgent, BrokenAgent):
            return None

    async def _today(self, session: SessionMeta, provider: Provider | None) -> _Today:
        try:
            agent = self._conversations.agent(session.key.agent)
        except (UnknownAgent, BrokenAgent) as error:
            return _Today(notes=[f"Instructions and tools are not known. {error}"])
        today = _Today(agent=agent, provider=provider)
        context = TurnContext(
            agent=session.key.agent,
            session=session.key.session,
            # More of whoever asked is not kept.
            principal=session.owner,
            state=self._around.state,
        )
        try:
            async with asyncio.timeout(_PATIENCE):
                today.system = well_formed(str(await instructions_of(agent, context)))
        except TimeoutError:
            today.note(f"instructions took longer than {_PATIENCE:g} s, so none are shown.")
        except Exception as error:  # noqa: BLE001 - the agent's own function
            today.note(f"instructions failed, so none are shown. {_told(error)}")
        return today


def _told(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
