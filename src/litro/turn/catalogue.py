"""The catalogue of sessions: whose there are, what they are called, which are deleted, and which go two ways.

Everything is of one principal: what belongs to somebody else is not there. `ANY` as the principal is the operator, who
sees all. It starts no turn and reads no more of a log than it must; what is said in sessions is `litro.turn.conversations`'
business.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Final, TypeVar
from uuid import uuid4

import orjson

from litro.definitions import Principal, owner_of
from litro.errors import SessionBusy, SessionError
from litro.events import Event
from litro.sessions.base import (
    ANY,
    Anybody,
    Place,
    SessionKey,
    SessionMeta,
    SessionStore,
    is_caller_id,
)
from litro.sessions.facts import BETWEEN_TURNS, is_persons
from litro.sessions.refusals import not_owner, unknown_session
from litro.turn.closing import closing
from litro.turn.cursor import cursor_of, place_of
from litro.turn.title import check_title
from litro.wire import events_of

T = TypeVar("T")

MAX_PAGE: Final = 200

_GIVEN_BACK: Final = 1.0
"""Seconds in which a turn that has ended gives its lease back."""

_LOOK: Final = 0.02
"""Seconds between two looks whether it has."""

_WINDOW: Final = 64
"""Events that are read at first when something is looked for from a log's end backwards."""


class NoTurnEnd(SessionError):
    """No turn has ended where the session is to be forked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A part of a list of sessions."""

    sessions: tuple[SessionMeta, ...]
    next: str | None
    """The cursor of the page behind this one, or None where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fork:
    """A session that was made of another's beginning."""

    meta: SessionMeta
    at: int
    """The seq of the `turn-end` that it ends with."""


