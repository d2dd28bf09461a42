"""`litro check`: load everything, tell everything that is wrong."""

from pathlib import Path

import click

from litro.cli.main import prepare, project_option
from litro.discovery.load import load
from litro.discovery.scan import require_project, scan
from litro.errors import ProjectError
from litro.settings import resolve


@click.command("check")
@project_option
def command(project: Path) -> None:
    """Load the project and tell everything that is wrong with it.

    Every agent and tool is imported and every schema made, and all problems are told at once, each with its file, its
    line and what to do. Exits with 1 where there is one.
    """
    project = require_project(prepare(project))
    loaded = load(scan(project))
    resolve(project, config=loaded.config)
    if loaded.problems:
        raise ProjectError(loaded.problems)
    for name, agent in loaded.agents.items():
        tools = ", ".join(agent.tools) or "no tools"
        click.echo(f"{name}: {tools}")
        if agent.agent.access is None and (loaded.config is None or loaded.config.access is None):
            click.echo(
                f"warning: agent {name!r} has no guard, so whoever reaches the server may talk to it.\n"
                "Give it one: Agent(…, access=…), or Config(access=…) for all.",
                err=True,
            )
    count = len(loaded.agents)
    click.echo(f"{count} agent{'' if count == 1 else 's'}, no problems.")
