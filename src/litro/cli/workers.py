"""The parent of `litro serve --workers`: it holds the socket, starts the workers, and replaces those that die.

It runs nothing of the user's and answers no request. Workers share no memory with it or each other: what they have in
common is the sessions' store. A worker's own side is `litro.cli.worker`.
"""

import contextlib
import logging
import os
import selectors
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Generator
from types import FrameType
from typing import Final

from litro.cli.serving import own_command
from litro.cli.worker import INHERITED, READY, SILENCE

logger: Final = logging.getLogger(__name__)

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)

_TICK: Final = 0.1
"""Seconds between two looks while something is to happen at a time."""

_STEADY: Final = 30.0
"""Seconds that a worker lives when its death is told from one of a row."""

_LONGEST: Final = 30.0
"""Seconds to wait at most before a worker is replaced."""


class Workers:
    """Worker processes that accept from one socket.

    Args:
        listener: The socket, bound. It is closed when the workers are to end.
        count: How many.
        ready: Called once all of them answer.
    """

    def __init__(self, listener: socket.socket, count: int, *, ready: Callable[[], None]) -> None:
        self._listener = listener
        self._ready = ready
        self._places = [_Place(number) for number in range(1, count + 1)]
        self._selector = selectors.DefaultSelector()
        self._signals: list[int] = []
        self._passed_on = 0
        self._serves = False
        self._stopping: float | None = None
        self._failed = False

    def run(self) -> None:
        """Serve until a signal, which ends the process as it would have without workers.

        Raises:
            SystemExit: With 1, where a worker could not start; it has said why.
            KeyboardInterrupt: By SIGINT.
        """
        with self._handlers():
            # Alone: what is wrong with the project is told once, and a store's first use has no rivals.
            self._start(self._places[0])
            while self._stopping is None or any(place.child for place in self._places):
                self._step()
        if self._failed:
            raise SystemExit(1)
        signal.raise_signal(self._signals[0])

    @contextlib.contextmanager
    def _handlers(self) -> Generator[None]:
        woken, wake = os.pipe()
        os.set_blocking(woken, False)
        os.set_blocking(wake, False)
        self._selector.register(woken, selectors.EVENT_READ)
        before = {number: signal.signal(number, self._asked) for number in _SIGNALS}
        before[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(-1)
            for number, handler in before.items():
                signal.signal(number, handler)
            self._selector.close()
            os.close(woken)
            os.close(wake)

    def _asked(self, number: int, _frame: FrameType | None) -> None:
        self._signals.append(number)

    def _step(self) -> None:
        """Wait until something happens, and do what follows from it."""
        is_timed = self._stopping is not None or any(place.due for place in self._places)
        for key, _ in self._selector.select(_TICK if is_timed else None):
            heard = os.read(key.fd, 4096)
            if key.data is not None:
                key.data.hear(heard)
                if not heard:
                    self._selector.unregister(key.fd)
        for place in self._places:
            if place.child is not None and place.child.process.poll() is not None:
                self._bury(place, place.child)
        while self._passed_on < len(self._signals):
            self._pass_on(self._signals[self._passed_on])
            self._passed_on += 1
        if self._stopping is not None:
            self._end_the_stuck(self._stopping)
        else:
            self._fill()

    def _fill(self) -> None:
        """Start the workers that are due."""
        if not self._serves and self._places[0].is_ready:
            for place in self._places:
                if place.child is None and not place.due:
                    self._start(place)
            if all(place.is_ready for place in self._places):
                self._serves = True
                self._ready()
        for place in self._places:
            if place.due and time.monotonic() >= place.due:
                self._start(place)

    def _start(self, place: "_Place") -> None:
        place.due = 0.0
        try:
            place.child = _Child(
                self._listener, repeats=not self._serves and place is not self._places[0]
            )
        except OSError as error:
            self._gone(place, f"worker {place.number} cannot be started: {error}", lived=0.0)
            return
        self._selector.register(place.child.pulse, selectors.EVENT_READ, place.child)

    def _bury(self, place: "_Place", child: "_Child") -> None:
        place.child = None
        with contextlib.suppress(KeyError):
            self._selector.unregister(child.pulse)
        child.close()
        if self._stopping is not None:
            return
        code = child.process.returncode
        if not child.is_ready and code >= 0:
            # It has said why, and another would say the same.
            logger.error("worker %d could not start, so the server ends", place.number)
            self._fail()
            return
        how = f"ended with {code}" if code >= 0 else f"was killed by {_name(-code)}"
        what = f"worker {place.number} (process {child.process.pid}) {how}"
        self._gone(place, what, lived=time.monotonic() - child.born if child.is_ready else 0.0)

    def _gone(self, place: "_Place", what: str, *, lived: float) -> None:
        if not self._serves:
            logger.error("%s before all workers had started", what)
            self._fail()
            return
        delay = place.fell(lived)
        logger.error(
            "%s, so another takes its place %s", what, f"in {delay:.0f} s" if delay else "now"
        )

    def _fail(self) -> None:
        self._failed = True
        self._pass_on(signal.SIGTERM)

    def _pass_on(self, number: int) -> None:
        if self._stopping is None:
            self._stopping = time.monotonic()
            # Whoever connects from now on is refused, as by a server without workers.
            self._listener.close()
        for place in self._places:
            if place.child is not None:
                place.child.process.send_signal(number)

    def _end_the_stuck(self, since: float) -> None:
        for place in self._places:
            child = place.child
            if child is not None and time.monotonic() - max(child.heard, since) > SILENCE:
                logger.error(
                    "worker %d (process %d) does not end: its event loop is blocked, so it is killed",
                    place.number,
                    child.process.pid,
                )
                child.process.kill()


class _Place:
    """A worker's place: who has it, and when the next one is to take it."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.child: _Child | None = None
        self.due = 0.0
        self._delay = 0.0

    @property
    def is_ready(self) -> bool:
        return self.child is not None and self.child.is_ready

    def fell(self, lived: float) -> float:
        """How long to wait for the next one: not at all, unless one after another dies young."""
        if lived >= _STEADY or not self._delay:
            delay, self._delay = 0.0, 1.0
        else:
            delay, self._delay = self._delay, min(2 * self._delay, _LONGEST)
        self.due = time.monotonic() + delay
        return delay


class _Child:
    """A worker process, as its parent sees it."""

    def __init__(self, listener: socket.socket, *, repeats: bool) -> None:
        self.born = self.heard = time.monotonic()
        self.is_ready = False
        self.pulse, pulse = os.pipe()
        life, self._life = os.pipe()
        inherited = f"{listener.fileno()},{pulse},{life},{int(repeats)}"
        try:
            self.process = subprocess.Popen(  # noqa: S603 - the same command once more
                own_command(),
                stdin=subprocess.DEVNULL,
                env={**os.environ, INHERITED: inherited},
                pass_fds=(listener.fileno(), pulse, life),
                # A terminal's Ctrl-C is for the parent, which passes it on: twice would be once too often.
                process_group=0,
            )
        except OSError:
            self.close()
            raise
        finally:
            os.close(pulse)
            os.close(life)

    def hear(self, said: bytes) -> None:
        self.heard = time.monotonic()
        self.is_ready = self.is_ready or READY in said

    def close(self) -> None:
        os.close(self.pulse)
        os.close(self._life)


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