class Catalogue:
    """The sessions of a store.

    Args:
        store: Where they are kept.
    """

    def __init__(self, store: SessionStore) -> None:
        self._store = store

    async def page(
        self,
        agent: str,
        *,
        principal: Principal | Anybody,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page:
        """The agent's sessions, the last updated first.

        A session that is written to while somebody turns pages moves to the front, before the first page: a page shows none
        that belongs before its cursor, so that turning pages always ends.

        Args:
            agent: Whose.
            principal: Only theirs.
            cursor: Where the page begins, as the page before told it.
            limit: How many, 1 to `MAX_PAGE`.

        Raises:
            InvalidCursor: `cursor` is none.
        """
        before = None if cursor is None else place_of(cursor)
        found: list[SessionMeta] = []
        has_more = False
        listed = self._store.list(agent, owner=_owner(principal), before=before)
        async with closing(listed) as metas:
            async for meta in metas:
                # An id that no caller may have is a session of the machinery's.
                if not is_caller_id(meta.key.session) or _is_moved(meta, before):
                    continue
                if len(found) == limit:
                    has_more = True
                    break
                found.append(meta)
        found.sort(key=lambda meta: meta.place, reverse=True)
        return Page(sessions=tuple(found), next=cursor_of(found[-1].place) if has_more else None)

    async def rename(self, key: SessionKey, title: str, *, principal: Principal | Anybody) -> str:
        """Give the session a title; what it is now called. While a turn runs, the turn's process takes it over in a moment.

        Raises:
            UnknownSession: There is none of the principal's.
            InvalidTitle: It has another length than 1 to `MAX_TITLE`, or control characters.
            SessionDamaged, NewerFormat, StoreFailed: The store refuses.
        """
        text = check_title(title)
        meta = await self._known(key, principal)
        was_left = await self._is_unfinished(key)
        try:
            writer = await self._at_rest(key, lambda: self._store.open(key, owner=meta.owner))
        except SessionBusy:
            item = orjson.dumps({"title": text})
            await self._store.post(key, item, id=f"title-{uuid4().hex}")
            return text
        is_left = True
        try:
            if writer.meta.created != meta.created:
                is_left = False
                raise unknown_session(key)
            last = await self._last(key, writer.meta.tail, _is_of_a_turn)
            is_left = was_left or (last is not None and last.kind != "turn-end")
            turn = 0 if last is None else last.turn
            writer.append(Event(kind="title", payload={"text": text}, turn=turn))
            await writer.flush()
        finally:
            # What a crash left is still to be put right, by whoever sees to that.
            await writer.close(unfinished=is_left)
            if writer.meta.created != meta.created:
                # It was deleted meanwhile, and opening it made an empty one.
                await self._store.delete(key)
        return text

    async def delete(self, key: SessionKey, *, principal: Principal | Anybody) -> None:
        """Delete the session for good.

        Raises:
            UnknownSession: There is none of the principal's.
            SessionBusy: A turn is running in it.
            StoreFailed: The store refuses.
        """
        await self._known(key, principal)
        if not await self._at_rest(key, lambda: self._store.delete(key)):
            raise unknown_session(key)

    async def fork(
        self,
        key: SessionKey,
        into: SessionKey,
        *,
        principal: Principal | Anybody,
        at: int | None = None,
    ) -> Fork:
        """Make `into` of the session's beginning, up to a `turn-end`. It is the principal's own, or the operator's fork keeps the owner.

        Args:
            key: The session, in which a turn may run.
            into: The new one's key.
            principal: Who forks.
            at: The seq to fork at, rounded down to a `turn-end`; by default the last.

        Raises:
            UnknownSession: There is none of the principal's.
            NoTurnEnd: No turn has ended there.
            SessionExists, SessionDamaged, NewerFormat, StoreFailed: The store refuses.
        """
        meta = await self._known(key, principal)
        upto = meta.tail if at is None else min(at, meta.tail)
        end = await self._last(key, upto, _is_turn_end)
        if end is None:
            where = "yet" if at is None else f"at or before {at}"
            msg = (
                f"No turn of session {key.session!r} has ended {where}, and a fork begins with turns that have. "
                "Fork it when one has, or at a later seq."
            )
            raise NoTurnEnd(msg)
        made = await self._store.fork(key, into, owner=meta.owner, at=end.seq)
        await self._withdraw_all(into, end)
        return Fork(meta=made, at=end.seq)

    async def _known(self, key: SessionKey, principal: Principal | Anybody) -> SessionMeta:
        meta = await self._store.meta(key)
        if meta is None:
            raise unknown_session(key)
        owner = _owner(principal)
        if not isinstance(owner, Anybody) and meta.owner != owner:
            raise not_owner(key)
        return meta

    async def _is_unfinished(self, key: SessionKey) -> bool:
        async with closing(self._store.unfinished()) as keys:
            async for left in keys:
                if left == key:
                    return True
        return False

    async def _at_rest(self, key: SessionKey, act: Callable[[], Awaitable[T]]) -> T:
        """Do what a holder of the lease prevents; whoever heard a turn's end need not wait until its lease is given back.

        Raises:
            SessionBusy: A turn is running.
        """
        deadline = time.monotonic() + _GIVEN_BACK
        while True:
            try:
                return await act()
            except SessionBusy:
                meta = await self._store.meta(key)
                last = None if meta is None else await self._last(key, meta.tail, _is_of_a_turn)
                is_running = last is not None and last.kind != "turn-end"
                if is_running or time.monotonic() > deadline:
                    raise
            await asyncio.sleep(_LOOK)

    async def _last(
        self, key: SessionKey, upto: int, is_wanted: Callable[[Event], bool]
    ) -> Event | None:
        """The last event up to seq `upto` that is wanted, by windows that double: the log's rest is not read."""
        window, end = _WINDOW, upto
        while end > 0:
            start = max(1, end - window + 1)
            found: Event | None = None
            async with closing(self._store.read(key, start)) as blocks:
                async for event in _up_to(blocks, end):
                    if is_wanted(event):
                        found = event
            if found is not None:
                return found
            end, window = start - 1, window * 2
        return None

    async def _withdraw_all(self, key: SessionKey, end: Event) -> None:
        """Withdraw what waited in the queue where a log was forked: it was said in the other session, and is answered there."""
        waiting: dict[str, None] = {}
        async with closing(self._store.read(key, 1)) as blocks:
            async for block in blocks:
                if b'"queued"' not in block and not waiting:
                    continue
                for event in events_of(block):
                    _count(event, waiting)
        if not waiting:
            return
        meta = await self._store.meta(key)
        writer = await self._store.open(key, owner=None if meta is None else meta.owner)
        try:
            for message in waiting:
                writer.append(Event(kind="withdrawn", payload={"id": message}, turn=end.turn))
            await writer.flush()
        finally:
            await writer.close()


def _owner(principal: Principal | Anybody) -> str | Anybody | None:
    return ANY if isinstance(principal, Anybody) else owner_of(principal)


def _is_moved(meta: SessionMeta, before: Place | None) -> bool:
    return before is not None and meta.place >= before


def _is_of_a_turn(event: Event) -> bool:
    return event.kind not in BETWEEN_TURNS


def _is_turn_end(event: Event) -> bool:
    return event.kind == "turn-end"


def _count(event: Event, waiting: dict[str, None]) -> None:
    """Keep the ids of queued messages that neither began a turn, nor joined one, nor were withdrawn."""
    match event.kind:
        case "queued":
            waiting[event.payload["id"]] = None
        case "withdrawn":
            waiting.pop(event.payload["id"], None)
        case "message" if is_persons(event.payload):
            waiting.pop(event.payload["id"], None)
        case _:
            return


async def _up_to(blocks: AsyncIterator[bytes], end: int) -> AsyncIterator[Event]:
    async for block in blocks:
        for event in events_of(block):
            if event.seq > end:
                return
            yield event
