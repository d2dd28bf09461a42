"""A started project's watch over its MCP apps: when something below mcp-apps/ has changed, they are packed anew.

What they show is made of components, which are watched elsewhere.
"""

import logging
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Final

from litro.dev.files import folders_below, forget_bytecode, is_below
from litro.dev.watch import Watch

logger: Final = logging.getLogger(__name__)


class WatchingApps:
    """Watches the folder that a project's MCP apps are in.

    Args:
        folder: It need not be there yet.
        renew: Packs them.
    """

    def __init__(self, folder: Path, renew: Callable[[], Awaitable[object]]) -> None:
        # What the system tells of is where a link leads.
        self._folder = folder.parent.resolve() / folder.name
        self._renew = renew
        self._watch = Watch(self._folders)

    async def run(self) -> None:
        """Pack now, and whenever something changes from now on, until cancelled."""
        try:
            await self._watch.start()
            await self._renew()
            async for changes in self._watch.changes():
                ours = [path for path in changes if is_below(path, self._folder)]
                for path in ours:
                    forget_bytecode(path)
                if ours:
                    await self._renew()
        except Exception:
            # Such as a limit of the system's: what is served goes on.
            logger.exception("%s is not watched any more", self._folder)
        finally:
            await self._watch.stop()

    def _folders(self) -> Iterator[Path]:
        # The folder above hears of one that comes.
        yield self._folder.parent
        yield from folders_below(self._folder)
