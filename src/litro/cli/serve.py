"""`litro serve`: the project's agents behind uvicorn, in one process."""

import ipaddress
import logging
import socket
from pathlib import Path

import click
import uvicorn

from litro.app import Litro
from litro.cli.main import prepare, project_option


@click.command("serve")
@project_option
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 picks one."
)
@click.option("--sessions", metavar="URL", help="Where sessions are kept, such as file:DIR.")
def command(project: Path, host: str, port: int, sessions: str | None) -> None:
    """Serve the project's agents over HTTP.

    Each agent answers at /__litro/agent/AGENT/SESSION. SIGTERM and Ctrl-C end streams in order and give running
    turns their grace.
    """
    project = prepare(project)
    logging.getLogger("litro").setLevel(logging.INFO)
    app = Litro(project, bound_to_loopback=_is_loopback(host), sessions=sessions)
    listener = _listen(host, port)
    config = uvicorn.Config(
        app,
        log_level="warning",
        lifespan="on",
        # Which peer may rewrite the request's head is `trusted_proxies`' business, not a default's.
        proxy_headers=False,
        server_header=False,
        # Streams end by themselves; a client that stopped reading must not keep the process.
        timeout_graceful_shutdown=2,
    )
    url = f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}"
    server = _Server(config, banner=f"Litro serves {project.name} at {url} (Ctrl-C ends it)")
    try:
        server.run(sockets=[listener])
    except SystemExit as error:
        # uvicorn has said why it could not start; its own exit codes are not ours.
        raise SystemExit(1) from error


class _Server(uvicorn.Server):
    """Tells the address once it answers."""

    def __init__(self, config: uvicorn.Config, *, banner: str) -> None:
        super().__init__(config)
        self._banner = banner

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            click.echo(self._banner, err=True)


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        message = (
            f"cannot listen on {host} port {port}: {error.strerror}.\n"
            "Name another with --port, or end the process that has it."
        )
        raise click.ClickException(message) from error
    return listener


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
