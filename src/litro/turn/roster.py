"""The agents that can be spoken to, the providers that they speak through, and which turns still have which agent.

In development generations of agents follow each other: a turn keeps the one with which it began, and what nobody has any
more is closed. It starts no turn and knows no session.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Final

from litro.definitions import Agent
from litro.discovery.load import LoadedAgent
from litro.errors import BrokenAgent, UnknownAgent
from litro.providers import resolve
from litro.providers.base import Provider

logger: Final = logging.getLogger(__name__)


class Roster:
    """The agents that can be spoken to.

    Args:
        agents: By name.
        broken: What is told of every agent whose files are wrong, by its name.
    """

    def __init__(self, agents: Mapping[str, LoadedAgent], broken: Mapping[str, str]) -> None:
        self.agents: Mapping[str, LoadedAgent] = agents
        self._broken = broken
        self._providers: dict[Agent, Provider] = {}
        self._places: dict[object, LoadedAgent] = {}
        self._retired: Callable[[], None] = _nothing
        self._goodbyes: set[asyncio.Task[None]] = set()

    @property
    def places(self) -> int:
        """How many turns have begun, or are about to."""
        return len(self._places)

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
        broken: Mapping[str, str],
        retired: Callable[[], None],
    ) -> None:
        """Serve other agents. See `Conversations.swap`."""
        self.agents = agents
        self._broken = broken
        self._retired = retired
        self._retire()

    def in_use(self) -> list[LoadedAgent]:
        """The agents that are served, and those that turns still have."""
        return [*self.agents.values(), *self._places.values()]

    def enter(self, place: object, agent: LoadedAgent) -> None:
        """`place` has this agent from now on."""
        self._places[place] = agent

    def leave(self, place: object) -> None:
        """`place` has its agent no more. Leaving twice is leaving once."""
        agent = self._places.pop(place, None)
        if agent is not None and self.agents.get(agent.name) is not agent:
            self._retire()

    def provider(self, agent: Agent) -> Provider:
        """What the agent speaks through, the same for all its turns."""
        if agent not in self._providers:
            self._providers[agent] = resolve(agent.model)
        return self._providers[agent]

    async def close(self) -> None:
        """Close every provider's connections."""
        for provider in self._providers.values():
            await _close(provider)
        if self._goodbyes:
            await asyncio.wait(self._goodbyes)

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
