"""Threads for sync tools: a tool that blocks must not stop the server, nor keep it from ending.

The default executor would do neither: its threads are joined at exit, and a stuck tool fills it for everybody. Here each
call has a daemon thread of its own, at most `limit` at once. A thread cannot be stopped, so one whose caller gave up
is counted, logged, and given up too. It is not for Litro's own work on files.
"""

import asyncio
import contextlib
import contextvars
import logging
import threading
from collections.abc import Callable
from typing import Any, Final, TypeVar

T = TypeVar("T")

logger: Final = logging.getLogger(__name__)


class ToolThreads:
    """Runs blocking functions, at most `limit` of them at once.

    Attributes:
        abandoned: How many threads still run whose callers gave up.
    """

    def __init__(self, limit: int) -> None:
        self._slots = asyncio.Semaphore(limit)
        self.abandoned: int = 0

    async def run(self, function: Callable[[], T], *, name: str) -> T:
        """The function's result, computed in a thread with this task's context variables.

        When cancelled it returns at once; the thread goes on alone.
        """
        async with self._slots:
            loop = asyncio.get_running_loop()
            outcome: asyncio.Future[T] = loop.create_future()
            context = contextvars.copy_context()

            def work() -> None:
                settle = self._outcome_of(function, context, outcome, name)
                with contextlib.suppress(RuntimeError):
                    # Raised where the loop is closed: nobody waits any more.
                    loop.call_soon_threadsafe(settle)

            threading.Thread(target=work, name=f"litro-tool-{name}", daemon=True).start()
            try:
                return await outcome
            except asyncio.CancelledError:
                if outcome.cancelled():
                    self.abandoned += 1
                    logger.warning(
                        "Tool %r was given up, but its thread cannot be stopped: %d such threads run",
                        name,
                        self.abandoned,
                    )
                raise

    def _outcome_of(
        self,
        function: Callable[[], T],
        context: contextvars.Context,
        outcome: "asyncio.Future[T]",
        name: str,
    ) -> Callable[[], None]:
        """Run the function; answer what tells the loop of it."""
        try:
            result = context.run(function)
        except BaseException as error:  # noqa: BLE001 - handed, whatever it is, to who awaits
            raised = _awaitable(error)

            def settle() -> None:
                if not self._is_given_up(outcome, name):
                    outcome.set_exception(raised)
        else:

            def settle() -> None:
                if not self._is_given_up(outcome, name):
                    outcome.set_result(result)

        return settle

    def _is_given_up(self, outcome: "asyncio.Future[Any]", name: str) -> bool:
        if outcome.cancelled():
            self.abandoned -= 1
            logger.info("The thread of tool %r, given up before, has ended", name)
        return outcome.cancelled()


def _awaitable(error: BaseException) -> BaseException:
    """The error as a future takes it. It refuses StopIteration, and nobody would ever hear of the end."""
    if not isinstance(error, StopIteration):
        return error
    told = RuntimeError("the function raised StopIteration")
    told.__cause__ = error
    return told
