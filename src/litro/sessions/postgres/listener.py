"""The connection that listens, and the net below it.

Notifications are lost while nobody listens, so after each LISTEN everything counts as changed; and once a second it does
anyway, as no connection tells reliably that it is dead. Behind a transaction pooler there is no LISTEN: the net is faster.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import Any, Final

from litro.errors import LitroError
from litro.sessions.base import SessionKey
from litro.sessions.postgres.address import Address
from litro.sessions.postgres.connections import Connections, Handle, connect
from litro.sessions.postgres.driver import Driver
from litro.sessions.postgres.notices import Notices, parse

logger: Final = logging.getLogger(__name__)

_NET: Final = 1.0
_NET_POOLED: Final = 0.25
_SIGN: Final = 5.0
"""Seconds between two signs that this process listens."""

_SIGN_OF_LIFE = """
INSERT INTO {s}.listeners VALUES ($1, clock_timestamp())
ON CONFLICT (id) DO UPDATE SET seen = excluded.seen
"""
_GONE = "DELETE FROM {s}.listeners WHERE id = $1 OR seen < clock_timestamp() - interval '1 hour'"
_MAIL = """
SELECT DISTINCT m.agent, m.session FROM unnest($1::text[], $2::text[]) AS w (agent, session)
JOIN {s}.mail m ON (m.agent, m.session) = (w.agent, w.session) WHERE NOT m.taken
"""


class Listener:
    """Hears what other processes did.

    Args:
        driver: asyncpg.
        address: Where the server is.
        notices: What this process is called.
        connections: For what needs no connection of its own.
        on_session: Told a session that has changed; None stands for all of them.
        on_mail: Told a session that mail has come for.
        held: The sessions that are held here, whose mail counts.
    """

    def __init__(
        self,
        driver: Driver,
        address: Address,
        notices: Notices,
        connections: Connections,
        *,
        on_session: Callable[[int | None], None],
        on_mail: Callable[[SessionKey], None],
        held: Callable[[], list[SessionKey]],
    ) -> None:
        self._driver = driver
        self._address = address
        self._notices = notices
        self._connections = connections
        self._on_session = on_session
        self._on_mail = on_mail
        self._held = held
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Begin; return when it listens, or has failed to for the first time."""
        self._tasks = [asyncio.create_task(self._cast_net())]
        if not self._address.pooled:
            listening = asyncio.Event()
            self._tasks.append(asyncio.create_task(self._keep_listening(listening)))
            await listening.wait()

    async def close(self) -> None:
        """End, and say so."""
        tasks, self._tasks = self._tasks, []
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        with contextlib.suppress(LitroError):
            await self._connections.run(
                lambda db: db.rows(_GONE, self._notices.sender), patience=0.5
            )

    async def _keep_listening(self, listening: asyncio.Event) -> None:
        pause = 0.1
        while True:
            try:
                await self._listen(listening)
                pause = 0.1
            except (*self._driver.failures, LitroError) as error:
                logger.warning(
                    "postgres at %s: not listening (%s), trying again", self._address.shown, error
                )
            listening.set()
            await asyncio.sleep(pause)
            pause = min(pause * 2, 2)

    async def _listen(self, listening: asyncio.Event) -> None:
        """Listen until the connection is gone."""
        connection = await connect(self._driver, self._address)
        gone = asyncio.Event()
        try:
            connection.add_termination_listener(lambda _: gone.set())
            await connection.add_listener(self._notices.channel, self._heard)
            handle = Handle(connection, self._address.quoted, 1)
            while not gone.is_set():
                # Also how a connection that is dead without a word is found out.
                await handle.rows(_SIGN_OF_LIFE, self._notices.sender)
                if not listening.is_set():
                    listening.set()
                self._on_session(None)
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(gone.wait(), _SIGN)
        finally:
            connection.terminate()

    def _heard(self, _connection: Any, _pid: int, _channel: str, payload: str) -> None:
        sids, mail = parse(payload)
        for sid in sids:
            self._on_session(sid)
        if mail is not None:
            self._on_mail(mail)

    async def _cast_net(self) -> None:
        while True:
            await asyncio.sleep(_NET_POOLED if self._address.pooled else _NET)
            self._on_session(None)
            with contextlib.suppress(LitroError):
                await self._look_for_mail(self._held())

    async def _look_for_mail(self, held: list[SessionKey]) -> None:
        if held:
            for key in await self._connections.run(lambda db: _with_mail(db, held)):
                self._on_mail(key)


async def _with_mail(db: Handle, held: list[SessionKey]) -> list[SessionKey]:
    rows = await db.rows(_MAIL, [key.agent for key in held], [key.session for key in held])
    return [SessionKey(row[0], row[1]) for row in rows]
