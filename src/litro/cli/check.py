"""`litro check`: load everything, tell everything that is wrong."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click

from litro.cli.components import make
from litro.cli.main import examples, prepare, project_option
from litro.discovery.load import Loaded, LoadedAgent, load
from litro.discovery.scan import require_project, scan
from litro.errors import ProjectError
from litro.mcp.packed import AppMissing, PackedApps, read_apps
from litro.settings import resolve

_KEYS: Final = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
"""What the provider behind a model's prefix asks the environment for."""


@click.command("check", epilog=examples("litro check"))
@project_option
def command(project: Path) -> None:
    """Load the project and tell everything that is wrong with it.

    Every agent and tool is imported, every schema made and every component built and loaded, and all problems are told at
    once, each with its file, its line and what to do. Exits with 1 where there is one.
    """
    project = require_project(prepare(project))
    loaded = load(scan(project))
    settings = resolve(project, config=loaded.config)
    # It would refuse to start.
    settings.mcp_policy()
    made = make(project, settings.node)
    if problems := (*loaded.problems, *made.problems):
        raise ProjectError(problems)
    apps = read_apps(settings.mcp_apps_dir, versions=settings.mcp_app_versions)
    for name, agent in loaded.agents.items():
        tools = ", ".join(agent.tools) or "no tools"
        click.echo(f"{name}: {tools}")
        for warning in _warnings(agent, loaded, apps):
            click.echo(f"warning: {warning}", err=True)
    for component in made.facts:
        tags = ", ".join(f"<{tag}>" for tag in component["tags"]) or "no tag of its own"
        click.echo(f"components/{component['name']}: {tags}")
    counts = [_count(len(loaded.agents), "agent")]
    if made.facts:
        counts.append(_count(len(made.facts), "component"))
    click.echo(f"{', '.join(counts)}, no problems.")


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _warnings(agent: LoadedAgent, loaded: Loaded, apps: PackedApps) -> Iterator[str]:
    """What works, and still may not be what is wanted."""
    model = agent.agent.model
    key = _KEYS.get(model.partition(":")[0]) if isinstance(model, str) else None
    if key is not None and not os.environ.get(key, "").strip():
        yield (
            f"agent {agent.name!r} speaks through {model!r}, but {key} is not set, so its turns will fail.\n"
            f"Set {key} in the environment (or in .env), or give the agent another model."
        )
    if agent.agent.access is None and (loaded.config is None or loaded.config.access is None):
        yield (
            f"agent {agent.name!r} has no guard, so whoever reaches the server may talk to it.\n"
            "Give it one: Agent(…, access=…), or Config(access=…) for all."
        )
    try:
        apps.addresses_for(agent.tools)
    except AppMissing as error:
        yield f"agent {agent.name!r} cannot be served to MCP hosts: {error}"
