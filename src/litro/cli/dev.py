"""`litro dev`: the project while somebody writes it.

Edits below agents/ are the app's own business (`litro.dev.watching`). For any other, the process begins anew
(`litro.cli.again`).
"""

import os
from pathlib import Path

import click

from litro.cli.again import Again
from litro.cli.main import examples, project_option
from litro.cli.serving import app_of, url_of
from litro.discovery.scan import require_project


@click.command("dev", epilog=examples("litro dev"))
@project_option
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="The next free one is taken where it is not; 0 picks one.",
)
@click.option("--sessions", metavar="URL", help="Where sessions are kept, such as file:DIR.")
def command(project: Path, host: str, port: int, sessions: str | None) -> None:
    """Serve the project while you write it: edits count at once, and mistakes are shown.

    Serves the app that `[tool.litro] app` names, else the agents alone. Edits below agents/ take effect from the next turn
    on; for other modules, pyproject.toml and .env the server restarts, and clients resume. What is wrong is told here and
    on the page. Ctrl-C ends it.
    """
    again = Again()
    project = require_project(project)
    os.environ["LITRO_DEV"] = "1"
    listener = again.listener(host, port)
    stage = again.stage(project, lambda project: app_of(project, host=host, sessions=sessions))
    again.serve(stage, listener, f"{project.name} at {url_of(listener, host)}")
