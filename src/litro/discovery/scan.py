"""What a project's folders hold, by their paths alone: nothing of the user's is imported or read.

    agents/_config.py
    agents/<name>/agent.py, instructions.md, tools/<stem>.py

It is not loading. Two surfaces that scan one project cannot disagree on which agents and tools it has.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from litro.errors import Problem, ProjectError

AGENT_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
TOOL_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")

Skipped = tuple[Path, str]
"""A path that could be taken for part of an agent, and why it is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolFile:
    """A file in an agent's tools/."""

    name: str
    path: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentFiles:
    """A folder in agents/ that holds an agent."""

    name: str
    folder: Path
    agent_py: Path
    instructions: Path | None
    tools: tuple[ToolFile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """Everything that was found, sorted by name.

    Attributes:
        agents: Folders whose name can be an agent's. A tool with a bad name is missing from its agent, and in problems.
        config: agents/_config.py, where it exists.
        skipped: What was passed over, for `litro info`.
        problems: What must be put right before it can be loaded.
    """

    project: Path
    agents: tuple[AgentFiles, ...]
    config: Path | None
    skipped: tuple[Skipped, ...]
    problems: tuple[Problem, ...]


def import_roots(project: Path) -> list[Path]:
    """The folders that a project's files may import from: its `src/`, where it has one, and itself."""
    return [folder for folder in (project / "src", project) if folder.is_dir()]


def require_project(path: Path) -> Path:
    """The path of a project, made absolute.

    Raises:
        ProjectError: There is no agents/ in it.
    """
    project = path.absolute()
    agents = project / "agents"
    if agents.is_dir():
        return project
    if not project.is_dir():
        found = "this is not a folder"
    elif agents.exists():
        found = "agents here is not a folder"
    else:
        found = "there is no folder agents/ here"
    text = (
        f"{found}, so it is no Litro project: its agents are agents/<name>/agent.py. "
        "Go to the project's folder, name it with --project, or make one: litro new NAME."
    )
    raise ProjectError([Problem(path=project, line=None, text=text)])


def scan(project: Path) -> Scan:
    """What is in a project's agents/. A project without that folder holds nothing.

    Args:
        project: The folder that holds agents/.
    """
    project = project.absolute()
    agents = project / "agents"
    config = agents / "_config.py"
    finds = _Finds()
    folders = list(finds.agent_folders(agents)) if agents.is_dir() else []
    return Scan(
        project=project,
        agents=tuple(finds.agent(folder) for folder in finds.distinct(folders)),
        config=config if config.is_file() else None,
        skipped=tuple(finds.skipped),
        problems=tuple(finds.problems),
    )


class _Finds:
    """One pass over the folders: what is passed over and what is wrong collect here."""

    def __init__(self) -> None:
        self.skipped: list[Skipped] = []
        self.problems: list[Problem] = []

    def agent_folders(self, agents: Path) -> Iterator[Path]:
        """The folders in agents/ that hold an agent, under a name that one can have."""
        for path in self._entries(agents):
            try:
                if self._holds_an_agent(path):
                    yield path
            except OSError as error:
                self._unreadable(path, error)

    def _holds_an_agent(self, path: Path) -> bool:
        if path.name.startswith("_"):
            if path.name not in ("_config.py", "__init__.py"):
                self.skipped.append((path, "its name starts with _"))
        elif not path.is_dir():
            self.skipped.append((path, "it is a file; an agent is a folder with an agent.py"))
        elif not (path / "agent.py").is_file():
            self._without_agent_py(path)
        elif not AGENT_NAME.fullmatch(path.name):
            self._problem(
                path,
                f"the folder is named {path.name!r}, but an agent's name has 1 to 64 letters, digits, _ and -, and "
                "starts with a letter or digit. Rename the folder.",
            )
        else:
            return True
        return False

    def distinct(self, folders: Iterable[Path]) -> Iterator[Path]:
        """The folders whose names differ by more than case: some file systems cannot tell the others apart."""
        alike: dict[str, list[Path]] = defaultdict(list)
        for folder in folders:
            alike[folder.name.lower()].append(folder)
        for same in alike.values():
            if len(same) == 1:
                yield same[0]
                continue
            names = " and ".join(repr(folder.name) for folder in same)
            for folder in same:
                self._problem(
                    folder,
                    f"the names {names} differ only by case. Rename all but one of the folders.",
                )

    def agent(self, folder: Path) -> AgentFiles:
        instructions = folder / "instructions.md"
        tools = folder / "tools"
        return AgentFiles(
            name=folder.name,
            folder=folder,
            agent_py=folder / "agent.py",
            # A dangling link is asked for too: reading it tells what is wrong with it.
            instructions=instructions
            if instructions.exists() or instructions.is_symlink()
            else None,
            tools=tuple(self._tools(tools)) if tools.is_dir() else (),
        )

    def _tools(self, folder: Path) -> Iterator[ToolFile]:
        for path in self._entries(folder):
            if path.name == "__init__.py":
                continue
            if reason := _no_tool(path):
                self.skipped.append((path, reason))
            elif TOOL_NAME.fullmatch(path.stem):
                yield ToolFile(name=path.stem, path=path)
            else:
                self._problem(
                    path,
                    f"the file's stem is {path.stem!r}, but a tool's name has 1 to 64 letters, digits, _ and -. "
                    f"Rename the file, or put _ before its name if it is no tool.",
                )

    def _without_agent_py(self, folder: Path) -> None:
        parts = [part for part in ("instructions.md", "tools") if (folder / part).exists()]
        if parts:
            self._problem(
                folder,
                f"the folder holds {' and '.join(parts)} but no agent.py, which every agent has. Add "
                f"{folder / 'agent.py'} with `agent = Agent(…)`, or put _ before the folder's name.",
            )
        else:
            self.skipped.append((folder, "it has no agent.py"))

    def _entries(self, folder: Path) -> Sequence[Path]:
        try:
            entries = sorted(folder.iterdir(), key=lambda path: path.name)
        except OSError as error:
            self._unreadable(folder, error)
            return ()
        return [path for path in entries if path.name[0] != "." and path.name != "__pycache__"]

    def _unreadable(self, path: Path, error: OSError) -> None:
        self._problem(path, f"it cannot be read ({error.strerror}). Let this user read it.")

    def _problem(self, path: Path, text: str) -> None:
        self.problems.append(Problem(path=path, line=None, text=text))


def _no_tool(path: Path) -> str | None:
    """Why a file in tools/ is no tool, if it is none."""
    if path.name.startswith("_"):
        return "its name starts with _"
    if path.is_dir():
        return "it is a folder; tools/ has one level"
    if path.suffix != ".py":
        return "it is no .py file"
    if path.stem.startswith("test_") or path.stem.endswith("_test") or path.stem == "conftest":
        return "its name is that of a test"
    return None
