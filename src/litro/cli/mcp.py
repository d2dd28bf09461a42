"""`litro mcp`: one agent's tools in front of an MCP host.

It reads its arguments and puts the pieces together; what is said on the wire is `litro.mcp`'s business.
"""

import asyncio
import contextlib
import gc
import importlib
import logging
import re
import sys
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from pathlib import Path
from typing import Any, Final

import click

from litro.cli.agents import complete_agents
from litro.cli.chosen import Chosen, choose, project_of
from litro.cli.hosts import config_json, entries_of, env_of
from litro.cli.main import examples
from litro.definitions import Lifespan
from litro.discovery.scan import scan
from litro.errors import LitroError, ProjectError
from litro.mcp import sdk
from litro.mcp.agent import Limits, McpAgent
from litro.mcp.apps.output import write
from litro.mcp.apps.sources import FOLDER
from litro.mcp.packed import read_apps
from litro.mcp.stdio import Wire, run
from litro.settings import Settings
from litro.turn.threads import ToolThreads

logger: Final = logging.getLogger(__name__)

_TIMEOUT: Final = "30000"
_MAX_RESULT: Final = "1048576"


def _positive(unit: str) -> Callable[[click.Context, click.Parameter, str], int]:
    """Checks an option that is a positive whole number of something."""

    def check(ctx: click.Context, param: click.Parameter, value: str) -> int:  # noqa: ARG001 - what click passes
        if not re.fullmatch(r"[0-9]{1,15}", value) or int(value) == 0:
            msg = f"{value!r} is not a positive whole number of {unit}."
            raise click.BadParameter(msg)
        return int(value)

    return check


project_option: Final = click.option(
    "--project",
    type=click.Path(path_type=Path, file_okay=False),
    show_default="the working directory",
    help="The folder with agents/ in it.",
)


def agent_option(help_: str) -> Any:
    """`--agent NAME`."""
    return click.option("--agent", metavar="NAME", shell_complete=complete_agents, help=help_)


apps_dir_option: Final = click.option(
    "--apps-dir",
    metavar="DIR",
    type=click.Path(path_type=Path),
    show_default="dist/mcp-apps",
    help="Where the packed ui:// documents are, counted from the project.",
)


