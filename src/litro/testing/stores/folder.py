"""Checks of what is known of many sessions: listing them, and deleting one."""

import asyncio
import time
from contextlib import suppress
from typing import NoReturn

from litro.errors import NotOwner, SessionBusy
from litro.events import Event
from litro.sessions.base import ANY, Place, SessionKey, SessionMeta
from litro.testing.stores.checking import (
    Connect,
    cancelled,
    connected,
    decoded,
    delta,
    expect,
    grow,
    listed,
    meta_of,
    new_key,
    read_lines,
    refused,
    require,
    take_mail,
    unfinished_of,
    writing,
    writing_once_free,
)


async def sessions_are_listed_newest_first(connect: Connect) -> None:
    """By when they last grew; `before` leaves out what stands at a place or ahead of it."""
    agent = new_key().agent
    async with connected(connect) as store, connected(connect) as other:
        moment = 0
        for session in ("s1", "s2", "s3", "s1"):
            moment = await grow(store, SessionKey(agent, session), moment)
        for handle in (store, other):
            found = await listed(handle, agent)
            expect([m.key.session for m in found], ["s1", "s3", "s2"], "the sessions listed")
            paged = await listed(handle, agent, before=found[1].place)
            expect([m.key.session for m in paged], ["s2"], "those behind the second")
            behind = await listed(handle, agent, before=found[2].place)
            expect(behind, [], "those behind the last")
            expect(found, [await meta_of(handle, m.key) for m in found], "list, against meta")


async def pages_cover_every_session_once(connect: Connect) -> None:
    """Also where several were updated in one moment: of those, the greatest id comes first."""
    agent = new_key().agent

    async def begin(session: str) -> None:
        async with writing(store, SessionKey(agent, session)) as writer:
            writer.append(delta(1))

    async with connected(connect) as store:
        await asyncio.gather(*(begin(f"s{n}") for n in range(24)))
        whole = await listed(store, agent)
        expect(len(whole), 24, "the sessions listed")
        places = [meta.place for meta in whole]
        expect(places, sorted(places, reverse=True), "the order by `updated`, then by id")
        for size in (1, 5):
            paged: list[SessionMeta] = []
            while page := (await listed(store, agent, before=paged[-1].place if paged else None)):
                require(
                    page[0] not in paged,
                    f"a page begins with {page[0].key.session!r}, which an earlier one held.",
                )
                paged += page[:size]
            expect(paged, whole, f"pages of {size}, against the whole list")


async def a_place_outlives_its_session(connect: Connect) -> None:
    """Where a page ended may be deleted, or never have been."""
    agent = new_key().agent
    async with connected(connect) as store:
        moment = 0
        for session in ("s1", "s2", "s3"):
            moment = await grow(store, SessionKey(agent, session), moment)
        found = await listed(store, agent)
        await store.delete(found[1].key)
        for place in (found[1].place, Place(found[1].updated, "zzz"), found[0].place):
            behind = [meta.key.session for meta in await listed(store, agent, before=place)]
            expect(behind, ["s1"], f"those behind {place}")


async def a_list_may_be_one_owners(connect: Connect) -> None:
    """None lists what None owns, ANY everything."""
    agent = new_key().agent
    owners = {"s1": "u1", "s2": None, "s3": "u2", "s4": "u1"}
    async with connected(connect) as store:
        for session, owner in owners.items():
            async with writing(store, SessionKey(agent, session), owner=owner) as writer:
                writer.append(delta(1))
        for asked, wanted in (
            ("u1", ["s1", "s4"]),
            ("u2", ["s3"]),
            ("u3", []),
            (None, ["s2"]),
            (ANY, ["s1", "s2", "s3", "s4"]),
        ):
            found = sorted([meta.key.session async for meta in store.list(agent, owner=asked)])
            expect(found, wanted, f"the sessions of owner {asked!r}")
        expect(len(await listed(store, agent)), 4, "the sessions listed without an owner")


async def a_running_session_is_not_deleted(connect: Connect) -> None:
    """SessionBusy from any handle, and nothing is lost."""
    key = new_key()
    async with connected(connect) as store, connected(connect) as other:
        async with writing(store, key) as writer:
            writer.append(Event(kind="turn-start", payload={}, turn=1))
            await writer.flush()
            for handle in (store, other):
                busy = await refused(SessionBusy, handle.delete(key), "delete under a lease")
                expect(busy.turn, 1, "the turn that SessionBusy names")
            writer.append(delta(2))
        expect((await meta_of(other, key)).tail, 2, "meta.tail after refused deletions")


async def deleting_never_meets_a_turn_that_has_begun(connect: Connect) -> None:
    """However the two race: who holds the lease reads what it has flushed."""
    key = new_key()
    async with connected(connect) as store, connected(connect) as other:

        async def delete() -> NoReturn:
            while True:
                with suppress(SessionBusy):
                    await other.delete(key)

        deleting = [asyncio.create_task(delete()) for _ in range(4)]
        try:
            for n in range(60):
                async with writing_once_free(store, key) as writer:
                    writer.append(delta(n))
                    await writer.flush()
                    found = decoded(await read_lines(other, key, 1))
                    expect(
                        [event.payload for event in found][-1:], [n], "what the holder wrote last"
                    )
        finally:
            await cancelled(*deleting)


async def a_deleted_session_is_gone(connect: Connect) -> None:
    """Log, mailbox and owner; its name is free, and begins again at 1 as another session."""
    key = new_key()
    async with connected(connect) as store, connected(connect) as other:
        async with writing(store, key, owner="u1") as writer:
            writer.append(delta("old"), delta("older"))
        await store.post(key, b'"old mail"', id="m1")
        await read_lines(other, key, 1)
        old = await meta_of(other, key)
        require(await other.delete(key), "deleting a session must answer True.")
        for handle in (store, other):
            require(not await handle.delete(key), "deleting it again must answer False.")
            expect(await handle.meta(key), None, "meta of a deleted session")
            expect(await read_lines(handle, key, 1), [], "what is read of a deleted session")
            expect(await listed(handle, key.agent), [], "the sessions listed")
            require(not await handle.has_mail(key), "a deleted session must have no mail.")
            expect(await unfinished_of(handle, key.agent), [], "the deleted ones still unfinished")
        while time.time_ns() // 1_000_000 <= old.created:
            pass
        async with writing(store, key, owner="u2") as writer:
            require(
                writer.meta.created != old.created,
                "a session that was made anew has the deleted one's `created`, so nobody can tell them apart.",
            )
            expect(writer.append(delta("new")), 1, "the first seq after deletion")
            require(
                await other.post(key, b'"new mail"', id="m1"),
                "a mail id used before must answer True.",
            )
            expect(await take_mail(writer, 1), [b'"new mail"'], "the mail after deletion")
        found = decoded(await read_lines(other, key, 1))
        expect([event.payload for event in found], ["new"], "what the new session holds")
        await refused(NotOwner, other.open(key, owner="u1"), "the old owner's open")
