"""`litro add`: something more for a project that exists."""

from pathlib import Path

import click

from litro.cli import template
from litro.cli.main import examples, prepare, project_option
from litro.discovery.scan import AGENT_NAME, require_project


@click.group("add", epilog=examples("litro add agent travel"))
def command() -> None:
    """Add to a project that exists."""


@command.command("agent", epilog=examples("litro add agent travel"))
@click.argument("name")
@project_option
def agent(name: str, project: Path) -> None:
    """Write a new agent into agents/NAME: agent.py, instructions.md, and a tool to begin with."""
    project = require_project(prepare(project))
    if not AGENT_NAME.fullmatch(name):
        message = (
            f"{name!r} is no name for an agent, so 1 to 64 letters, digits, '_' and '-' are required, with a letter or "
            "digit first.\nChoose another, such as: litro add agent travel"
        )
        raise click.BadParameter(message, param_hint="NAME")
    agents = project / "agents"
    for entry in agents.iterdir():
        # Some file systems cannot tell names apart that differ by case.
        if entry.name.lower() == name.lower():
            message = f"{entry} exists, so the name {name!r} is taken.\nChoose another name."
            raise click.ClickException(message)
    folder = agents / name
    try:
        template.write("agent", folder, name=name)
    except OSError as error:
        message = f"{folder} cannot be written: {error.strerror}.\nNothing was changed. Let this user write there."
        raise click.ClickException(message) from error
    click.echo(f"{folder.relative_to(project)} is ready. Next:\n")
    click.echo(f"  {f'litro chat {name}':<24}# talk to it")
    click.echo(f"  {'litro check':<24}# what is missing")
