"""The generations of a project's agents: which agent of which generation is served, and when a generation may be forgotten.

An agent that is broken in the newest generation keeps the last one in which it was good. It watches nothing and loads
nothing: it is handed what was loaded.
"""

import inspect
from collections.abc import Collection, Mapping
from pathlib import Path

from starlette.requests import Request

from litro.definitions import Access, Principal
from litro.discovery.load import Loaded, LoadedAgent
from litro.discovery.scan import Scan
from litro.errors import Problem


class Generations:
    """The living generations of one project.

    Args:
        scanned: What the first was loaded from.
        loaded: The first. Its configuration is good.
        is_lasting: Whether something of the first is used as long as the app runs.

    Attributes:
        agents: What is served, by name.
        broken: The problems of every agent that has never been good, by its name.
        problems: Everything that is wrong with the newest generation.
    """

    def __init__(self, scanned: Scan, loaded: Loaded, *, is_lasting: bool) -> None:
        self.agents: Mapping[str, LoadedAgent] = loaded.agents
        self.broken: dict[str, tuple[Problem, ...]] = _broken(scanned, loaded, loaded.agents)
        self.problems: tuple[Problem, ...] = loaded.problems
        self._alive = [loaded]
        self._lasting = loaded if is_lasting else None
        self._configured = loaded

    @property
    def access(self) -> Access | None:
        """The guard of agents that have none of their own: the newest good configuration's."""
        return None if self._configured.config is None else self._configured.config.access

    async def guard(self, request: Request) -> Principal:
        """Ask the guard that counts now: an edit to it must count from the next request on."""
        if self.access is None:
            return None
        answer = self.access(request)
        return await answer if inspect.isawaitable(answer) else answer

    def take(self, scanned: Scan, loaded: Loaded) -> None:
        """Serve a new generation: its good agents, and the last good ones of those that are broken in it."""
        concerned = _concerned(scanned, loaded)
        kept = {
            name: agent
            for name, agent in self.agents.items()
            if concerned is None or name in concerned
        }
        self.agents = dict(sorted({**kept, **loaded.agents}.items()))
        self.broken = _broken(scanned, loaded, self.agents)
        self.problems = loaded.problems
        self._alive.append(loaded)
        if loaded.config is not None:
            self._configured = loaded

    def forget(self, in_use: Collection[LoadedAgent]) -> None:
        """Unload the generations of which nothing is used any more."""
        used = {id(agent) for agent in in_use}
        for loaded in list(self._alive):
            configures = loaded is self._configured and loaded.config is not None
            if (
                loaded is not self._lasting
                and not configures
                and not any(id(agent) in used for agent in loaded.agents.values())
            ):
                loaded.unload()
                self._alive.remove(loaded)

    def unload(self) -> None:
        """Unload all of them."""
        for loaded in self._alive:
            loaded.unload()
        self._alive.clear()


def _concerned(scanned: Scan, loaded: Loaded) -> set[str] | None:
    """The names of agents that are there, good or bad. None where that cannot be known."""
    agents = scanned.project / "agents"
    names = {files.name for files in scanned.agents}
    for problem in loaded.problems:
        if problem.path == agents:
            return None
        if problem.path.is_relative_to(agents):
            names.add(problem.path.relative_to(agents).parts[0])
    return names


def _broken(
    scanned: Scan, loaded: Loaded, served: Mapping[str, LoadedAgent]
) -> dict[str, tuple[Problem, ...]]:
    return {
        files.name: _problems_of(files.folder, loaded.problems)
        for files in scanned.agents
        if files.name not in served
    }


def _problems_of(folder: Path, problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    # What is wrong with a shared file stands in none of the agents' folders.
    own = tuple(problem for problem in problems if problem.path.is_relative_to(folder))
    return own or problems
