"""The preview of a project's MCP apps as an ASGI app: one agent, the apps and their components, watched as in `litro dev`.

What it shows is `litro.dev.preview`'s business.
"""

import asyncio
import contextlib
from pathlib import Path

from litro.app.life import Life, why_not_started
from litro.app.shelf import Shelf
from litro.app.telling import Telling
from litro.app.workshop import Workshop
from litro.components.rendering import Renderer
from litro.dev.files import forget_bytecode, state_of
from litro.dev.generations import Generations
from litro.dev.preview.asking import Asking
from litro.dev.preview.board import Board
from litro.dev.preview.site import Site
from litro.dev.watching import Watching
from litro.discovery.load import Loaded, load
from litro.discovery.scan import Scan, scan
from litro.errors import Problem, ProjectError
from litro.gates import GatePolicy
from litro.http.answers import Receive, Scope, Send
from litro.http.signals import Signals
from litro.http.streams import Streams
from litro.mcp.agent import McpAgent
from litro.mcp.packed import AppMissing
from litro.settings import Settings, resolve
from litro.turn.threads import ToolThreads


class Preview:
    """A preview as an ASGI app.

    Args:
        project: The project's folder, absolute. Its modules can be imported by now.
        agent: The name of the agent whose tools are called.
        apps_dir: Where packed documents are, where an option says so.
    """

    def __init__(self, project: Path, agent: str, *, apps_dir: Path | None = None) -> None:
        self._project = project
        self._agent = agent
        self._flags = {} if apps_dir is None else {"mcp_apps_dir": str(apps_dir)}
        self._running: _Running | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one ASGI connection."""
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1000, "reason": "not a websocket"})
        elif self._running is not None:
            await self._running.site(scope, receive, send)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        await receive()
        try:
            self._running = await self._start()
        except Exception as error:  # noqa: BLE001 - the protocol: the server is told, and says it
            await send({"type": "lifespan.startup.failed", "message": why_not_started(error)})
            return
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self._running.stop()
        await send({"type": "lifespan.shutdown.complete"})

    async def _start(self) -> "_Running":
        seen = state_of(self._project / "agents")
        scanned = scan(self._project)
        loaded = load(scanned, only=(self._agent,))
        if scanned.config is not None and loaded.config is None:
            loaded.unload()
            raise ProjectError(loaded.problems)
        settings = resolve(self._project, config=loaded.config, flags=self._flags)
        life = await Life.begin(settings.lifespan)
        running = _Running(settings, scanned, loaded, agent=self._agent, life=life)
        try:
            await running.begin()
            running.watching = Watching(self._project, running.reload)
            await running.watching.start(seen)
        except BaseException:
            await running.stop()
            raise
        return running


class _Running:
    """A preview that has started: its parts, wired."""

    def __init__(
        self, settings: Settings, scanned: Scan, loaded: Loaded, *, agent: str, life: Life
    ) -> None:
        self._settings = settings
        self._agent = agent
        self._life = life
        self._threads = ToolThreads(settings.tool_threads)
        self._loaded = loaded
        self._generations = Generations(scanned, loaded, is_lasting=settings.lifespan is not None)
        self._streams = Streams()
        gates = GatePolicy(loopback_only=True)
        self._board = Board(gates, self._streams, project=settings.project.name, agent=agent)
        self._telling = Telling(settings.project, self._board, traced=True)
        self._workshop = Workshop(settings, self._telling, self._board)
        renderer = Renderer(self._workshop.components, settings.adapter_now)
        self._shelf = Shelf(settings, self._workshop.components, renderer, self._telling)
        self._served: McpAgent | None = None
        self._signals = Signals(self._leave)
        self.site = Site(gates, self._board, Asking(lambda: self._served, life.state).answer)
        self.watching: Watching | None = None

    async def begin(self) -> None:
        """Pack what there is, and watch it."""
        self._telling.agents(self._loaded.problems)
        self._workshop.begin(watched=True, then=self._renew_apps)
        self._shelf.begin(self._renew_apps)
        await self._shelf.settled()
        self._show()
        self._signals.install(hold=False)

    def reload(self) -> tuple[Problem, ...]:
        """Take the agent anew, after an edit."""
        project = self._settings.project
        forget_bytecode(project / "agents")
        scanned = scan(project)
        self._loaded = load(scanned, only=(self._agent,))
        self._generations.take(scanned, self._loaded)
        self._telling.agents(self._loaded.problems)
        self._show()
        self._generations.forget(list(self._generations.agents.values()))
        return self._loaded.problems

    async def stop(self) -> None:
        """End what is under way, and close what was opened."""
        if self.watching is not None:
            await self.watching.stop()
        await self._leave()
        self._signals.restore()
        await self._shelf.stop()
        await self._workshop.stop()
        await self._life.end()
        self._generations.unload()

    async def _renew_apps(self) -> tuple[Problem, ...]:
        problems = await self._shelf.renew()
        self._show()
        return problems

    def _show(self) -> None:
        agents = self._generations.agents
        self._shelf.check(agents)
        agent = agents.get(self._agent)
        # As long as an app is missing, which the page tells, the agent is what it was.
        with contextlib.suppress(AppMissing):
            self._served = agent and McpAgent(
                agent, self._threads, development=True, apps=self._shelf.apps
            )
        self._board.put(self._shelf.apps, self._served)

    def _leave(self) -> "asyncio.Future[None]":
        self._streams.leave()
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        done.set_result(None)
        return done
