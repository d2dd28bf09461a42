"""The project's session store for a command: opened as the project configures it, and closed again.

Only agents/_config.py is imported, since it may name the store; no agent is.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

import click

from litro.cli.agents import unknown_agent
from litro.cli.main import prepare, project_option
from litro.discovery.load import load
from litro.discovery.scan import require_project, scan
from litro.errors import LitroError, ProjectError
from litro.sessions import open_store
from litro.sessions.base import SessionKey, SessionMeta, SessionStore
from litro.settings import resolve


class NoSession(LitroError):
    """The store has no such session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """Where a command finds its logs."""

    project: Path
    sessions: str | None
    """The store's URL, where an option says it."""


def where_options(function: Callable[..., None]) -> Callable[..., None]:
    """`--project DIR` and `--sessions URL`, which come as one argument, `where`."""

    @project_option
    @click.option(
        "--sessions", metavar="URL", help="Another store than the project's, such as file:DIR."
    )
    @wraps(function)
    def command(*arguments: Any, project: Path, sessions: str | None, **options: Any) -> None:
        where = Where(project=prepare(project), sessions=sessions)
        function(*arguments, where=where, **options)

    return command


@dataclass(frozen=True, slots=True, kw_only=True)
class Logs:
    """The project's logs.

    Attributes:
        store: The store that the project configures.
        agents: The agents that the project's folders hold.
    """

    store: SessionStore
    agents: tuple[str, ...]

    async def meta(self, key: SessionKey) -> SessionMeta:
        """What is known of a session.

        Raises:
            UnknownAgent: It is of an agent that does not exist and left no log.
            NoSession: There is none.
        """
        meta = await self.store.meta(key)
        if meta is not None:
            return meta
        if key.agent not in self.agents:
            raise unknown_agent(key.agent, self.agents)
        msg = (
            f"agent {key.agent!r} has no session {key.session!r}.\n"
            f"`litro sessions list {key.agent}` shows those that it has."
        )
        raise NoSession(msg)

    async def every(self, agents: Iterable[str]) -> AsyncIterator[SessionMeta]:
        """The sessions of the agents, the newest first for each. Of one that cannot be read the store tells in the log."""
        for agent in agents:
            async for meta in self.store.list(agent):
                yield meta

    async def chosen(self, agent: str | None) -> tuple[str, ...]:
        """The agents to look at: the named one, or all.

        Raises:
            UnknownAgent: The named one does not exist and left no log.
        """
        if agent is None:
            return self.agents
        if agent not in self.agents and not await self._has_any(agent):
            raise unknown_agent(agent, self.agents)
        return (agent,)

    async def _has_any(self, agent: str) -> bool:
        async for _ in self.store.list(agent):
            return True
        return False


@asynccontextmanager
async def opened(where: Where) -> AsyncGenerator[Logs]:
    """The project's logs, as its settings or the option say.

    Raises:
        ProjectError, SettingsError: They do not say it.
    """
    scanned = scan(require_project(where.project))
    loaded = load(scanned, only=())
    if scanned.config is not None and loaded.config is None:
        raise ProjectError(loaded.problems)
    flags = {"sessions": where.sessions}
    sessions = resolve(where.project, config=loaded.config, flags=flags).sessions
    store = open_store(sessions)
    try:
        yield Logs(store=store, agents=tuple(found.name for found in scanned.agents))
    finally:
        await store.close()
        loaded.unload()
