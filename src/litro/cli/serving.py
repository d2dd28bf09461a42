"""What `litro serve` and `litro dev` share: the app that a project names, a socket, and uvicorn in this process."""

import importlib
import ipaddress
import os
import socket
import sys
from collections.abc import Awaitable, Callable
from functools import reduce
from pathlib import Path
from typing import Any, cast

import click
import uvicorn

from litro.app import Litro
from litro.discovery.faults import problem_of
from litro.discovery.modules import Generation
from litro.errors import Problem, ProjectError
from litro.http.answers import Receive, Scope, Send
from litro.settings import read_pyproject

App = Callable[[Scope, Receive, Send], Awaitable[None]]


def app_of(project: Path, *, host: str, sessions: str | None, mcp: bool | None = None) -> App:
    """What the project serves: the app that `[tool.litro] app` names, else its agents alone.

    Args:
        project: Its folder.
        host: The address to listen on.
        sessions: Where sessions are kept, where an option says so.
        mcp: Whether agents are MCP servers too, where an option says so.

    Raises:
        ProjectError, SettingsError: There is no project, or its app cannot be imported.
    """
    named = read_pyproject(project).get("app")
    if named is None:
        return Litro(project, loopback=is_loopback(host), sessions=sessions, mcp=mcp)
    # The app makes its own Litro, which this command reaches by the environment alone.
    if sessions is not None:
        os.environ["LITRO_SESSIONS"] = sessions
    if mcp is not None:
        os.environ["LITRO_MCP"] = "1" if mcp else "0"
    if is_loopback(host):
        os.environ.setdefault("LITRO_LOOPBACK", "1")
    return _imported(project, named)


def _imported(project: Path, named: str) -> App:
    module_name, _, attribute = named.partition(":")
    pyproject = project / "pyproject.toml"
    try:
        module = importlib.import_module(module_name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # the user's code, which may even call sys.exit()
        if isinstance(error, ModuleNotFoundError) and error.name == module_name:
            text = (
                f"[tool.litro] app is {named!r}, but there is no module {module_name!r} in {project} or its src/. "
                "Correct the name, or add the file."
            )
            raise ProjectError([Problem(path=pyproject, line=None, text=text)]) from None
        generation = Generation(project)
        problem = problem_of(error, generation, pyproject)
        generation.unload()
        raise ProjectError([problem]) from error
    try:
        app: Any = reduce(getattr, attribute.split("."), module)
    except AttributeError:
        text = f"[tool.litro] app is {named!r}, but {module_name!r} has no {attribute!r}. Correct the name."
        raise ProjectError([Problem(path=pyproject, line=None, text=text)]) from None
    if not callable(app):
        text = f"[tool.litro] app is {named!r}, which is of type {type(app).__name__}. Name an ASGI app."
        raise ProjectError([Problem(path=pyproject, line=None, text=text)])
    return cast("App", app)


def listen(host: str, port: int, *, tries: int = 1) -> socket.socket:
    """A socket that is bound to the address, or to one of the next ports.

    Raises:
        click.ClickException: None of them can be had.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for number in range(port, port + tries):
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, number))
        except (OSError, OverflowError) as error:
            listener.close()
            if isinstance(error, OSError) and number < port + tries - 1 and number < 65535:
                continue
            reason = error.strerror if isinstance(error, OSError) else error
            message = (
                f"cannot listen on {host} port {number}: {reason}.\n"
                "Name another with --port, or end the process that has it."
            )
            raise click.ClickException(message) from error
        return listener
    raise AssertionError(tries)


def url_of(listener: socket.socket, host: str) -> str:
    """The address to show."""
    return f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}"


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Server(uvicorn.Server):
    """uvicorn with our choices.

    Args:
        app: What to serve.
        ready: Called once it answers.
        lifespan: `on` where the app has one, `auto` where that is not known.
    """

    def __init__(self, app: App, *, ready: Callable[[], None], lifespan: Any) -> None:
        config = uvicorn.Config(
            app,
            log_level="warning",
            lifespan=lifespan,
            # Which peer may rewrite the request's head is `trusted_proxies`' business, not a default's.
            proxy_headers=False,
            server_header=False,
            # Streams end by themselves; a client that stopped reading must not keep the process.
            timeout_graceful_shutdown=2,
        )
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so."""
        await super().startup(sockets)
        if self.started:
            self._ready()

    def serve_on(self, listener: socket.socket) -> None:
        """Serve until a signal.

        Raises:
            SystemExit: With 1, where it could not start; uvicorn has said why.
        """
        try:
            self.run(sockets=[listener])
        except SystemExit as error:
            # uvicorn's own exit codes are not ours.
            raise SystemExit(1) from error


def own_command() -> list[str]:
    """How this process was started, for it to be started so again."""
    return [sys.executable, *sys.orig_argv[1:]]
