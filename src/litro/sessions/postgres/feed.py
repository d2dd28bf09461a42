"""Live tails: who waits for which session, and one statement for all that has to be fetched.

A watch is a counter that rings. Local writers, the listener and the poll ring it; a follower that was rung looks. Looks
are batched as commits are: whoever wants to look while a statement is on its way shares the next one. It is no queue of
events: a follower that does not look costs nothing.
"""

import asyncio
import logging
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from litro.errors import LitroError, StoreFailed
from litro.sessions.postgres.chunks import Chunk, Place
from litro.sessions.postgres.connections import Connections, Handle

logger: Final = logging.getLogger(__name__)

_AT_ONCE: Final = 16
"""Chunks of one session that one statement fetches."""

_FETCH = f"""
SELECT w.nr, c.seq0, c.k, c.n, c.data, coalesce(s.expires > clock_timestamp(), false)
FROM unnest($1::bigint[], $2::bigint[], $3::int[]) WITH ORDINALITY AS w (sid, seq0, k, nr)
LEFT JOIN {{s}}.sessions s ON s.id = w.sid
LEFT JOIN LATERAL (
    SELECT seq0, k, n, data FROM {{s}}.chunks c
    WHERE c.sid = w.sid AND (c.seq0, c.k) > (w.seq0, w.k) ORDER BY c.seq0, c.k LIMIT {_AT_ONCE}
) c ON true
"""


class Watch:
    """What one follower, or several, waits for."""

    def __init__(self) -> None:
        self.watchers = 0
        self._rings = 0
        self._waiting: list[asyncio.Future[None]] = []

    @property
    def rings(self) -> int:
        """How often it has rung."""
        return self._rings

    def ring(self) -> None:
        """Something may have changed."""
        self._rings += 1
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)

    async def rung(self, since: int) -> None:
        """Return when it has rung more often than that."""
        while self._rings == since:
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(future)
            await future


@dataclass(frozen=True, slots=True)
class Look:
    """What is behind a place, in one snapshot."""

    chunks: list[Chunk]
    """The next ones; perhaps there are more."""
    is_held: bool
    """Whether somebody held the lease."""


_Wanted = tuple[int, Place]


class Feed:
    """The watches of a store, and its looks."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._watches: dict[int, Watch] = {}
        self._wanted: dict[_Wanted, asyncio.Future[Look]] = {}
        self._looking: asyncio.Task[None] | None = None

    @contextmanager
    def watching(self, sid: int) -> Generator[Watch]:
        """A session's watch, while it is of use."""
        watch = self._watches.setdefault(sid, Watch())
        watch.watchers += 1
        try:
            yield watch
        finally:
            watch.watchers -= 1
            if not watch.watchers:
                del self._watches[sid]

    def is_watched(self, sid: int) -> bool:
        """Whether anybody waits for the session."""
        return sid in self._watches

    def ring(self, sid: int) -> None:
        """The session has changed."""
        watch = self._watches.get(sid)
        if watch is not None:
            watch.ring()

    def ring_all(self) -> None:
        """Anything may have changed."""
        for watch in list(self._watches.values()):
            watch.ring()

    async def look(self, sid: int, behind: Place) -> Look:
        """What is behind the place now.

        Raises:
            StoreFailed: The server is away.
        """
        wanted = (sid, behind)
        future = self._wanted.get(wanted)
        if future is None:
            future = self._wanted[wanted] = asyncio.get_running_loop().create_future()
        if self._looking is None:
            self._looking = asyncio.get_running_loop().create_task(self._run())
        # One of several that look at the same may leave.
        return await asyncio.shield(future)

    async def close(self) -> None:
        """Return when no look is on its way."""
        while self._looking is not None:
            await asyncio.wait([self._looking])

    async def _run(self) -> None:
        try:
            while self._wanted:
                wanted, self._wanted = self._wanted, {}
                await self._answer(wanted)
        finally:
            self._looking = None

    async def _answer(self, wanted: dict[_Wanted, "asyncio.Future[Look]"]) -> None:
        try:
            looks = await self._connections.run(lambda db: _fetch(db, list(wanted)))
            for future, look in zip(wanted.values(), looks, strict=True):
                if not future.done():
                    future.set_result(look)
        except LitroError as error:
            for future in wanted.values():
                future.set_exception(type(error)(*error.args))
                # Whoever waited may have left.
                future.exception()
        except Exception as error:
            # The task's edge: whoever follows hears of it instead of waiting for ever. The next look may do.
            logger.critical("a look broke, so its followers end", exc_info=error)
            msg = (
                f"postgres: a look broke ({error!r}), so this stream ends: follow the session anew."
            )
            for future in wanted.values():
                if not future.done():
                    future.set_exception(StoreFailed(msg))
                    future.exception()


async def _fetch(db: Handle, wanted: list[_Wanted]) -> list[Look]:
    found: list[list[Chunk]] = [list[Chunk]() for _ in wanted]
    held = [False] * len(wanted)
    sids = [sid for sid, _ in wanted]
    seq0s = [place.seq0 for _, place in wanted]
    for nr, seq0, k, n, data, is_held in await db.rows(
        _FETCH, sids, seq0s, [place.k for _, place in wanted]
    ):
        number: int = nr - 1
        held[number] = is_held
        if seq0 is not None:
            found[number].append(Chunk(Place(seq0, k), n, data))
    for chunks in found:
        chunks.sort(key=lambda chunk: chunk.place)
    return [Look(chunks, is_held) for chunks, is_held in zip(found, held, strict=True)]
