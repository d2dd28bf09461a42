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
        leave: Called once, on the loop.
    """

    def __init__(self, leave: Callable[[], None]) -> None:
        self._leave = leave
        self._loop: asyncio.AbstractEventLoop | None = None
        self._before: dict[
            int, signal.Handlers | Callable[[int, FrameType | None], object] | int | None
        ] = {}

    def install(self) -> None:
        """Chain the handlers, where this is the main thread."""
        if threading.current_thread() is not threading.main_thread():
            return
        self._loop = asyncio.get_running_loop()
        for number in _SIGNALS:
            self._before[number] = signal.getsignal(number)
            signal.signal(number, self._handle)

    def restore(self) -> None:
        """Put back what was there, unless somebody has chained since."""
        for number, before in self._before.items():
            # Bound methods are equal, not identical.
            if signal.getsignal(number) == self._handle and before is not None:
                signal.signal(number, before)
        self._before = {}

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._leave)
        before = self._before.get(number)
        if callable(before):
            before(number, frame)
        elif before == signal.SIG_DFL:
            # Nobody else would end the process.
            self.restore()
            signal.raise_signal(number)
