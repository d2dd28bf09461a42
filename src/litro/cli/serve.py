"""`litro serve`: the project behind uvicorn, in one process or several."""

import logging
from pathlib import Path
from typing import Any

import click

from litro.app import Litro
from litro.cli.main import examples, prepare, project_option
from litro.cli.serving import Server, app_of, listen, url_of
from litro.cli.worker import Worker
from litro.cli.workers import Workers
from litro.discovery.scan import require_project
from litro.settings import read_pyproject


@click.command(
    "serve",
    epilog=examples(
        "litro serve --port 8080",
        "litro serve --host 0.0.0.0 --workers 4 --sessions postgresql://app@db/app",
    ),
)
@project_option
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 picks one."
)
@click.option(
    "--sessions",
    metavar="URL",
    help="Where sessions are kept: file:DIR, sqlite:FILE or postgresql://…",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 256),
    default=1,
    envvar="WEB_CONCURRENCY",
    show_default=True,
    show_envvar=True,
    help="Processes that answer; about one for each core. They share the sessions' store and nothing else.",
)
@click.option(
    "--mcp/--no-mcp",
    default=None,
    help="Whether agents are MCP servers too, at /__litro/mcp/AGENT. Needs LITRO_MCP_TOKEN, or LITRO_MCP_LOCAL=1.",
)
def command(
    project: Path,
    host: str,
    port: int,
    sessions: str | None,
    workers: int,
    mcp: bool | None,  # noqa: FBT001 - click's way
) -> None:
    """Serve the project over HTTP: the app that `[tool.litro] app` names, else its agents alone.

    Each agent answers at /__litro/agent/AGENT/SESSION. SIGTERM and Ctrl-C end streams in order and give running
    turns their grace.

    With several workers any of them answers any session: a turn that runs in one is followed and cancelled from all. A
    worker that dies is replaced, and the turns that ran in it end as interrupted.
    """
    worker = Worker.inherited()
    project = prepare(project)
    logging.getLogger("litro").setLevel(logging.INFO)
    if worker is not None:
        _work(worker, app_of(project, host=host, sessions=sessions, mcp=mcp))
    elif workers > 1:
        # What no worker can start without is told before there is one.
        read_pyproject(require_project(project))
        listener = listen(host, port)
        banner = (
            f"{_banner(project, url_of(listener, host))} with {workers} workers (Ctrl-C ends it)"
        )
        Workers(listener, workers, ready=lambda: click.echo(banner, err=True)).run()
    else:
        app = app_of(project, host=host, sessions=sessions, mcp=mcp)
        listener = listen(host, port)
        banner = f"{_banner(project, url_of(listener, host))} (Ctrl-C ends it)"
        Server(app, ready=lambda: click.echo(banner, err=True), lifespan=_lifespan(app)).serve_on(
            listener
        )


def _work(worker: Worker, app: Any) -> None:
    told = logging.getLogger("litro.app")
    if worker.repeats:
        # The first worker has told what is wrong with the project.
        told.setLevel(logging.CRITICAL)
    worker.serve(app, lifespan=_lifespan(app), ready=lambda: told.setLevel(logging.NOTSET))


def _banner(project: Path, url: str) -> str:
    return f"Litro serves {project.name} at {url}"


def _lifespan(app: Any) -> str:
    """Ours must start; many apps know no lifespan."""
    return "on" if isinstance(app, Litro) else "auto"
