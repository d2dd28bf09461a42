"""A running app's packed MCP apps: read when it starts; in development packed when it starts, and anew when their files change.

What apps are, and how they are packed, is `litro.mcp.apps`' business. No request comes here: what was read last is served.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from litro.app.telling import Telling
from litro.components import Components
from litro.components.rendering import Renderer
from litro.dev.trouble import tell
from litro.discovery.load import LoadedAgent
from litro.errors import LitroError, Problem, ProjectError
from litro.mcp.apps.output import Packed, write
from litro.mcp.apps.sources import FOLDER, find
from litro.mcp.packed import AppMissing, PackedApps, read_apps
from litro.settings import Settings

logger: Final = logging.getLogger(__name__)


class Shelf:
    """Keeps an app's packed MCP apps.

    Args:
        settings: The app's.
        components: What the apps are made of.
        renderer: Renders their shells.
        telling: Told what is wrong, in development.
        watched: Whether `begin` is going to be called.

    Attributes:
        apps: What is served.
    """

    def __init__(
        self,
        settings: Settings,
        components: Components,
        renderer: Renderer,
        telling: Telling,
        *,
        watched: bool = True,
    ) -> None:
        self._settings = settings
        self._components = components
        self._renderer = renderer
        self._telling = telling
        self._sources = settings.project / FOLDER
        self._packing = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None
        self._is_settled = asyncio.Event()
        self._is_watched = watched
        if not watched:
            self._is_settled.set()
        self._problems: tuple[Problem, ...] = ()
        self.apps: PackedApps = self._read()

    def begin(self, renew: Callable[[], Awaitable[object]]) -> None:
        """Pack, and pack anew when something below mcp-apps/ changes. For development.

        Args:
            renew: Calls `renew`, and passes on what came of it.
        """
        # watchfiles is for development only, and not imported elsewhere.
        from litro.dev.watching_apps import WatchingApps  # noqa: PLC0415

        async def watch() -> None:
            try:
                await WatchingApps(self._sources, renew).run()
            finally:
                # Where nothing can be watched, nobody is to wait.
                self._is_settled.set()

        self._task = asyncio.create_task(watch())

    @property
    def notices(self) -> tuple[str, ...]:
        """What whoever runs the server should know at its start."""
        count = len(self.apps)
        apps = "1 packed app" if count == 1 else f"{count} packed apps"
        served = (f"MCP serves {apps} of {self.apps.folder}.",) if count else ()
        return (*served, *self.apps.reports(self._settings.project))

    async def settled(self) -> None:
        """Wait until they were packed for the first time, if they are going to be."""
        await self._is_settled.wait()

    async def renew(self) -> tuple[Problem, ...]:
        """Pack in development, or where files are watched; then read. What cannot be packed leaves the last good ones in use.

        Returns:
            What is wrong.
        """
        async with self._packing:
            packs = self._is_watched or self._settings.development
            self._problems = await self._packed() if packs else ()
            before, self.apps = self.apps.packed, await asyncio.to_thread(self._read)
            if self._is_watched and self.apps.packed != before:
                tell(f"packed {', '.join(app.name for app in self.apps.packed) or 'no MCP apps'}")
            self._is_settled.set()
            return self._problems

    def check(self, agents: Mapping[str, LoadedAgent]) -> None:
        """Tell what is wrong where files are watched: also which tools name apps that are not there."""
        if not self._is_watched or not self._is_settled.is_set():
            return
        # As long as something cannot be packed, what is missing is told by that.
        missing = [problem for agent in agents.values() for problem in self._missing(agent)]
        self._telling.apps(self._problems or missing)

    async def stop(self) -> None:
        """End what is under way."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})
        self._is_settled.set()

    async def _packed(self) -> tuple[Problem, ...]:
        # A server that only reads has no use for it.
        from litro.mcp.apps.packing import pack  # noqa: PLC0415

        if not await asyncio.to_thread(self._sources.is_dir):
            # What is packed came from elsewhere.
            return ()
        try:
            packed: tuple[Packed, ...] = ()
            if await asyncio.to_thread(lambda: find(self._sources).files):
                packed = await pack(
                    self._settings.project,
                    folder=self._sources,
                    renderer=self._renderer,
                    components=self._components,
                    node=self._settings.node,
                )
            await asyncio.to_thread(self._write, packed)
        except ProjectError as error:
            return error.problems
        except (LitroError, OSError) as error:
            return (Problem(path=self._sources, line=None, text=str(error)),)
        return ()

    def _write(self, packed: tuple[Packed, ...]) -> None:
        # What is written where files are watched is a change, and would be packed for ever.
        if packed != self._read().packed:
            write(self._settings.mcp_apps_dir, packed)

    def _read(self) -> PackedApps:
        settings = self._settings
        return read_apps(settings.mcp_apps_dir, versions=settings.mcp_app_versions)

    def _missing(self, agent: LoadedAgent) -> list[Problem]:
        found: list[Problem] = []
        for name, tool in agent.tools.items():
            try:
                self.apps.addresses_for({name: tool})
            except AppMissing as error:
                path = agent.folder / "tools" / f"{name}.py"
                found.append(Problem(path=path, line=tool.line, text=str(error)))
        return found
