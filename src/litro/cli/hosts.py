"""What an MCP host's configuration says of a project: how to start `litro mcp serve` from anywhere.

Hosts start a command in a folder of their own, with next to nothing of the user's environment, and keep their
configuration in plain files. So every path is absolute, and no value is copied that could be a secret, unless it is asked
for by name: the server reads the project's .env itself.
"""

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import dotenv
import orjson

from litro.errors import LitroError
from litro.settings.masking import has_password

_OURS: Final = "LITRO_"
_SECRET: Final = re.compile(r"TOKEN|SECRET|PASSWORD|KEY|CREDENTIAL")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One server in a host's configuration."""

    name: str
    project: Path
    agent: str | None
    """None where the project has one agent alone, so that it may be renamed."""

    def command(self) -> list[str]:
        """What the host is to start. -P: a folder that the host happens to start it in must not be imported from."""
        chosen = [] if self.agent is None else ["--agent", self.agent]
        python = os.path.abspath(sys.executable)  # noqa: PTH100 - a virtual environment's is a link, not to be resolved
        return [
            python,
            "-P",
            "-m",
            "litro",
            "mcp",
            "serve",
            "--project",
            str(self.project),
            *chosen,
        ]


def entries_of(project: Path, agents: Sequence[str], name: str | None) -> list[Entry]:
    """An entry for each agent.

    Raises:
        LitroError: One name was given for several.
    """
    if len(agents) == 1:
        return [Entry(name=name or project.name, project=project, agent=agents[0])]
    if name is not None:
        msg = (
            f"this project has {len(agents)} agents ({', '.join(agents)}), each an entry of its own, so --name needs "
            "--agent."
        )
        raise LitroError(msg)
    return [Entry(name=f"{project.name}-{a}", project=project, agent=a) for a in agents]


def env_of(
    project: Path, *, asked: Sequence[str], environ: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """The variables that a host has to set.

    Those asked for, and settings of Litro's that are in this environment and not in the project's .env, except secrets.

    Raises:
        LitroError: One that was asked for is not set.
    """
    filed = dotenv.dotenv_values(project / ".env")
    env = dict(_settings(environ, filed))
    for variable in asked:
        value = environ.get(variable) or filed.get(variable)
        if not value:
            msg = f"--env is {variable!r}, but it is set neither here nor in {project / '.env'}. Set it, or leave it out."
            raise LitroError(msg)
        env[variable] = value
    return env


def config_json(entries: Sequence[Entry], env: Mapping[str, str]) -> str:
    """The JSON, as most hosts read it."""
    servers = {
        entry.name: {"command": entry.command()[0], "args": entry.command()[1:], "env": env}
        for entry in entries
    }
    return orjson.dumps({"mcpServers": servers}, option=orjson.OPT_INDENT_2).decode()


def _settings(
    environ: Mapping[str, str], filed: Mapping[str, str | None]
) -> Iterator[tuple[str, str]]:
    for variable in sorted(environ):
        value = environ[variable]
        is_secret = _SECRET.search(variable) or has_password(value)
        if variable.startswith(_OURS) and value and variable not in filed and not is_secret:
            yield variable, value