class _Commands(click.Group):
    """Imports the preview when it is called: a host that starts a server waits for nothing of it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), "preview"])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name == "preview":
            return importlib.import_module("litro.cli.preview").command
        return super().get_command(ctx, cmd_name)


@click.group(
    "mcp",
    cls=_Commands,
    invoke_without_command=True,
    epilog=examples("litro mcp serve --project /path/to/my-app", "litro mcp config"),
)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Serve an agent's tools to MCP hosts, and write the configuration that hosts want."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help(), err=True)
        ctx.exit(2)


@command.command("serve", epilog=examples("litro mcp serve --project /path/to/my-app --agent demo"))
@project_option
@agent_option("The agent to serve. Required where the project has several.")
@apps_dir_option
@click.option("--build", is_flag=True, help="Pack mcp-apps/ first, as `litro mcp-app build` does.")
@click.option(
    "--timeout",
    metavar="MS",
    callback=_positive("milliseconds"),
    default=_TIMEOUT,
    show_default=True,
    help="How long a call may run whose tool says nothing of it.",
)
@click.option(
    "--max-result-bytes",
    metavar="N",
    callback=_positive("bytes"),
    default=_MAX_RESULT,
    show_default=True,
    help="How large a tool's result may be; a larger one is cut.",
)
@click.option(
    "--instructions", is_flag=True, help="Give hosts the agent's instructions, for their own model."
)
def serve(
    project: Path | None,
    agent: str | None,
    apps_dir: Path | None,
    build: bool,  # noqa: FBT001 - click's way
    timeout: int,
    max_result_bytes: int,
    instructions: bool,  # noqa: FBT001 - click's way
) -> None:
    """Serve one agent's tools over stdin and stdout, for a host that starts this command itself.

    No port is opened. Nothing but MCP messages is written to stdout: what tools print goes to stderr. It ends when the
    host closes the pipe.
    """
    with _refusing("serve"), _no_collection():
        # Before anything of the user's is imported.
        wire = Wire.claim()
        chosen = Chosen(project, agent)
        adapter: Any = sdk.load("litro.mcp.server")
        wire.open()
        loaded, settings = chosen.load(apps_dir)
    with _refusing("serve"):
        if build:
            _build(settings)
        apps = read_apps(settings.mcp_apps_dir, versions=settings.mcp_app_versions)
        served = McpAgent(
            loaded,
            ToolThreads(settings.tool_threads),
            development=settings.development,
            limits=Limits(timeout=timeout / 1000, max_result=max_result_bytes),
            apps=apps,
            instructions=instructions,
        )
    # Modules may have taken them.
    wire.ending.take_signals()
    for report in (*served.reports, *apps.reports(settings.project)):
        click.echo(f"[litro mcp] {report}", err=True)
    said = f'agent "{served.name}" over stdio - {len(loaded.tools)} tool(s), {len(apps)} app(s)'
    click.echo(f"[litro mcp] {said}", err=True)

    async def serving() -> None:
        async with _entered(settings.lifespan) as state:
            await adapter.serve(adapter.build(served, state=state), wire)

    with _refusing("serve"):
        run(wire, serving)


@command.command("config", epilog=examples("litro mcp config --agent demo --env WEATHER_KEY"))
@project_option
@agent_option("The agent.  [default: all, an entry each]")
@click.option(
    "--name",
    metavar="NAME",
    help="What the host is to call it.  [default: the project's folder's name]",
)
@click.option(
    "--env",
    metavar="VARIABLE",
    multiple=True,
    help="Write this variable's value, from the environment or .env, into the JSON. May be repeated.",
)
def config(project: Path | None, agent: str | None, name: str | None, env: Sequence[str]) -> None:
    """Print the JSON that an MCP host's configuration wants, with absolute paths.

    The server reads the project's .env itself, so nothing of it is copied unless --env asks for it. LITRO_* variables that
    are set here and not there are, except secrets.
    """
    with _refusing("config"):
        root = project_of(project)
        scanned = scan(root)
        names = [files.name for files in scanned.agents]
        if agent is not None or not names:
            names = [choose(scanned, agent, is_named=project is not None)]
        entries = entries_of(root, names, name)
        click.echo(config_json(entries, env_of(root, asked=env)))


@contextlib.contextmanager
def _refusing(subject: str) -> Generator[None]:
    """What is wrong is told in the command's own name: a host shows nothing but stderr."""
    try:
        yield
    except LitroError as error:
        problems = error.problems if isinstance(error, ProjectError) else (error,)
        for problem in problems:
            click.echo(f"litro mcp {subject}: {problem}", err=True)
        sys.exit(1)


@contextlib.contextmanager
def _no_collection() -> Generator[None]:
    """What is imported stays: to look through it for garbage over and over is an eighth of the start."""
    gc.disable()
    yield
    gc.freeze()
    gc.enable()


@contextlib.asynccontextmanager
async def _entered(lifespan: Lifespan | None) -> AsyncGenerator[Any]:
    """The lifespan around what is served.

    Raises:
        LitroError: It cannot be entered.
    """
    if lifespan is None:
        yield None
        return
    context = lifespan()
    try:
        state = await context.__aenter__()
    except Exception as error:
        logger.exception("Config(lifespan=…) failed")
        msg = f"Config(lifespan=…) failed with {type(error).__name__}: {error}. What came before tells where."
        raise LitroError(msg) from error
    try:
        yield state
    finally:
        await context.__aexit__(None, None, None)


def _build(settings: Settings) -> None:
    # Node and a bundler, of which a server that only reads needs nothing.
    from litro.cli.packs import packed  # noqa: PLC0415

    write(settings.mcp_apps_dir, asyncio.run(packed(settings, settings.project / FOLDER)))
