"""The one agent that `litro mcp` is about: found by paths alone, then loaded without any other."""

import logging
from pathlib import Path

from litro.cli.agents import unknown_agent
from litro.cli.main import prepare
from litro.discovery.load import LoadedAgent, load
from litro.discovery.scan import Scan, scan
from litro.errors import LitroError, ProjectError
from litro.settings import Settings, resolve


class Chosen:
    """The agent that is to be served.

    Args:
        project: The folder that was named, or None for the working directory.
        agent: The name that was given, or None for the only one.

    Attributes:
        project: Absolute.
        name: The agent's.

    Raises:
        LitroError: There is no project, or no such agent, or it has to be said which.
    """

    def __init__(self, project: Path | None, agent: str | None) -> None:
        self.project: Path = project_of(project)
        self._scan = scan(self.project)
        self.name: str = choose(self._scan, agent, is_named=project is not None)

    def load(self, apps_dir: Path | None) -> tuple[LoadedAgent, Settings]:
        """Import the agent's modules, and no other's.

        Raises:
            ProjectError, SettingsError: Something in them, or in the settings, is wrong.
        """
        prepare(self.project)
        logging.getLogger("litro").setLevel(logging.INFO)
        loaded = load(self._scan, only=(self.name,))
        if loaded.problems:
            raise ProjectError(loaded.problems)
        flags = {} if apps_dir is None else {"mcp_apps_dir": str(apps_dir)}
        return loaded.agents[self.name], resolve(self.project, config=loaded.config, flags=flags)


def project_of(given: Path | None) -> Path:
    """The project, absolute.

    Raises:
        LitroError: The folder is none.
    """
    project = (given or Path()).absolute()
    if (project / "agents").is_dir() or (project / "pyproject.toml").is_file():
        return project
    found = "has no agents/ and no pyproject.toml" if project.is_dir() else "is not a folder"
    advice = (
        "This command takes the project from the working directory. Pass --project DIR when the host starts it somewhere else."
        if given is None
        else "Correct what is passed as --project: the folder with agents/ in it."
    )
    msg = f"{project} {found}, so it is not a project directory.\n{advice}"
    raise LitroError(msg)


def choose(scanned: Scan, agent: str | None, *, is_named: bool) -> str:
    """The name of the agent to serve.

    Raises:
        LitroError: It has to be said, or is not there.
    """
    names = [files.name for files in scanned.agents]
    # An agent whose folder cannot be read or named as it is has a problem, which loading tells.
    broken = {p.path.name for p in scanned.problems if p.path.parent == scanned.project / "agents"}
    if agent is not None:
        if agent in names or agent in broken:
            return agent
        raise unknown_agent(agent, names)
    if len(names) == 1:
        return names[0]
    if names:
        msg = (
            f"this project has {len(names)} agents ({', '.join(names)}), so --agent is required.\n"
            "A second agent is a second server entry in the host configuration."
        )
        raise LitroError(msg)
    if broken:
        raise ProjectError(scanned.problems)
    hint = "" if is_named else "\nPass --project DIR when the host starts it somewhere else."
    msg = (
        f"no agents found in {scanned.project / 'agents'}. An agent is a folder there with an agent.py and tools/. "
        f"`litro add agent NAME` adds one.{hint}"
    )
    raise LitroError(msg)
