"""Which files below a project have changed, told in batches once they are quiet.

Folders are watched one by one, so that a virtual environment or node_modules costs nothing; a folder that comes is watched
from then on. It does not know what a change means.
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from pathlib import Path

from watchfiles import awatch  # pyright: ignore[reportUnknownVariableType] - one option names a type of trio's
from watchfiles.main import FileChange

Changes = frozenset[Path]


class Watch:
    """Watches folders.

    Args:
        folders: Answers those to watch, again whenever one comes or goes.
    """

    def __init__(self, folders: Callable[[], Iterator[Path]]) -> None:
        self._folders = folders
        self._watched: frozenset[Path] = frozenset()
        self._notified: AsyncGenerator[set[FileChange], None] | None = None
        self._next: asyncio.Task[set[FileChange]] | None = None

    async def start(self) -> None:
        """Begin to watch: whatever changes from now on is told."""
        while True:
            folders = frozenset(self._folders())
            if folders == self._watched and self._next is not None:
                return
            await self.stop()
            # One folder more may have come before the last of these was watched, so they are looked at again.
            await self._watch(folders)

    async def changes(self) -> AsyncIterator[Changes]:
        """Batches of paths that came, went or were written."""
        while self._next is not None and self._notified is not None:
            told = await self._next
            self._next = asyncio.ensure_future(anext(self._notified))
            # What a new folder holds was there before anybody watched it, and is read by whoever hears of the folder.
            await self.start()
            yield frozenset(Path(path) for _, path in told)

    async def stop(self) -> None:
        """Watch no more."""
        following, self._next = self._next, None
        notified, self._notified = self._notified, None
        if following is not None:
            following.cancel()
            await asyncio.wait({following})
            if not following.cancelled():
                following.exception()
        if notified is not None:
            await notified.aclose()

    async def _watch(self, folders: frozenset[Path]) -> None:
        self._notified = awatch(*folders, recursive=False, watch_filter=None)
        self._next = asyncio.ensure_future(anext(self._notified))
        # Its first step is what registers the folders.
        await asyncio.sleep(0)
        self._watched = folders
        if self._next.done():
            with contextlib.suppress(FileNotFoundError):
                # One of them is gone already.
                self._next.result()
            self._watched = frozenset()
