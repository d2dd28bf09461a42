"""`litro mcp-app`: a project's MCP Apps, packed into documents.

It puts the pieces together and prints; what a document is made of is `litro.mcp.apps`' business.
"""

import asyncio
import gzip
from collections.abc import Sequence
from pathlib import Path

import click

from litro.cli.main import examples, prepare, project_option
from litro.cli.packs import packed
from litro.mcp.apps.output import Packed, write
from litro.mcp.apps.sources import FOLDER
from litro.settings import Settings, resolve


@click.group("mcp-app", invoke_without_command=True, epilog=examples("litro mcp-app build"))
@click.pass_context
def command(ctx: click.Context) -> None:
    """Pack MCP Apps: the components that MCP hosts show, each into one document that needs nothing else."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help(), err=True)
        ctx.exit(2)


@command.command(
    "build", epilog=examples("litro mcp-app build", "litro mcp-app build --out build/apps")
)
@project_option
@click.option(
    "--dir",
    "folder",
    metavar="DIR",
    type=click.Path(path_type=Path),
    default=FOLDER,
    show_default=True,
    help="Where the apps' files are, counted from the project.",
)
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(path_type=Path),
    show_default="dist/mcp-apps, or what mcp_apps_dir says",
    help="Where the documents go, counted from the project.",
)
def build(project: Path, folder: Path, out: Path | None) -> None:
    """Pack every app of mcp-apps/ into one self-contained document.

    Either all are written or none; everything that is wrong with any of them is told at once. Documents of apps that are gone
    are removed, other files in the folder are left alone.
    """
    project = prepare(project)
    flags = {} if out is None else {"mcp_apps_dir": str(out)}
    settings = resolve(project, flags=flags)
    apps = asyncio.run(packed(settings, project / folder))
    write(settings.mcp_apps_dir, apps)
    for line in _told(apps, settings):
        click.echo(line)


def _told(apps: Sequence[Packed], settings: Settings) -> list[str]:
    """A line an app, and one of all."""
    out = settings.mcp_apps_dir
    shown = out.relative_to(settings.project) if out.is_relative_to(settings.project) else out
    sizes = [_sizes(app.html) for app in apps]
    lines = [
        f"{app.uri}  {shown / app.name}.html  {whole} bytes ({compressed} compressed)"
        for app, (whole, compressed) in zip(apps, sizes, strict=True)
    ]
    whole, compressed = map(sum, zip(*sizes, strict=True))
    count = "1 app" if len(apps) == 1 else f"{len(apps)} apps"
    return [*lines, f"{count}, {whole} bytes ({compressed} compressed)"]


def _sizes(html: str) -> tuple[int, int]:
    content = html.encode()
    return len(content), len(gzip.compress(content, 9))
