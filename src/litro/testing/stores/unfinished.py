"""Checks of what somebody has to look after: mail that waits, and sessions that were not ended well.

That a session whose holder's process died is told too takes a process to kill: it is for a store's own tests.
"""

from litro.sessions.base import SessionKey
from litro.testing.stores.checking import (
    Connect,
    connected,
    delta,
    expect,
    new_key,
    require,
    take_all_mail,
    take_mail,
    unfinished_of,
    writing,
)


async def what_ended_well_is_not_unfinished(connect: Connect) -> None:
    """However often it was held, written or not."""
    key = new_key()
    async with connected(connect) as store, connected(connect) as other:
        for n, handle in enumerate((store, other, store)):
            async with writing(handle, key) as writer:
                writer.append(*(delta(n) for _ in range(n)))
            for asked in (store, other):
                expect(await unfinished_of(asked, key.agent), [], "unfinished, after a good end")


async def a_held_session_is_not_told_as_unfinished(connect: Connect) -> None:
    """Whether mail waits in it or its last holder left it unfinished: somebody looks after it."""
    key = new_key()
    async with connected(connect) as store, connected(connect) as other:
        await (await store.open(key, owner=None)).close(unfinished=True)
        await other.post(key, b"1", id="m1")
        async with writing(store, key) as writer:
            for handle in (store, other):
                expect(await unfinished_of(handle, key.agent), [], "unfinished, under a lease")
            writer.append(delta(1))
            await writer.flush()
            expect(await unfinished_of(other, key.agent), [], "unfinished, under a lease")


async def what_is_left_unfinished_is_told_until_it_ends_well(connect: Connect) -> None:
    """To every handle, after a restart too, and again after another unfinished end."""
    key = new_key()
    async with connected(connect) as store, connected(connect) as other:
        for _ in range(2):
            writer = await store.open(key, owner=None)
            writer.append(delta(1))
            await writer.close(unfinished=True)
            for handle in (store, other):
                found = await unfinished_of(handle, key.agent)
                expect(found, [key.session], "unfinished, after such an end")
        async with connected(connect) as later:
            found = await unfinished_of(later, key.agent)
            expect(found, [key.session], "unfinished, after a restart")
            async with writing(later, key):
                pass
        for handle in (store, other):
            expect(await unfinished_of(handle, key.agent), [], "unfinished, after a good end")


async def mail_that_waits_is_unfinished(connect: Connect) -> None:
    """Posted while nobody held the session, until a holder has taken it."""
    key = new_key()
    async with connected(connect) as store, connected(connect) as other:
        async with writing(store, key):
            pass
        require(not await other.has_mail(key), "a session that got no mail must have none.")
        for n in range(2):
            await other.post(key, b"%d" % n, id=f"m{n}")
        for handle in (store, other):
            require(await handle.has_mail(key), "what was posted must wait.")
            expect(await unfinished_of(handle, key.agent), [key.session], "unfinished, with mail")
        async with writing(store, key) as writer:
            # The second is given out and not taken, so it waits still.
            await take_mail(writer, 2)
        for handle in (store, other):
            require(await handle.has_mail(key), "what was given out and not taken must wait.")
            expect(await unfinished_of(handle, key.agent), [key.session], "unfinished, with mail")


async def taken_mail_is_waited_for_no_more(connect: Connect) -> None:
    """By nobody, once its taker has closed well; until then has_mail may tell either."""
    key = new_key()
    async with connected(connect) as store, connected(connect) as other:
        await store.post(key, b"1", id="m1")
        async with writing(store, key) as writer:
            await other.post(key, b"2", id="m2")
            require(await store.has_mail(key), "what was posted to a holder must wait for it.")
            await take_all_mail(writer, 2)
        for handle in (store, other):
            require(not await handle.has_mail(key), "what was taken must not wait.")
            expect(await unfinished_of(handle, key.agent), [], "unfinished, after all was taken")
        require(not await store.post(key, b"1", id="m1"), "a known id must answer False.")
        require(not await store.has_mail(key), "what was refused must not wait.")


async def sessions_of_every_agent_are_told(connect: Connect) -> None:
    """Each once, under their own names."""
    keys = [SessionKey(new_key().agent, session) for session in ("s1", "S1", "-x", "a.b", "con")]
    async with connected(connect) as store, connected(connect) as other:
        for key in keys:
            await (await store.open(key, owner=None)).close(unfinished=True)
            await store.post(key, b"1", id="m1")
        for handle in (store, other):
            found = [key async for key in handle.unfinished() if key in keys]
            expect(sorted(found), sorted(keys), "the sessions unfinished")
