"""`cli.md`: every command with its arguments, options and exit codes, as `--help` has them."""

import re
from collections.abc import Iterator
from typing import Final

import click

from litro.cli.main import main
from pages import markdown
from pages.markdown import Undocumented, one_line, table

_EXIT_CODE: Final = re.compile(r"(\d+) ([^,.]+)")
_SAID: Final = re.compile(r"(.*?)(?:\s*\[default: (.*)\])?$")


def pages() -> dict[str, str]:
    """The page."""
    parts = [
        "What each command takes. [Commands](../commands.md) tells what they do, and what their JSON holds.",
        "`litro --version` prints the version, `-h` and `--help` the help of any command.",
        "## Exit codes",
        _exit_codes(),
    ]
    for typed, command in commands():
        parts += _section(typed, command)
    return {"cli.md": markdown.page("Command line", *parts)}


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command, and every command of a group, by what is typed."""
    context = click.Context(main)
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        assert command is not None, name
        yield f"litro {name}", command
        if isinstance(command, click.Group):
            for own, inner in command.commands.items():
                yield f"litro {name} {own}", inner


def option_row(typed: str, option: click.Option) -> tuple[str, str, str]:
    """The option's line in a table.

    Raises:
        Undocumented: It has no help.
    """
    name = max(option.opts, key=len)
    if not option.help:
        msg = f"{typed}: {name} has no help, so one is required. Write click.option(…, help=…)."
        raise Undocumented(msg)
    names = [*sorted(option.opts, key=len, reverse=True), *option.secondary_opts]
    value = "" if option.is_flag else f" {_value(option)}"
    names[0] += value
    # click shows what a help text says of the default as if it were one.
    said, default = _SAID.match(one_line(option.help)).groups("")  # type: ignore[union-attr]
    told = [said]
    if option.envvar:
        told.append(f"Also by `{option.envvar}`.")
    return markdown.code(*names), default or _default(option), " ".join(told)


def _exit_codes() -> str:
    line = one_line(main.help).partition("Exit codes: ")[2]
    codes = _EXIT_CODE.findall(line)
    if not codes:
        msg = "litro --help: no exit codes are told, so a line that begins with 'Exit codes: ' is required."
        raise Undocumented(msg)
    return table(["code", ""], codes)


def _section(typed: str, command: click.Command) -> Iterator[str]:
    level = "##" if typed.count(" ") == 1 else "###"
    yield f"{level} `{typed}`"
    context = click.Context(command, info_name=typed)
    if not isinstance(command, click.Group):
        yield f"```text\n{command.get_usage(context).removeprefix('Usage: ')}\n```"
    for paragraph in (command.help or "").split("\n\n"):
        yield one_line(paragraph)
    options = [one for one in command.params if isinstance(one, click.Option)]
    if options:
        yield table(["option", "default", ""], [option_row(typed, one) for one in options])
    yield _examples(command)


def _value(option: click.Option) -> str:
    if isinstance(option.type, click.Choice):
        return "|".join(map(str, option.type.choices))
    return option.metavar or {"integer range": "N", "integer": "N", "directory": "DIR"}.get(
        option.type.name, option.type.name.upper()
    )


def _default(option: click.Option) -> str:
    if isinstance(option.show_default, str):
        return option.show_default
    if option.required:
        return "required"
    given = option.get_default(click.Context(click.Command("litro")), call=False)
    if given is None or given is False or given == () or not _is_plain(given):
        return ""
    return f"`{given}`"


def _is_plain(value: object) -> bool:
    return isinstance(value, str | int | float) and value is not True


def _examples(command: click.Command) -> str:
    lines = [line.strip() for line in (command.epilog or "").splitlines()]
    typed = [line for line in lines if line.startswith("litro ")]
    return "```console\n" + "\n".join(f"$ {line}" for line in typed) + "\n```" if typed else ""
