"""SIGTERM and SIGINT: servers wait for open streams before they run any shutdown code, so somebody must end the streams.

The handler that was there before is called after ours, whatever server it belongs to. Only the main thread may do
this, and an app that does not want it says `Config(signals=False)`.
"""

import asyncio
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Final

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


class Signals:
    """Calls `leave` on the loop when the process is asked to end.

    Args:
        leave: Called on the loop, for every signal; done when everybody has left.
    """

    def __init__(self, leave: Callable[[], "asyncio.Future[None]"]) -> None:
        self._leave = leave
        self._loop: asyncio.AbstractEventLoop | None = None
        self._holds = False
        self._before: dict[
            int, signal.Handlers | Callable[[int, FrameType | None], object] | int | None
        ] = {}

    def install(self, *, hold: bool) -> None:
        """Chain the handlers, where this is the main thread.

        Args:
            hold: Whether the handlers before hear of the first signal only when everybody has left. Where nobody
                runs the app's shutdown, the process would be gone before its turns had their grace.
        """
        if threading.current_thread() is not threading.main_thread():
            return
        self._loop = asyncio.get_running_loop()
        self._holds = hold
        for number in _SIGNALS:
            self._before[number] = signal.getsignal(number)
            signal.signal(number, self._handle)

    def restore(self) -> None:
        """Put back what was there. Where somebody has chained since, ours stays as a link of that chain."""
        self._holds = False
        for number, before in list(self._before.items()):
            # Bound methods are equal, not identical.
            if signal.getsignal(number) == self._handle and before is not None:
                signal.signal(number, before)
                del self._before[number]

    def _handle(self, number: int, frame: FrameType | None) -> None:
        holds, self._holds = self._holds, False
        if self._loop is None or self._loop.is_closed():
            self._pass_on(number, frame)
        elif holds:
            self._loop.call_soon_threadsafe(self._leave_first, number)
        else:
            self._loop.call_soon_threadsafe(self._leave)
            self._pass_on(number, frame)

    def _leave_first(self, number: int) -> None:
        self._leave().add_done_callback(lambda _: self._pass_on(number, None))

    def _pass_on(self, number: int, frame: FrameType | None) -> None:
        before = self._before.get(number)
        if callable(before):
            before(number, frame)
        elif before == signal.SIG_DFL:
            # Nobody else would end the process.
            self.restore()
            signal.raise_signal(number)
