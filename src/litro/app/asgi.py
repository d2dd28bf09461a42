"""The project as an ASGI application.

Nothing is read or imported before the first request, or before `lifespan` where the host app runs it: a mounted app's own
lifespan is never run by its host.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any, Final

from markupsafe import Markup

from litro.app.life import Life, why_not_started
from litro.app.running import Running
from litro.definitions import Principal
from litro.dev.files import State, state_of
from litro.discovery.load import Loaded, load
from litro.discovery.scan import Scan, require_project, scan
from litro.errors import Problem, ProjectError
from litro.http.answers import Receive, Scope, Send, failure, of_error
from litro.mcp.http import require_sdk
from litro.sessions.base import SessionKey
from litro.settings import resolve
from litro.turn.conversations import Conversations
from litro.turn.session import Session
from litro.ui.template import Template

logger: Final = logging.getLogger(__name__)


def create_app(project: Path | str, **settings: Any) -> "Litro":
    """The project's agents as an ASGI app: serve it, or mount it at any path of another.

    Args:
        project: The folder with `agents/` in it.
        settings: Settings by name, as flags are: they win over the environment and every file. `watch=False` is for
            what is over soon: no file is watched in development, and no session recovered that nobody speaks in.

    Raises:
        ProjectError: There is no such project.
    """
    return Litro(Path(project), **settings)


class Litro:
    """A project as an ASGI app. See `create_app`.

    Args:
        project: The folder with `agents/` in it.
        watch: Whether what changes is looked after: files in development, and sessions that other processes left. False
            for what is over soon.
        settings: Settings by name.
    """

    def __init__(self, project: Path, *, watch: bool = True, **settings: Any) -> None:
        self.project: Path = require_project(project)
        self._watch = watch
        self._flags = settings
        self._starting = asyncio.Lock()
        self._has_lifespan = False
        self._running: Running | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one ASGI connection."""
        match scope["type"]:
            case "http":
                await self._http(scope, receive, send)
            case "websocket":
                await receive()
                await send({"type": "websocket.close", "code": 1000, "reason": "not a websocket"})
            case "lifespan":
                await self._own_lifespan(receive, send)
            case _:
                return

    @contextlib.asynccontextmanager
    async def lifespan(self, app: object = None) -> AsyncGenerator[None]:  # noqa: ARG002 - what hosts pass
        """Start with the host app and end with it: `FastAPI(lifespan=litro.lifespan)`.

        Raises:
            ProjectError, SettingsError: The project cannot be served.
        """
        self._has_lifespan = True
        await self.start()
        try:
            yield
        finally:
            await self.shutdown()

    def session(self, agent: str, session: str, *, principal: Principal = None) -> Session:
        """A session in process: `async for event in app.session("demo", "s1").send("Hi"): …`."""

        async def conversations() -> Conversations:
            return (await self.start()).conversations

        return Session(SessionKey(agent, session), principal, conversations)

    async def render(self, template: Template) -> Markup:
        """A template of the project's components, for a page of the host app: in place, and alive once `client.js` loads.

        Raises:
            ProjectError, SettingsError: The project cannot be served.
            EngineMissing, RenderFailed, TemplateError: The template cannot be rendered; the message says why.
        """
        return await (await self.start()).renderer.page(template)

    async def start(self) -> "Running":
        """Load the project, unless it is loaded.

        Raises:
            ProjectError, SettingsError: The project cannot be served.
        """
        if self._running is None:
            async with self._starting:
                if self._running is None:
                    self._running = await self._load()
        return self._running

    async def reload(self) -> tuple[Problem, ...]:
        """Load the project's agents and components anew, and serve them from the next turn on.

        Turns that run keep what they began with. An agent that cannot be loaded keeps the last generation in which it
        could; so does `agents/_config.py`, of which only the guard is taken anew: other settings, the store and the
        lifespan stay.

        Returns:
            Everything that is wrong now.

        Raises:
            ProjectError, SettingsError: The project was not started yet, and cannot be.
        """
        running = await self.start()
        return (*running.reload(), *await running.renew_components())

    async def _load(self) -> "Running":
        seen = state_of(self.project / "agents")
        scanned = scan(self.project)
        loaded = load(scanned)
        try:
            running = await self._run(scanned, loaded)
        except BaseException:
            loaded.unload()
            raise
        try:
            await self._begin(running, seen)
        except BaseException:
            # Nobody else would end it, and the next request begins another.
            await running.stop()
            raise
        return running

    async def _begin(self, running: Running, seen: State) -> None:
        running.tell_problems()
        for notice in running.mcp.notices:
            logger.info("%s", notice)
        if self._watch:
            running.conversations.recovery.begin()
            running.make_components()
        if running.settings.development and self._watch:
            await running.watch(seen)
        if running.settings.signals:
            running.signals.install(hold=not self._has_lifespan)

    async def _run(self, scanned: Scan, loaded: Loaded) -> "Running":
        if scanned.config is not None and loaded.config is None:
            # Its guard and its store are unknown, so nothing may be served.
            raise ProjectError(loaded.problems)
        settings = resolve(self.project, config=loaded.config, flags=self._flags)
        # Refused before the lifespan begins, where that can be.
        mcp = settings.mcp_policy()
        if mcp is not None and not settings.development:
            require_sdk()
        life = await Life.begin(settings.lifespan)
        try:
            return Running(
                settings,
                scanned,
                loaded,
                gates=settings.gate_policy(),
                mcp=mcp,
                life=life,
                watched=self._watch,
            )
        except BaseException:
            # Such as a store that cannot be had. Each request would begin a lifespan, and none would end.
            await life.end()
            raise

    async def shutdown(self) -> None:
        """End streams and turns in order, then close what was opened."""
        running, self._running = self._running, None
        if running is not None:
            await running.stop()

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            running = await self.start()
        except Exception as error:
            logger.exception("%s cannot be served", self.project)
            await of_error(error, development=False).send(send, [])
            return
        path = _below_mount(scope)
        if not (
            await running.routes(path, scope, receive, send)
            or await running.mcp(path, scope, receive, send)
            or (
                running.inspector is not None
                and await running.inspector(path, scope, receive, send)
            )
            or await running.assets(path, scope, send)
            or await running.component_files(path, scope, send)
            or (running.page is not None and await running.page(path, scope, receive, send))
        ):
            answer = failure(404, "not-found", f"Nothing is served at {path[:200]!r}.")
            await answer.send(send, [], with_body=scope["method"] != "HEAD")

    async def _own_lifespan(self, receive: Receive, send: Send) -> None:
        await receive()
        self._has_lifespan = True
        try:
            await self.start()
        except Exception as error:  # noqa: BLE001 - the protocol: the server is told, and says it
            await send({"type": "lifespan.startup.failed", "message": why_not_started(error)})
            return
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self.shutdown()
        await send({"type": "lifespan.shutdown.complete"})


def _below_mount(scope: Scope) -> str:
    """The path below where the app is mounted. Hosts differ on whether `path` includes `root_path`."""
    root, path = scope.get("root_path", "").rstrip("/"), scope["path"]
    return path[len(root) :] if root and path.startswith(root + "/") else path
