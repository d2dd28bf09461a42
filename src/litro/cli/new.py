"""`litro new`: a project that runs."""

import re
import shlex
from pathlib import Path
from typing import Final

import click

from litro.cli import template
from litro.cli.main import examples

_NAME: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?")
"""What pyproject.toml accepts as a project's name: https://packaging.python.org/en/latest/specifications/name-normalization/."""


@click.command(
    "new",
    epilog=examples(
        "litro new my-app      # in a new folder",
        "litro new .           # in the empty folder where you are",
    ),
)
@click.argument("name", type=click.Path(path_type=Path))
def command(name: Path) -> None:
    """Write a new project into the folder NAME: an agent, a tool with a card, a page, and tests.

    It runs at once: with no key set, the agent follows a script.
    """
    target = name.absolute().resolve() if name.name in ("", "..") else name.absolute()
    _check(target)
    try:
        template.write("project", target, name=target.name)
    except OSError as error:
        message = (
            f"{target} cannot be written: {error.strerror}.\n"
            "Nothing was changed. Name a folder that this user may write."
        )
        raise click.ClickException(message) from error
    click.echo(f"{target.name} is ready. Next:\n")
    steps = [
        ("litro dev", "its page, at http://127.0.0.1:8000"),
        ("litro chat demo", "the same agent in the terminal"),
        ("cp .env.example .env", "then set a key there, for a real model"),
    ]
    if target != Path.cwd():
        steps.insert(0, (f"cd {shlex.quote(str(name))}", ""))
    for step, what in steps:
        click.echo(f"  {step:<24}{f'# {what}' if what else ''}".rstrip())


def _check(target: Path) -> None:
    if not _NAME.fullmatch(target.name):
        message = (
            f"{target.name!r} is no name for a project, so 1 to 64 letters, digits, '.', '_' and '-' are required, "
            "with a letter or digit first and last.\nChoose another, such as: litro new my-app"
        )
        raise click.BadParameter(message, param_hint="NAME")
    if not template.is_free(target):
        what = "is a folder that is not empty" if target.is_dir() else "exists and is no folder"
        message = (
            f"{target} {what}, and nothing in it may be overwritten, so a new or an empty folder is required.\n"
            "Name another one. In a project that exists, `litro add agent NAME` adds an agent."
        )
        raise click.ClickException(message)
