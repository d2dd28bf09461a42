"""Connections to the server, and jobs on them that survive a lost one.

A job that met a lost connection or a passing failure runs again, on another connection, until `patience` is over; then
it is `StoreFailed`. Whether its first run took effect is unknown, so each job must be able to find out: `attempt` tells
it that it is not the first. A cancelled caller leaves its job running, so no lock and no lease is left half taken.

It keeps no state on a connection (no SET, no session locks), so a transaction pooler may stand between.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from itertools import count
from typing import Any, Final, TypeVar

from litro.errors import SettingsError, StoreFailed
from litro.sessions.postgres.address import Address
from litro.sessions.postgres.driver import Connection, Driver

T = TypeVar("T")

STATEMENT: Final = 10.0
"""Seconds after which the server gives a statement up."""

_IDLE_IN_TRANSACTION: Final = 5.0
"""Seconds: a process that is stopped in the middle of one must not hold a session's row for longer."""

_CONNECT: Final = 5.0
"""Seconds after which a server that says nothing to a new connection counts as away."""

_CLIENT: Final = STATEMENT + 2
"""Seconds after which a silent server counts as lost."""


class Handle:
    """A connection while a job has it. `{s}` in a statement stands for the schema."""

    def __init__(self, connection: Connection, quoted: str, attempt: int) -> None:
        self._connection = connection
        self._quoted = quoted
        self.attempt = attempt
        """From 1."""

    async def rows(self, query: str, *args: Any) -> list[Any]:
        """All the rows."""
        text = query.replace("{s}", self._quoted)
        return await self._connection.fetch(text, *args, timeout=_CLIENT)

    async def row(self, query: str, *args: Any) -> Any:
        """The first row, or None."""
        found = await self.rows(query, *args)
        return found[0] if found else None

    async def value(self, query: str, *args: Any) -> Any:
        """The first row's first column, or None."""
        found = await self.rows(query, *args)
        return found[0][0] if found else None

    async def script(self, text: str) -> None:
        """Several statements."""
        await self._connection.execute(text.replace("{s}", self._quoted), timeout=_CLIENT)

    def transaction(self) -> AbstractAsyncContextManager[Any]:
        """All or nothing."""
        return self._connection.transaction()


class Connections:
    """A few connections, made when needed and kept.

    Args:
        driver: asyncpg.
        address: Where the server is.
        size: How many at once.
        patience: Seconds for which a job is tried again.
    """

    def __init__(self, driver: Driver, address: Address, *, size: int, patience: float) -> None:
        self._driver = driver
        self._address = address
        self._size = size
        self._patience = patience
        self._idle: list[Connection] = []
        self._places: asyncio.Semaphore | None = None
        self._jobs: set[asyncio.Task[Any]] = set()

    async def run(
        self, job: Callable[[Handle], Awaitable[T]], *, patience: float | None = None
    ) -> T:
        """What the job answers.

        Raises:
            StoreFailed: The server is away, or refuses.
        """
        task = asyncio.ensure_future(self._tried(job, patience or self._patience))
        self._jobs.add(task)
        task.add_done_callback(self._done)
        return await asyncio.shield(task)

    async def close(self) -> None:
        """Wait for running jobs, then close what is open."""
        while self._jobs:
            await asyncio.wait(self._jobs)
        # An app that is started again may do so in another loop.
        self._places = None
        idle, self._idle = self._idle, []
        for connection in idle:
            try:
                await connection.close(timeout=2)
            except self._driver.failures:
                connection.terminate()

    def _done(self, task: "asyncio.Task[Any]") -> None:
        self._jobs.discard(task)
        # Where the caller was cancelled, nobody else asks what became of it.
        if not task.cancelled():
            task.exception()

    async def _tried(self, job: Callable[[Handle], Awaitable[T]], patience: float) -> T:
        deadline, pause = time.monotonic() + patience, 0.02
        for attempt in count(1):
            try:
                async with self._connection() as connection:
                    return await job(Handle(connection, self._address.quoted, attempt))
            except self._driver.failures as error:
                if not self._driver.is_passing(error) or time.monotonic() > deadline:
                    raise self._failure(error) from error
            await asyncio.sleep(pause)
            pause = min(pause * 2, 0.5)
        raise AssertionError

    @asynccontextmanager
    async def _connection(self) -> AsyncGenerator[Connection]:
        if self._places is None:
            self._places = asyncio.Semaphore(self._size)
        async with self._places:
            connection = await self._take()
            try:
                yield connection
            except self._driver.failures as error:
                if self._driver.is_lost(error):
                    connection.terminate()
                raise
            finally:
                if not connection.is_closed():
                    self._idle.append(connection)

    async def _take(self) -> Connection:
        while self._idle:
            connection = self._idle.pop()
            if not connection.is_closed():
                return connection
        return await connect(self._driver, self._address)

    def _failure(self, error: Exception) -> StoreFailed:
        msg = f"postgres at {self._address.shown}: {type(error).__name__}: {error}"
        if self._driver.is_forbidden(error):
            msg += (
                ". The role of the URL in `sessions` must exist and be allowed to use this schema."
            )
        elif self._driver.is_pooler(error) and not self._address.pooled:
            msg += ". A transaction pooler stands between: add pooled=yes to the query of the URL in `sessions` (…?pooled=yes)."
        return StoreFailed(msg)


async def connect(driver: Driver, address: Address) -> Connection:
    """A new connection, its timeouts set.

    Raises:
        SettingsError: The URL is none that asyncpg takes.
    """
    options: dict[str, Any] = {"statement_cache_size": 0}
    if not address.pooled:
        # A pooler refuses parameters that it does not know, and mixes up whose prepared statements are whose.
        options = {
            "server_settings": {
                "application_name": "litro",
                "statement_timeout": f"{STATEMENT * 1000:.0f}",
                "idle_in_transaction_session_timeout": f"{_IDLE_IN_TRANSACTION * 1000:.0f}",
            }
        }
    try:
        return await driver.connect(address.dsn, patience=_CONNECT, **options)
    except ValueError as error:
        msg = f"postgres at {address.shown}: {error}, so a URL that asyncpg takes is required."
        raise SettingsError(msg) from error
