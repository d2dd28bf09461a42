"""A running app's components: made when it starts, made anew in development when files change, and what is wrong with them told.

What components are, and how they are made, is `litro.components`' business.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

from litro.app.telling import Telling
from litro.components import Components
from litro.components.project import Generation, unmade
from litro.dev.page import Page
from litro.dev.trouble import tell
from litro.errors import EngineMissing, Problem, RenderFailed
from litro.settings import Settings


class Workshop:
    """Makes an app's components.

    Args:
        settings: The app's.
        telling: Told what is wrong.
        page: Told which components are in use, in development.

    Attributes:
        components: The project's.
    """

    def __init__(self, settings: Settings, telling: Telling, page: Page | None) -> None:
        self.components: Components = Components(
            settings.project,
            node=settings.node,
            processes=1 if settings.development else min(2, os.cpu_count() or 1),
            development=settings.development,
            tell=telling.components,
        )
        self._project = settings.project
        self._telling = telling
        self._page = page
        self._task: asyncio.Task[None] | None = None
        self._used: Generation | None = None

    def begin(self, *, watched: bool, then: Callable[[], Awaitable[object]]) -> None:
        """Begin to make them, so that the first turn that shows one need not wait for that.

        Args:
            watched: Whether they are made anew when files change.
            then: What is made of them in turn, each time that they were made anew.
        """
        self._task = asyncio.create_task(self._watch(then) if watched else self._make())

    async def renew(self) -> tuple[Problem, ...]:
        """Make them anew, and answer what is wrong with them. The last good ones stay in use where they have to."""
        before = self._used
        try:
            await self.components.renew()
            self._use(await self.components.generation())
        except (EngineMissing, RenderFailed, OSError) as error:
            self._telling.components((unmade(self._project, error),))
        if self._page is not None and self._used is not before:
            tell("reloaded components")
        return self._telling.of_components

    async def stop(self) -> None:
        """End what is under way, and every engine process."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})
        await self.components.close()

    async def _make(self) -> None:
        if not self.components.exist:
            return
        try:
            self._use(await self.components.generation())
        except (EngineMissing, RenderFailed, OSError) as error:
            self._telling.components((unmade(self._project, error),))

    async def _watch(self, then: Callable[[], Awaitable[object]]) -> None:
        # watchfiles is for development only, and not imported elsewhere.
        from litro.dev.watching_components import WatchingComponents  # noqa: PLC0415

        def imported() -> tuple[Path, ...]:
            return () if self._used is None else self._used.build.imported

        async def renew() -> None:
            await self.renew()
            await then()

        watching = WatchingComponents(self._project, imported, renew)
        watching.look()
        await self._make()
        await watching.run()

    def _use(self, generation: Generation) -> None:
        self._used = generation
        if self._page is not None:
            self._page.use(generation.build.folder.name)
