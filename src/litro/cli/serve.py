"""`litro serve`: the project behind uvicorn, in one process."""

import logging
from pathlib import Path

import click

from litro.app import Litro
from litro.cli.main import examples, prepare, project_option
from litro.cli.serving import Server, app_of, listen, url_of


@click.command("serve", epilog=examples("litro serve --port 8080"))
@project_option
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 picks one."
)
@click.option("--sessions", metavar="URL", help="Where sessions are kept, such as file:DIR.")
def command(project: Path, host: str, port: int, sessions: str | None) -> None:
    """Serve the project over HTTP: the app that `[tool.litro] app` names, else its agents alone.

    Each agent answers at /__litro/agent/AGENT/SESSION. SIGTERM and Ctrl-C end streams in order and give running
    turns their grace.
    """
    project = prepare(project)
    logging.getLogger("litro").setLevel(logging.INFO)
    app = app_of(project, host=host, sessions=sessions)
    listener = listen(host, port)
    banner = f"Litro serves {project.name} at {url_of(listener, host)} (Ctrl-C ends it)"
    Server(
        app,
        ready=lambda: click.echo(banner, err=True),
        # Ours must start; many apps know no lifespan.
        lifespan="on" if isinstance(app, Litro) else "auto",
    ).serve_on(listener)
