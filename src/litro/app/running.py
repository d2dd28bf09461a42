"""A started project: its parts, wired, and its generations in development.

It is no ASGI app: `litro.app.asgi` is, and hands requests to `routes`, `mcp`, `inspector`, `assets`, `component_files` and `page`.
"""

import asyncio
import logging
from typing import TYPE_CHECKING, Final

from litro.app.life import Life
from litro.app.shelf import Shelf
from litro.app.telling import Telling
from litro.app.workshop import Workshop
from litro.components.project import Components
from litro.components.rendering import Renderer
from litro.dev.files import State, forget_bytecode
from litro.dev.generations import Generations
from litro.dev.inspector import Inspector
from litro.dev.inspector.agents import Known
from litro.dev.page import Page
from litro.discovery.load import Loaded, load
from litro.discovery.scan import Scan, scan
from litro.errors import Problem
from litro.gates import GatePolicy
from litro.http.agent import AgentRoutes, Rules
from litro.http.assets import Assets
from litro.http.components import ComponentFiles
from litro.http.signals import Signals
from litro.http.streams import Streams
from litro.mcp.agent import McpAgent
from litro.mcp.gates import McpPolicy
from litro.mcp.http import McpRoutes
from litro.sessions import open_store
from litro.settings import Settings
from litro.turn.conversations import Conversations
from litro.turn.runner import Surroundings

if TYPE_CHECKING:
    from litro.dev.watching import Watching

logger: Final = logging.getLogger(__name__)


class Running:
    """A started project: its parts, wired.

    Attributes:
        settings: Every setting, resolved.
        loaded: The newest generation: its agents, and what is wrong with others.
        conversations: What every surface speaks through.
        page: What open pages are told, in development.
        inspector: The inspector, in development.
    """

    def __init__(
        self,
        settings: Settings,
        scanned: Scan,
        loaded: Loaded,
        *,
        gates: GatePolicy,
        mcp: McpPolicy | None,
        life: Life,
        watched: bool,
    ) -> None:
        self.streams: Streams = Streams()
        self.page: Page | None = Page(gates, self.streams) if settings.development else None
        self._telling = Telling(settings.project, self.page, traced=watched)
        self._workshop = Workshop(settings, self._telling, self.page)
        self.components: Components = self._workshop.components
        self.renderer: Renderer = Renderer(self.components, settings.adapter_now)
        self._shelf = Shelf(
            settings,
            self.components,
            self.renderer,
            self._telling,
            watched=watched and settings.development,
        )
        surroundings = Surroundings(
            development=settings.development,
            tool_threads=settings.tool_threads,
            templates=self.renderer,
        )
        surroundings.state = life.state
        self.settings = settings
        self.loaded: Loaded = loaded
        self._generations = Generations(
            scanned,
            loaded,
            is_lasting=settings.lifespan is not None or not isinstance(settings.sessions, str),
        )
        self.conversations: Conversations = Conversations(
            open_store(settings.sessions),
            loaded.agents,
            broken=self._broken(),
            surroundings=surroundings,
            max_turns=settings.max_turns,
        )
        rules = Rules(
            gates=gates,
            # An edit to the guard counts in development, where generations follow each other.
            access=self._generations.guard if settings.development else settings.access,
            max_body=settings.max_body,
            development=settings.development,
        )
        self.routes: AgentRoutes = AgentRoutes(self.conversations, rules, self.streams)
        self.mcp: McpRoutes = McpRoutes(
            self.conversations,
            rules,
            mcp,
            lambda agent: McpAgent(
                agent,
                surroundings.threads,
                development=settings.development,
                apps=self._shelf.apps,
            ),
            state=life.state,
            is_json=settings.mcp_json,
            retired=self._forget,
            settled=self._shelf.settled,
        )
        if self.mcp.notices:
            self.mcp.notices += self._shelf.notices
        self.inspector: Inspector | None = (
            self._inspector(surroundings, rules) if settings.development else None
        )
        self.assets: Assets = Assets(gates, development=settings.development)
        self.component_files: ComponentFiles = ComponentFiles(
            self.components, settings.project, gates, development=settings.development
        )
        self._watching: Watching | None = None
        self._life = life
        self._leaving: asyncio.Task[None] | None = None
        self.signals: Signals = Signals(self.leave)

    def tell_problems(self) -> None:
        """Tell what is wrong with the newest generation: to the developer and open pages, or to the log."""
        self._telling.agents(self.loaded.problems)
        self._shelf.check(self.conversations.agents)
        if self.page is not None:
            return
        for name, agent in self.loaded.agents.items():
            if agent.agent.access is None and self.settings.access is None:
                logger.warning(
                    "Agent %r has no guard, so whoever reaches the server may talk to it. "
                    "Give it one: Agent(…, access=…), or Config(access=…) for all.",
                    name,
                )

    def make_components(self) -> None:
        """Begin to make the project's components; in development, anew when their files change, and MCP apps of them."""
        watched = self.page is not None
        self._workshop.begin(watched=watched, then=self._renew_apps)
        if watched:
            self._shelf.begin(self._renew_apps)

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

    async def renew_components(self) -> tuple[Problem, ...]:
        """Make the project's components anew, and in development its MCP apps. See `Litro.reload`."""
        of_components = await self._workshop.renew() if self.components.exist else ()
        return (*of_components, *await self._renew_apps())

    async def _renew_apps(self) -> tuple[Problem, ...]:
        problems = await self._shelf.renew()
        self.mcp.renew()
        self._shelf.check(self.conversations.agents)
        return problems

    def _inspector(self, surroundings: Surroundings, rules: Rules) -> Inspector:
        known = Known(
            project=self.settings.project,
            generations=self._generations,
            newest=lambda: self.loaded,
            of_components=lambda: self._telling.of_components,
            has_mcp=self.settings.mcp_policy() is not None,
        )
        return Inspector(
            known,
            self.conversations,
            surroundings,
            gates=rules.gates,
            streams=self.streams,
            max_body=rules.max_body,
            retired=self._forget,
        )

    def _forget(self) -> None:
        by_hand = () if self.inspector is None else self.inspector.in_use
        self._generations.forget([*self.conversations.in_use(), *self.mcp.in_use, *by_hand])

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
            self._leaving = asyncio.create_task(self._leave())
        return self._leaving

    async def _leave(self) -> None:
        grace = self.settings.grace
        await asyncio.gather(self.conversations.leave(grace), self.mcp.leave(grace))

    async def stop(self) -> None:
        """Go away, and close what was opened."""
        if self._watching is not None:
            await self._watching.stop()
        await self.leave()
        self.signals.restore()
        await self.conversations.close()
        await self._shelf.stop()
        await self._workshop.stop()
        await self._life.end()
        self._generations.unload()
