"""The user's lifespan, `Config(lifespan=…)`: entered and left in one task, as context managers with task groups require."""

import asyncio
from typing import Any

from litro.definitions import Lifespan


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
