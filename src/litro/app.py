"""The app: a project's folder as an ASGI application, and what wires its parts together.

Composition only. Nothing is read or imported before the first request, or before `lifespan` where the host app runs it:
a mounted app's own lifespan is never run by its host.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from litro.definitions import Lifespan, Principal
from litro.dev.files import State, forget_bytecode, state_of
from litro.dev.generations import Generations
from litro.dev.page import Page
from litro.dev.trouble import of_problem, tell_all
from litro.discovery.load import Loaded, load
from litro.discovery.scan import Scan, require_project, scan
from litro.errors import Problem, ProjectError, SettingsError
from litro.gates import GatePolicy
from litro.http.agent import AgentRoutes, Rules
from litro.http.answers import Receive, Scope, Send, failure, of_error
from litro.http.assets import Assets
from litro.http.signals import Signals
from litro.http.streams import Streams
from litro.sessions import open_store
from litro.sessions.base import SessionKey
from litro.settings import Settings, resolve
from litro.turn.conversations import Conversations
from litro.turn.runner import Surroundings
from litro.turn.session import Session

if TYPE_CHECKING:
    from litro.dev.watching import Watching

logger = logging.getLogger(__name__)


def create_app(project: Path | str, **settings: Any) -> "Litro":
    """The project's agents as an ASGI app: serve it, or mount it at any path of another.

    Args:
        project: The folder with `agents/` in it.
        settings: Settings by name, as flags are: they win over the environment and every file. `watch=False` keeps
            the app from watching files in development.

    Raises:
        ProjectError: There is no such project.
    """
    return Litro(Path(project), **settings)


class Litro:
    """A project as an ASGI app. See `create_app`.

    Args:
        project: The folder with `agents/` in it.
        bound_to_loopback: Whether the server that runs it listens on loopback alone: then only loopback names are
            answered, against DNS rebinding. A host app's server is not known.
        watch: Whether files are watched in development: False for what is over before anybody edits one.
        settings: Settings by name.
    """

    def __init__(
        self,
        project: Path,
        *,
        bound_to_loopback: bool = False,
        watch: bool = True,
        **settings: Any,
    ) -> None:
        self.project = require_project(project)
        self._bound_to_loopback = bound_to_loopback
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
        """Load the project's agents anew, and serve them from the next turn on.

        Turns that run keep what they began with. An agent that cannot be loaded keeps the last generation in which it
        could; so does `agents/_config.py`, of which only the guard is taken anew: other settings, the store and the
        lifespan stay.

        Returns:
            Everything that is wrong now.

        Raises:
            ProjectError, SettingsError: The project was not started yet, and cannot be.
        """
        return (await self.start()).reload()

    async def _load(self) -> "Running":
        seen = state_of(self.project / "agents")
        scanned = scan(self.project)
        loaded = load(scanned)
        try:
            running = await self._run(scanned, loaded)
        except BaseException:
            loaded.unload()
            raise
        running.tell_problems()
        if running.settings.development and self._watch:
            await running.watch(seen)
        if running.settings.signals:
            running.signals.install(hold=not self._has_lifespan)
        return running

    async def _run(self, scanned: Scan, loaded: Loaded) -> "Running":
        if scanned.config is not None and loaded.config is None:
            # Its guard and its store are unknown, so nothing may be served.
            raise ProjectError(loaded.problems)
        settings = resolve(self.project, config=loaded.config, flags=self._flags)
        if settings.mcp:
            msg = "mcp is on, but this version of Litro serves no MCP yet, so it has to be off."
            raise SettingsError(msg)
        return Running(
            settings,
            scanned,
            loaded,
            gates=settings.gate_policy(bound_to_loopback=self._bound_to_loopback),
            life=await _Life.begin(settings.lifespan),
        )

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
            or await running.assets(path, scope, send)
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
            await send({"type": "lifespan.startup.failed", "message": str(error)})
            return
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self.shutdown()
        await send({"type": "lifespan.shutdown.complete"})


def _below_mount(scope: Scope) -> str:
    """The path below where the app is mounted. Hosts differ on whether `path` includes `root_path`."""
    root, path = scope.get("root_path", "").rstrip("/"), scope["path"]
    return path[len(root) :] if root and path.startswith(root + "/") else path


class Running:
    """A started project: its parts, wired.

    Attributes:
        settings: Every setting, resolved.
        loaded: The newest generation: its agents, and what is wrong with others.
        conversations: What every surface speaks through.
        page: What open pages are told, in development.
    """

    def __init__(
        self,
        settings: Settings,
        scanned: Scan,
        loaded: Loaded,
        *,
        gates: GatePolicy,
        life: "_Life",
    ) -> None:
        surroundings = Surroundings(
            development=settings.development, tool_threads=settings.tool_threads
        )
        surroundings.state = life.state
        self.settings = settings
        self.loaded = loaded
        self._generations = Generations(
            scanned,
            loaded,
            is_lasting=settings.lifespan is not None or not isinstance(settings.sessions, str),
        )
        self.conversations = Conversations(
            open_store(settings.sessions),
            loaded.agents,
            broken=self._broken(),
            surroundings=surroundings,
            max_turns=settings.max_turns,
        )
        self.streams = Streams()
        rules = Rules(
            gates=gates,
            # An edit to the guard counts in development, where generations follow each other.
            access=self._generations.guard if settings.development else settings.access,
            max_body=settings.max_body,
            development=settings.development,
        )
        self.routes = AgentRoutes(self.conversations, rules, self.streams)
        self.assets = Assets(gates, development=settings.development)
        self.page = Page(gates, self.streams) if settings.development else None
        self._watching: Watching | None = None
        self._life = life
        self._leaving: asyncio.Task[None] | None = None
        self.signals = Signals(self.leave)

    def tell_problems(self) -> None:
        """Tell what is wrong with the newest generation: to the developer and open pages, or to the log."""
        if self.page is None:
            for problem in self.loaded.problems:
                logger.error("%s", problem)
            return
        project = self.settings.project
        troubles = tuple(of_problem(problem, project) for problem in self.loaded.problems)
        tell_all(troubles)
        self.page.show(troubles)

    async def watch(self, seen: State) -> None:
        """Reload when files below agents/ are not as they were `seen`, until the app goes away."""
        # watchfiles is for development only, and not imported elsewhere.
        from litro.dev.watching import Watching  # noqa: PLC0415

        self._watching = Watching(self.settings.project, self.reload)
        await self._watching.start(seen)

    def reload(self) -> tuple[Problem, ...]:
        """Serve a new generation of the project's agents. See `Litro.reload`."""
        # Modules that a file imports relatively come by way of Python's own cache.
        forget_bytecode(self.settings.project / "agents")
        scanned = scan(self.settings.project)
        self.loaded = load(scanned)
        self._generations.take(scanned, self.loaded)
        self.conversations.swap(
            self._generations.agents, broken=self._broken(), retired=self._forget
        )
        self.tell_problems()
        return self.loaded.problems

    def _forget(self) -> None:
        self._generations.forget(self.conversations.in_use())

    def _broken(self) -> dict[str, str]:
        if not self.settings.development:
            return dict.fromkeys(self._generations.broken, "the server's log says why.")
        return {
            name: "\n".join(map(str, problems))
            for name, problems in self._generations.broken.items()
        }

    def leave(self) -> "asyncio.Task[None]":
        """Begin to go away: streams say goodbye, running turns get their grace. Done when none runs any more."""
        if self._leaving is None:
            self.streams.leave()
            self._leaving = asyncio.create_task(self.conversations.leave(self.settings.grace))
        return self._leaving

    async def stop(self) -> None:
        """Go away, and close what was opened."""
        if self._watching is not None:
            await self._watching.stop()
        await self.leave()
        self.signals.restore()
        await self.conversations.close()
        await self._life.end()
        self._generations.unload()


class _Life:
    """The user's lifespan, entered and left in one task, as context managers with task groups require."""

    def __init__(self) -> None:
        self.state: Any = None
        self._over = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @classmethod
    async def begin(cls, lifespan: Lifespan | None) -> "_Life":
        life = cls()
        if lifespan is not None:
            begun: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            life._task = asyncio.create_task(life._live(lifespan, begun))
            await asyncio.wait({life._task, begun}, return_when=asyncio.FIRST_COMPLETED)
            if not begun.done():
                await life._task
        return life

    async def end(self) -> None:
        self._over.set()
        if self._task is not None:
            await self._task

    async def _live(self, lifespan: Lifespan, begun: "asyncio.Future[None]") -> None:
        async with lifespan() as self.state:
            begun.set_result(None)
            await self._over.wait()
