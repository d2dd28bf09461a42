"""A started project's own watch: when files below agents/ have changed, it reloads, and says so in a few words.

It works mounted in any app, under any server. What changed outside agents/ is not its business: `litro dev` restarts for that.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from litro.dev.files import State, folders_below, is_below, state_of
from litro.dev.process import restart
from litro.dev.trouble import tell
from litro.dev.watch import Changes, Watch
from litro.errors import Problem

logger: Final = logging.getLogger(__name__)


class Watching:
    """Watches a project's agents.

    Args:
        project: Its folder.
        reload: Serves a new generation, and answers what is wrong with it.
    """

    def __init__(self, project: Path, reload: Callable[[], tuple[Problem, ...]]) -> None:
        # What the system tells of is where a link leads.
        self._agents = project.resolve() / "agents"
        self._config_py = project / "agents" / "_config.py"
        self._reload = reload
        self._watch = Watch(self._folders)
        self._task: asyncio.Task[None] | None = None
        self._config = _content(self._config_py)

    async def start(self, seen: State) -> None:
        """Watch from now on, and take up what has changed since the agents were in the state that was loaded."""
        try:
            await self._watch.start()
        except Exception:
            # Such as a limit of the system's: what is served goes on.
            logger.exception("%s is not watched", self._agents)
            return
        written = {path for path, _, _ in state_of(self._agents) ^ seen}
        if written:
            self._take(frozenset(written))
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Watch no more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})
        await self._watch.stop()

    def _folders(self) -> Iterator[Path]:
        # The folder above hears of an agents/ that is replaced, as by a checkout.
        yield self._agents.parent
        yield from folders_below(self._agents)

    async def _run(self) -> None:
        try:
            async for changes in self._watch.changes():
                ours = frozenset(path for path in changes if is_below(path, self._agents))
                if ours:
                    self._take(ours)
        except Exception:
            # Such as a limit of the system's: what is served goes on.
            logger.exception("%s is not watched any more", self._agents)

    def _take(self, changes: Changes) -> None:
        problems = self._reload()
        content = _content(self._config_py)
        if content != self._config and all(p.path != self._config_py for p in problems):
            self._config = content
            if restart("agents/_config.py"):
                return
            tell("agents/_config.py changed: its guard is in use; restart the server for the rest.")
        if not problems:
            tell(f"reloaded {self._names(changes)}")

    def _names(self, changes: Changes) -> str:
        names = {path.relative_to(self._agents).parts[:1] for path in changes}
        agents = sorted(name for (name,) in names - {()} if not name.startswith("_"))
        return ", ".join(agents) if len(agents) == len(names) else "every agent"


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None
