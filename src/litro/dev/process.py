"""The process, for those who find that it has to begin anew. Only `litro dev` can do that; under another server nobody can.

One process has one of these, so it is the module's own state. It restarts nothing itself.
"""

from collections.abc import Callable

_restart: Callable[[str], None] | None = None


def restart_with(restart: Callable[[str], None] | None) -> None:
    """Name who restarts the process when it is asked to."""
    global _restart  # noqa: PLW0603 - there is one process
    _restart = restart


def restart(why: str) -> bool:
    """Ask for a restart. False where nobody can."""
    if _restart is None:
        return False
    _restart(why)
    return True
