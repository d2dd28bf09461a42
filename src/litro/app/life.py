"""The user's lifespan, `Config(lifespan=…)`: entered and left in one task, as context managers with task groups require."""

import asyncio
import traceback
from typing import Any

from litro.definitions import Lifespan
from litro.errors import LitroError


class Life:
    """A lifespan that has begun.

    Attributes:
        state: What it yielded.
    """

    def __init__(self) -> None:
        self.state: Any = None
        self._over = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @classmethod
    async def begin(cls, lifespan: Lifespan | None) -> "Life":
        """Enter the lifespan. Without one there is no state, and nothing to leave.

        Raises:
            BaseException: What it raised.
        """
        life = cls()
        if lifespan is not None:
            begun: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            life._task = asyncio.create_task(life._live(lifespan, begun))
            await asyncio.wait({life._task, begun}, return_when=asyncio.FIRST_COMPLETED)
            if not begun.done():
                await life._task
        return life

    async def end(self) -> None:
        """Leave the lifespan."""
        self._over.set()
        if self._task is not None:
            await self._task

    async def _live(self, lifespan: Lifespan, begun: "asyncio.Future[None]") -> None:
        async with lifespan() as self.state:
            begun.set_result(None)
            await self._over.wait()


def why_not_started(error: Exception) -> str:
    """What a server is told of an app that does not start: our own words, or the way to what users' code raised."""
    if isinstance(error, LitroError):
        return str(error)
    return "".join(traceback.format_exception(error))
