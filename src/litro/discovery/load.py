"""Agents and tools, imported from the files that a scan found.

One broken agent takes no other down: it is missing from what was loaded, and everything that is wrong with it is among
the problems. It starts nothing, and puts nothing on sys.path: commands do.
"""

import importlib
import inspect
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, TypeGuard, TypeVar

from litro.definitions import Agent, Config, Tool, TurnContext
from litro.discovery.faults import problem_of
from litro.discovery.modules import Generation
from litro.discovery.scan import AgentFiles, Scan, ToolFile
from litro.errors import Problem

D = TypeVar("D", Agent, Config)

LoadedInstructions = str | Callable[[TurnContext], str | Awaitable[str]]
"""The text itself, or what answers it for a turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedAgent:
    """An agent with everything that its folder adds to it.

    Attributes:
        instructions: Read already, where they are a file.
        tools: By name, sorted. Their schemas have been made.
    """

    name: str
    agent: Agent
    instructions: LoadedInstructions
    tools: Mapping[str, Tool[..., Any]]
    folder: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """One generation of a project.

    Attributes:
        agents: The agents that have no problem, by name.
        config: What agents/_config.py declares, if it exists and does.
        problems: Everything that is wrong with what was asked for.
    """

    agents: Mapping[str, LoadedAgent]
    config: Config | None
    problems: tuple[Problem, ...]
    _generation: Generation = field(repr=False)

    def unload(self) -> None:
        """Forget the generation's modules, once its last turn has ended."""
        self._generation.unload()


def load(scan: Scan, only: Collection[str] | None = None) -> Loaded:
    """Import a project's agents, under names of their own.

    Args:
        scan: What its folders hold.
        only: The names of the agents to import. None imports all.

    Returns:
        What could be loaded. A problem is never raised: it is in `problems`.
    """
    # Python remembers what folders held; a file may have come since.
    importlib.invalidate_caches()
    generation = Generation(scan.project)
    problems = [p for p in scan.problems if only is None or _concerns(p, scan, only)]
    try:
        config = None if scan.config is None else _config(scan.config, generation, problems)
        agents: dict[str, LoadedAgent] = {}
        for files in scan.agents:
            if only is None or files.name in only:
                loading = _Loading(files, generation)
                loaded = loading.agent()
                known = any(p.path.is_relative_to(files.folder) for p in scan.problems)
                if loaded is not None and not loading.problems and not known:
                    agents[files.name] = loaded
                problems.extend(loading.problems)
    except BaseException:
        generation.unload()
        raise
    problems.extend(_missing(scan, only or ()))
    return Loaded(
        agents=agents,
        config=config,
        # A module that several files import fails for each of them.
        problems=tuple(dict.fromkeys(problems)),
        _generation=generation,
    )


class _Loading:
    """One agent being loaded: its problems collect here, so that all of them are told at once."""

    def __init__(self, files: AgentFiles, generation: Generation) -> None:
        self._files = files
        self._generation = generation
        self.problems: list[Problem] = []

    def agent(self) -> LoadedAgent | None:
        agent = _declared(Agent, "agent", self._files.agent_py, self._generation, self.problems)
        instructions = None if agent is None else self._instructions(agent)
        tools = {file.name: self._tool(file) for file in self._files.tools}
        if agent is None or instructions is None:
            return None
        return LoadedAgent(
            name=self._files.name,
            agent=agent,
            instructions=instructions,
            tools={name: tool for name, tool in sorted(tools.items()) if tool is not None},
            folder=self._files.folder,
        )

    def _tool(self, file: ToolFile) -> Tool[..., Any] | None:
        module = _imported(file.path, self._generation, self.problems)
        if module is None:
            return None
        made = _made_in(module)
        if len(made) != 1:
            line = sorted(tool.line for tool in made.values())[1] if made else None
            text = _several(made) if made else _none(module)
            self.problems.append(Problem(path=file.path, line=line, text=text))
            return None
        (tool,) = made.values()
        try:
            _ = tool.schema
        except TypeError as error:
            self.problems.append(Problem(path=file.path, line=tool.line, text=str(error)))
        except Exception as error:  # noqa: BLE001 - a schema may run hooks of the user's
            problem = problem_of(error, self._generation, file.path, tool.line)
            self.problems.append(problem)
        return tool

    def _instructions(self, agent: Agent) -> LoadedInstructions | None:
        given = agent.instructions
        if given is None:
            default = self._files.instructions
            return "" if default is None else self._text(default)
        if isinstance(given, Path) or (isinstance(given, str) and given.startswith(("./", "../"))):
            return self._text(self._files.folder / given, named=str(given))
        return given

    def _text(self, path: Path, named: str | None = None) -> str | None:
        at, line = path, None
        try:
            return path.read_bytes().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = error.object.count(b"\n", 0, error.start) + 1
            text = "the text is not UTF-8, so it cannot be read. Save it as UTF-8."
        except (OSError, ValueError) as error:
            reason = (error.strerror if isinstance(error, OSError) else None) or error
            text = f"the file cannot be read ({reason}). Correct it, or let this user read it."
            if named is not None and isinstance(error, FileNotFoundError):
                at = self._files.agent_py
                text = (
                    f"instructions is {named!r}, but there is no {path}. Add the file, or correct the path: it counts "
                    "from the folder of agent.py."
                )
        self.problems.append(Problem(path=at, line=line, text=text))
        return None


