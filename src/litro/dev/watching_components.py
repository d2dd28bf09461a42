"""A started project's watch over its components: when what they are made of has changed, new ones are made.

That is everything below components/, what a component imports from beside it, and how the project says to build. What npm
installed is not watched.
"""

import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

from litro.dev.files import folders_below, is_below
from litro.dev.watch import Watch

logger: Final = logging.getLogger(__name__)

Stamp = tuple[int, int]


class WatchingComponents:
    """Watches what a project's components are made of.

    Args:
        project: Its folder.
        imported: Answers the files outside components/ that were built in last.
        renew: Makes new components.
    """

    def __init__(
        self,
        project: Path,
        imported: Callable[[], Iterable[Path]],
        renew: Callable[[], Awaitable[None]],
    ) -> None:
        # What the system tells of is where a link leads.
        self._project = project.resolve()
        self._folder = self._project / "components"
        self._imported = imported
        self._renew = renew
        self._watch = Watch(self._folders)
        self._seen: dict[Path, Stamp | None] = {}

    def look(self) -> bool:
        """Whether something was written since it was last asked."""
        before = self._seen
        sources = {path: _stamp(path) for path in self._sources()}
        imported = {path: _stamp(path) for path in self._ours()}
        self._seen = {**imported, **sources}
        # What was not imported before has been read since; what is not any more counts for nothing.
        return (
            any(before.get(path, stamp) != stamp for path, stamp in imported.items())
            or {path: stamp for path, stamp in before.items() if self._is_source(path)} != sources
        )

    async def run(self) -> None:
        """Make anew what has changed since it was last looked at, and from now on, until cancelled."""
        try:
            await self._watch.start()
            await self._take()
            async for _ in self._watch.changes():
                await self._take()
        except Exception:
            # Such as a limit of the system's: what is served goes on.
            logger.exception("%s is not watched any more", self._folder)
        finally:
            await self._watch.stop()

    async def _take(self) -> None:
        while self.look():
            await self._renew()
            # A component may import from other folders now.
            await self._watch.start()

    def _folders(self) -> Iterator[Path]:
        # The project's own folder hears of a components/ that comes, and of how to build.
        yield self._project
        yield from folders_below(self._folder)
        yield from {path.parent for path in self._ours()}

    def _ours(self) -> list[Path]:
        return [path for path in self._imported() if is_below(path, self._project)]

    def _sources(self) -> Iterator[Path]:
        for path in (*folders_below(self._folder), self._project):
            files = path.iterdir() if path.is_dir() else ()
            yield from (file for file in files if self._is_source(file) and file.is_file())

    def _is_source(self, path: Path) -> bool:
        if path.parent == self._project:
            return path.name == "package.json" or path.match("tsconfig*.json")
        return is_below(path, self._folder)


def _stamp(path: Path) -> Stamp | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
