"""How long to wait before a server is asked again, and when to give up.

Waits double, so that a server that comes back is not run over, and are spread, so that its clients do not come all at
once. It neither sleeps nor looks at a clock.
"""

from dataclasses import dataclass
from random import uniform
from typing import Final

LONGEST_WAIT: Final = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """What a client bears, in seconds."""

    silence: float
    """Without a byte, after which a connection counts as broken."""
    outage: float
    """Without a working connection, after which it gives up."""
    wait: float
    """Before the first new attempt; each further wait is twice as long, to 5 s."""


class Outage:
    """The time since the server was last known to work."""

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._since: float | None = None
        self._attempts = 0

    def end(self) -> None:
        """The server works."""
        self._since, self._attempts = None, 0

    def wait(self, now: float, *, asked: float | None = None) -> float | None:
        """How long to wait after a failure at `now`, or None to give up.

        Args:
            now: Seconds of a clock that never steps back.
            asked: Seconds that the server asked to wait.
        """
        if self._since is None:
            self._since = now
        longest = max(LONGEST_WAIT, self._patience.wait)
        wait = min(self._patience.wait * 2 ** min(self._attempts, 16), longest)
        self._attempts += 1
        left = self._since + self._patience.outage - now
        # Half of it is spread: whoever was cut off at the same moment comes back one by one.
        wait = max(wait * uniform(0.5, 1.0), asked or 0.0)  # noqa: S311 - no secret
        return wait if wait < left else None
