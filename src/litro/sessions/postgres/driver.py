"""asyncpg, as much of it as the store uses; imported when a store is made, so that nobody else needs it.

It also knows which failures leave open whether a statement took effect, and which may be tried again.
"""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from importlib import import_module
from typing import Any, Final, Protocol, cast

from litro.errors import SettingsError

_LOST: Final = frozenset({"57P01", "57P02", "57P03", "57P05", "53300", "25P03", "25006"})
"""Shutting down, crashed, starting, idle, too many connections, idle in a transaction, become a standby."""

_PASSING: Final = frozenset({"40001", "40P01", "57014", "55P03"})
"""Serialisation, deadlock, timeout, a lock that was not to be had: the statement did nothing."""


class Connection(Protocol):
    """What the store asks of a connection."""

    async def fetch(self, query: str, *args: Any, timeout: float | None = None) -> list[Any]:  # noqa: ASYNC109 - asyncpg's own
        """All the rows."""
        ...

    async def execute(self, query: str, *args: Any, timeout: float | None = None) -> str:  # noqa: ASYNC109 - the same
        """Run it; without arguments, several statements."""
        ...

    def transaction(self) -> AbstractAsyncContextManager[Any]:
        """All or nothing."""
        ...

    async def add_listener(self, channel: str, callback: Callable[..., None]) -> None:
        """LISTEN."""
        ...

    def add_termination_listener(self, callback: Callable[[Any], None]) -> None:
        """Hear when the connection is gone."""
        ...

    def is_closed(self) -> bool:
        """Whether it is gone."""
        ...

    def terminate(self) -> None:
        """Drop it without a word."""
        ...

    async def close(self, *, timeout: float | None = None) -> None:  # noqa: ASYNC109 - asyncpg's own
        """Say goodbye."""
        ...


class Driver:
    """The imported asyncpg.

    Raises:
        SettingsError: It is not installed, or cannot be imported.
    """

    def __init__(self) -> None:
        try:
            self._asyncpg = cast("Any", import_module("asyncpg"))
        except ModuleNotFoundError as error:
            if error.name != "asyncpg":
                raise SettingsError(_broken(error)) from error
            msg = (
                "sessions is a postgresql:// URL, and asyncpg is not installed, so it is required. "
                "Run: pip install 'litro[postgres]'"
            )
            raise SettingsError(msg) from error
        except ImportError as error:
            raise SettingsError(_broken(error)) from error
        self.failures: tuple[type[Exception], ...] = (
            OSError,
            self._asyncpg.PostgresError,
            self._asyncpg.InterfaceError,
            self._asyncpg.InternalClientError,
        )
        """Everything that asking the server may raise."""

    async def connect(self, dsn: str, *, patience: float, **options: Any) -> Connection:
        """A new connection."""
        made: Connection = await self._asyncpg.connect(dsn, timeout=patience, **options)
        return made

    def is_lost(self, error: Exception) -> bool:
        """Whether the connection is of no more use, and what was asked may have happened or not."""
        if isinstance(error, self._asyncpg.PostgresError):
            state = _state(error)
            return state in _LOST or state.startswith("08")
        return True

    def is_passing(self, error: Exception) -> bool:
        """Whether asking again makes sense."""
        return self.is_lost(error) or _state(error) in _PASSING

    def is_forbidden(self, error: Exception) -> bool:
        """Whether the server refuses who asks, or what for, and will again."""
        return _state(error).startswith(("28", "42501", "3D"))

    def is_pooler(self, error: Exception) -> bool:
        """Whether a transaction pooler refuses what only the server itself knows."""
        # 08P01, as every violation: what it says is all that tells.
        return "unsupported startup parameter" in str(error)


def _state(error: Exception) -> str:
    return str(getattr(error, "sqlstate", None) or "")


def _broken(error: ImportError) -> str:
    return (
        f"sessions is a postgresql:// URL, and asyncpg cannot be imported ({error}), so a working one is "
        "required. Run: pip install --force-reinstall 'litro[postgres]'"
    )
