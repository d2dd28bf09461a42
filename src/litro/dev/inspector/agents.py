"""The project's agents as the inspector shows them, the broken ones too: what each is, and what is wrong with it.

Of a provider only its name and its model's are told.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from litro.components.scan import scan as scan_components
from litro.definitions import Tool
from litro.dev.generations import Generations
from litro.dev.inspector.masking import masked_source
from litro.dev.inspector.rounds import model_of
from litro.dev.trouble import of_problem
from litro.discovery.load import Loaded, LoadedAgent
from litro.errors import Problem
from litro.providers import parse_model


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is known of a project while it runs.

    Attributes:
        project: Its folder.
        generations: Which agents are served.
        newest: Answers what was loaded last.
        of_components: Answers what is wrong with the components.
        has_mcp: Whether agents are MCP servers too.
    """

    project: Path
    generations: Generations
    newest: Callable[[], Loaded]
    of_components: Callable[[], Sequence[Problem]]
    has_mcp: bool

    def names(self) -> list[str]:
        """The names of all agents, good and broken."""
        return sorted({*self.generations.agents, *self.generations.broken})

    def told(self) -> dict[str, Any]:
        """Everything, as JSON."""
        names = self.names()
        folders = [self.project / "agents" / name for name in names]
        others = [
            problem
            for problem in self.generations.problems
            if not any(problem.path.is_relative_to(folder) for folder in folders)
        ]
        return {
            "project": self.project.name,
            "agents": [self._agent(name) for name in names],
            "components": {
                "names": [file.name for file in scan_components(self.project)],
                "problems": self._problems(self.of_components()),
            },
            "problems": self._problems(others),
        }

    def _agent(self, name: str) -> dict[str, Any]:
        loaded = self.generations.agents.get(name)
        if loaded is None:
            problems = self._problems(self.generations.broken[name])
            return {"name": name, "status": "broken", "problems": problems, **_NOTHING}
        newest = self.newest()
        is_stale = name not in newest.agents
        problems = [
            problem
            for problem in newest.problems
            if is_stale and problem.path.is_relative_to(loaded.folder)
        ]
        if is_stale and not problems:
            # What is wrong with a shared file stands in none of the agents' folders.
            problems = list(newest.problems)
        return {
            "name": name,
            "status": "stale" if is_stale else "ok",
            "problems": self._problems(problems),
            "model": _model(loaded),
            "instructions": _instructions(loaded),
            "guard": self._guard(loaded),
            "mcp": f"/__litro/mcp/{name}" if self.has_mcp else None,
            "settings": _settings(loaded),
            "tools": list(self._tools(loaded)),
        }

    def _guard(self, loaded: LoadedAgent) -> str | None:
        guard = loaded.agent.access or self.generations.access
        return None if guard is None else _called(guard)

    def _tools(self, loaded: LoadedAgent) -> Iterator[dict[str, Any]]:
        for name, tool in loaded.tools.items():
            file = loaded.folder / "tools" / f"{name}.py"
            yield {**_tool(name, tool), "place": f"{self._shown(file)}:{tool.line}"}

    def _problems(self, problems: Sequence[Problem]) -> list[dict[str, str]]:
        troubles = [of_problem(problem, self.project, traced=True) for problem in problems]
        return [
            {
                "place": one.place,
                "text": masked_source(one.text),
                "detail": masked_source(one.detail),
            }
            for one in troubles
        ]

    def _shown(self, path: Path) -> Path:
        return path.relative_to(self.project) if path.is_relative_to(self.project) else path


_NOTHING: dict[str, Any] = {
    "model": None,
    "instructions": None,
    "guard": None,
    "mcp": None,
    "settings": None,
    "tools": [],
}


def _model(loaded: LoadedAgent) -> dict[str, str | None]:
    model = loaded.agent.model
    if isinstance(model, str):
        # Not resolved: that would load an HTTP client.
        return {"provider": model.partition(":")[0], "name": parse_model(model)[1]}
    return model_of(model)


def _instructions(loaded: LoadedAgent) -> dict[str, str]:
    if isinstance(loaded.instructions, str):
        return {"kind": "text", "text": loaded.instructions}
    return {"kind": "callable", "name": _called(loaded.instructions)}


def _settings(loaded: LoadedAgent) -> dict[str, Any]:
    agent = loaded.agent
    return {
        "max_rounds": agent.max_rounds,
        "tool_timeout": agent.tool_timeout,
        "parallel_tools": agent.parallel_tools,
        "on_busy": agent.on_busy,
        "history": agent.history is not None,
    }


def _tool(name: str, tool: Tool[..., Any]) -> dict[str, Any]:
    return {
        "name": name,
        "description": tool.schema.description,
        "input_schema": tool.schema.input_schema,
        "output_schema": tool.schema.output_schema,
        "timeout": tool.timeout,
        "title": tool.hints.title,
        "app": tool.app,
        "visibility": list(tool.visibility or ("model", "app")),
    }


def _called(function: Callable[..., Any]) -> str:
    return getattr(function, "__qualname__", type(function).__qualname__)
