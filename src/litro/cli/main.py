"""The `litro` command: its group, and what every command shares.

A command is a module of this package, imported when it is called. It is not where anything is decided: a command reads
its arguments, calls the app, and prints.
"""

import importlib
import logging
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from litro.discovery.scan import import_roots
from litro.errors import LitroError, ProjectError
from litro.settings import load_dotenv

F = TypeVar("F", bound=Callable[..., Any])

_COMMANDS: Final = {
    "add": "Add an agent to a project that exists.",
    "chat": "Talk to an agent in the terminal.",
    "check": "Load the project and tell everything that is wrong with it.",
    "dev": "Serve the project while you write it.",
    "doctor": "Tell whether this machine and project are in order.",
    "info": "Show the project: agents, tools, routes, settings.",
    "mcp": "Serve an agent's tools to MCP hosts over stdio.",
    "mcp-app": "Pack MCP Apps: components for hosts, a document each.",
    "new": "Write a new project that runs.",
    "run": "Run one turn in the terminal.",
    "serve": "Serve the project's agents over HTTP.",
    "sessions": "List, show, follow, rename, fork, export and delete sessions.",
}


class _Commands(click.Group):
    """Imports a command's module when the command is called: `litro --help` loads none."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"litro.cli.{cmd_name.replace('-', '_')}")
        return module.command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a mistake in the project is a message, not a traceback."""
        try:
            return super().invoke(ctx)
        except ProjectError as error:
            click.echo("\n".join(f"error: {problem}" for problem in error.problems), err=True)
            ctx.exit(1)
        except LitroError as error:
            click.echo(f"error: {error}", err=True)
            ctx.exit(1)
        except KeyboardInterrupt:
            ctx.exit(130)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="litro", message="litro %(version)s")
def main() -> None:
    """Agents that live in files: agents/<name>/ with agent.py, instructions.md and a file per tool.

    Exit codes: 0 done, 1 it failed, 2 used wrongly, 130 interrupted.
    """


def project_option(function: F) -> F:
    """`--project DIR`, for every command that works on one."""
    return click.option(
        "--project",
        type=click.Path(path_type=Path, file_okay=False),
        default=Path(),
        show_default="the working directory",
        help="The folder with agents/ in it.",
    )(function)


def examples(*lines: str) -> str:
    """What stands below a command's help: each line a command as it is typed."""
    # The backspace is click's sign for text that is not to be wrapped.
    return "\n".join(
        ["\b", "Examples:" if len(lines) > 1 else "Example:", *(f"  {e}" for e in lines)]
    )


def prepare(project: Path) -> Path:
    """Read the project's .env and make its modules importable, as uvicorn does for an app's.

    Returns:
        The project, absolute.
    """
    project = project.absolute()
    logging.basicConfig(
        level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s", stream=sys.stderr
    )
    load_dotenv(project)
    known = set(sys.path)
    sys.path[:0] = [str(root) for root in import_roots(project) if str(root) not in known]
    return project
