"""`litro dev`: the project while somebody writes it.

Edits below agents/ are the app's own business (`litro.dev.watching`). For any other, the process begins anew
(`litro.cli.again`).
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from litro.app import Litro
from litro.cli.again import Again
from litro.cli.main import examples, project_option
from litro.cli.serving import App, app_of, is_loopback, url_of
from litro.dev.inspector.site import PATH
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

    The inspector shows agents, sessions and what models were asked, at /__litro/inspector below where the agents are mounted. It
    answers this machine alone.
    """
    again = Again()
    project = require_project(project)
    os.environ["LITRO_DEV"] = "1"
    listener = again.listener(host, port)
    mounts: list[str] = []

    def make(project: Path) -> App:
        app = app_of(project, host=host, sessions=sessions)
        mounts.extend(_mounts(app))
        return app

    stage = again.stage(project, make)
    own = _on_this_machine(host)
    inspectors = (
        [] if own is None else [f"Inspector: {url_of(listener, own)}{m}{PATH}" for m in mounts]
    )
    again.serve(stage, listener, f"{project.name} at {url_of(listener, host)}", inspectors)


def _mounts(app: Any, below: str = "") -> Iterator[str]:
    """Where an app has agents, as far as its routes tell: middleware around a mounted app hides it."""
    if isinstance(app, Litro):
        yield below
    for route in getattr(app, "routes", ()):
        path = getattr(route, "path", None)
        if isinstance(path, str):
            yield from _mounts(getattr(route, "app", None), below + path)


def _on_this_machine(host: str) -> str | None:
    """By which name this machine reaches what listens on `host`, where that is a loopback name."""
    if host in {"", "0.0.0.0"}:  # noqa: S104 - compared, not bound
        return "127.0.0.1"
    if host == "::":
        return "::1"
    return host if is_loopback(host) else None