def _config(path: Path, generation: Generation, problems: list[Problem]) -> Config | None:
    return _declared(Config, "config", path, generation, problems)


def _declared(
    kind: type[D], name: str, path: Path, generation: Generation, problems: list[Problem]
) -> D | None:
    """What a file declares under a fixed name."""
    module = _imported(path, generation, problems)
    if module is None:
        return None
    value: object = vars(module).get(name)
    if isinstance(value, kind):
        return value
    others = [repr(other) for other, held in vars(module).items() if isinstance(held, kind)]
    remedy = f"Write `{name} = {kind.__name__}(…)`."
    if name in vars(module):
        what = (
            f"the class {value.__name__}"
            if isinstance(value, type)
            else f"of type {type(value).__name__}"
        )
        text = f"`{name}` is {what}, so an instance of {kind.__name__} is required. {remedy}"
    elif others:
        text = (
            f"it holds no `{name}`, but the {kind.__name__} {' and '.join(others)}. "
            f"Rename it: the name has to be `{name}`."
        )
    else:
        text = f"it holds no `{name}`, which is the {kind.__name__} that is looked for. {remedy}"
    problems.append(Problem(path=path, line=None, text=text))
    return None


def _imported(path: Path, generation: Generation, problems: list[Problem]) -> ModuleType | None:
    try:
        return generation.module(path)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - the user's code, which may even call sys.exit()
        problems.append(problem_of(error, generation, path))
        return None


def _made_in(module: ModuleType) -> dict[str, Tool[..., Any]]:
    """The tools that were made in a module, by a name that they have there. Imported ones do not count."""
    once = {
        id(held): (name, held)
        for name, held in vars(module).items()
        if _is_tool(held) and held.module == module.__name__
    }
    return dict(once.values())


def _is_tool(held: object) -> TypeGuard[Tool[..., Any]]:
    return isinstance(held, Tool)


def _several(made: Mapping[str, Tool[..., Any]]) -> str:
    names = " and ".join(f"`{name}` (line {tool.line})" for name, tool in made.items())
    return f"it holds the tools {names}, but a file is one tool, named by the file. Move each into a file of its own."


def _none(module: ModuleType) -> str:
    prefix, _, _ = module.__name__.partition(".")
    for name, held in vars(module).items():
        if _is_tool(held):
            return (
                f"it holds no tool of its own: `{name}` was made in {held.module.removeprefix(f'{prefix}.')}. Make the "
                "tool here, or put _ before the file's name. (A decorator below @tool has to use functools.wraps.)"
            )
    functions = [
        f"`{name}`"
        for name, held in vars(module).items()
        if inspect.isfunction(held) and held.__module__ == module.__name__
    ]
    found = f", only {' and '.join(functions)}" if functions else ""
    return f"it holds no tool{found}. Put @tool on the function, or _ before the file's name if it is no tool."


def _concerns(problem: Problem, scan: Scan, only: Collection[str]) -> bool:
    agents = scan.project / "agents"
    return problem.path == agents or any(
        problem.path.is_relative_to(agents / name) for name in only
    )


def _missing(scan: Scan, only: Collection[str]) -> Iterator[Problem]:
    """The names that were asked for and that the scan knows nothing about, good or bad."""
    agents = scan.project / "agents"
    known = {files.name for files in scan.agents} | {
        p.path.name for p in scan.problems if p.path.parent == agents
    }
    names = ", ".join(files.name for files in scan.agents) or "none"
    for name in only:
        if name not in known:
            text = f"there is no agent {name!r}. The agents are: {names}."
            yield Problem(path=agents, line=None, text=text)
