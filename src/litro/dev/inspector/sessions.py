"""Every session of the project, whosoever it is: listed, and its log heard as it grows.

It reads alone. Private lines of a log stay where they are.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any, Final

from litro.http.call import Call
from litro.http.excerpt import Excerpt
from litro.http.sieve import at_most, without_deltas
from litro.sessions.base import ANY, SessionMeta, SessionStore
from litro.turn.catalogue import Catalogue
from litro.turn.closing import closing
from litro.turn.cursor import cursor_of
from litro.wire import last_seq, public

_LOOK: Final = 0.25
"""Seconds between two looks whether somebody writes a session again, in whichever process."""


async def page_of(
    store: SessionStore, agents: Sequence[str], *, cursor: str | None, limit: int
) -> dict[str, Any]:
    """A part of the agents' sessions, the last updated first.

    Raises:
        InvalidCursor: `cursor` is none.
        StoreFailed: The store cannot be read.
    """
    catalogue = Catalogue(store)
    pages = [
        await catalogue.page(agent, principal=ANY, cursor=cursor, limit=limit) for agent in agents
    ]
    found = [meta for page in pages for meta in page.sessions]
    found.sort(key=lambda meta: meta.place, reverse=True)
    end = min(limit, len(found))
    # A cursor is a place, which sessions of two agents may share: none may fall between two pages.
    while 0 < end < len(found) and found[end].place == found[end - 1].place:
        end += 1
    has_more = end < len(found) or any(page.next is not None for page in pages)
    return {
        "sessions": [_fields(meta) for meta in found[:end]],
        "next": cursor_of(found[end - 1].place) if has_more else None,
    }


async def events_of(
    store: SessionStore, session: SessionMeta, excerpt: Excerpt
) -> AsyncIterator[bytes]:
    """Blocks of a session's events; where the excerpt follows, from turn to turn until the session is deleted.

    Raises:
        StoreFailed, SessionDamaged: The log cannot be read.
    """
    events = _growing(store, session, excerpt.start, follows=excerpt.follows)
    if not excerpt.deltas:
        events = without_deltas(events, session.tail)
    if excerpt.limit is not None:
        events = at_most(events, excerpt.limit)
    async with closing(events) as blocks:
        async for block in blocks:
            yield block


def agents_asked(call: Call, names: Sequence[str]) -> Sequence[str]:
    """The agents whose sessions a request asks for: one that it names, or all."""
    agent = call.parameter("agent")
    return names if agent is None else [agent]


async def _growing(
    store: SessionStore, session: SessionMeta, start: int, *, follows: bool
) -> AsyncIterator[bytes]:
    at = start
    while True:
        lines = store.follow(session.key, at) if follows else store.read(session.key, at)
        async with closing(lines):
            async for block in lines:
                events = public(block)
                if events:
                    yield events
                at = (last_seq(block) or at - 1) + 1
        if not follows:
            return
        if not await _is_more(store, session, at):
            return


async def _is_more(store: SessionStore, session: SessionMeta, at: int) -> bool:
    """Wait until somebody writes the session again. False where it was deleted."""
    while True:
        await asyncio.sleep(_LOOK)
        now = await store.meta(session.key)
        if now is None or now.created != session.created:
            return False
        if now.tail >= at or now.running is not None:
            return True


def _fields(meta: SessionMeta) -> dict[str, Any]:
    return {
        "agent": meta.key.agent,
        "session": meta.key.session,
        "owner": meta.owner,
        "title": meta.title,
        "created": meta.created,
        "updated": meta.updated,
        "tail": meta.tail,
        "running": meta.running,
    }
