"""How a process that serves over stdio ends: in time, whatever a tool is doing.

A thread watches for everything that ends it: the host's end of a pipe closed, the host dead, a signal, also one that
comes while the main thread is stuck in a tool. What is served is told, and has `grace` seconds to leave in order;
then the process is gone. It is not what decides how to leave in order.
"""

import os
import select
import signal
import threading
import time
from collections.abc import Callable
from typing import Any, Final, NoReturn

GRACE: Final = 1.25
"""Seconds from the event that ends the process to the process being gone."""
_LOOK: Final = 0.5
"""Seconds between two looks at who the parent is."""
_SAID_ALL: Final = 0
_GONE: Final = 255
"""What rings the bell where it is no signal."""
_SIGNALS: Final = {
    signal.SIGINT: 130,
    signal.SIGTERM: 0,
    getattr(signal, "SIGHUP", signal.SIGTERM): 0,
}
"""The exit code for each. To be told to end is no failure."""
_KNOWN: Final = {_SAID_ALL, _GONE, *_SIGNALS}


class Ending:
    """Watches for the end.

    Args:
        outlet: The descriptor that the host reads.
        grace: Seconds that what is served gets.

    Attributes:
        code: The exit code, once the end has begun; else None.
    """

    def __init__(self, outlet: int, *, grace: float = GRACE) -> None:
        self._outlet = outlet
        self._grace = grace
        self._parent = os.getppid()
        self._bell, self._button = os.pipe()
        if hasattr(select, "poll"):
            os.set_blocking(self._button, False)
        self._interrupt: Callable[[], None] | None = None
        self._masked = threading.local()
        self.code: int | None = None

    def watch(self) -> None:
        """Begin to watch. In the main thread."""
        self.take_signals()
        threading.Thread(target=self._watch, name="litro-mcp-ending", daemon=True).start()

    def take_signals(self) -> None:
        """Make signals end the process in order; again after user code ran, which may have taken them."""
        for number in _SIGNALS:
            signal.signal(number, self._on_signal)
        if hasattr(select, "poll"):
            # Written by the C handler itself: the main thread may be stuck.
            signal.set_wakeup_fd(self._button, warn_on_full_buffer=False)

    def before_fork(self) -> None:
        """Hold signals back: one for the child must not be taken for ours before the child lets go of them."""
        self._masked.mask = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)

    def after_fork(self) -> None:
        """Take them again."""
        signal.pthread_sigmask(signal.SIG_SETMASK, self._masked.mask)

    def let_go(self) -> None:
        """In a forked child: watch nothing any more, its signals are its own."""
        signal.set_wakeup_fd(-1)
        for number in _SIGNALS:
            is_interrupt = number == signal.SIGINT
            signal.signal(number, signal.default_int_handler if is_interrupt else signal.SIG_DFL)

    def tell(self, interrupt: Callable[[], None]) -> None:
        """What interrupts who serves, called in the watching thread. Before this nobody needs to leave in order."""
        self._interrupt = interrupt

    def begin(self, *, gone: bool) -> None:
        """Begin to end. From any thread.

        Args:
            gone: Whether the host reads no more either, so that no answer has to be waited for.
        """
        self._ring(_GONE if gone else _SAID_ALL)

    def leave(self) -> NoReturn:
        """Be gone, now."""
        os._exit(self.code or 0)

    def _on_signal(self, number: int, frame: Any) -> None:  # noqa: ARG002 - what Python passes
        self._ring(number)

    def _ring(self, number: int) -> None:
        try:
            os.write(self._button, bytes([number]))
        except BlockingIOError:
            # It rings already, and very often.
            return

    def _watch(self) -> None:
        number = self._wait()
        self.code = _SIGNALS.get(number, 0)
        if number != _SAID_ALL:
            if self._interrupt is None:
                self.leave()
            self._interrupt()
        time.sleep(self._grace)
        self.leave()

    def _wait(self) -> int:
        if not hasattr(select, "poll"):
            return self._rung(blocking=True)
        poll = select.poll()
        poll.register(self._bell, select.POLLIN)
        # Nothing is asked for, so only that nobody reads any more is told.
        poll.register(self._outlet, 0)
        while True:
            events = dict(poll.poll(_LOOK * 1000))
            if events.get(self._outlet, 0) & (select.POLLERR | select.POLLHUP):
                return _GONE
            if os.getppid() != self._parent:
                return _GONE
            if self._bell in events:
                number = self._rung(blocking=False)
                if number in _KNOWN:
                    return number

    def _rung(self, *, blocking: bool) -> int:
        while True:
            number = os.read(self._bell, 1)[0]
            if number in _KNOWN or not blocking:
                return number
