"""Checks of the mailbox: from any process, without a lease, once."""

import asyncio
from contextlib import aclosing

from litro.testing.stores.checking import (
    Connect,
    closable,
    connected,
    expect,
    new_key,
    require,
    soon,
    take_mail,
    writing,
)


async def mail_needs_no_lease_and_keeps_its_order(connect: Connect) -> None:
    """Posted before, during and between turns, from any handle."""
    key = new_key()
    async with connected(connect) as store, connected(connect) as other:
        async with writing(store, key):
            pass
        wanted = [b'{"n":%d,"text":"%b"}' % (n, "☀\u2028".encode()) for n in range(6)]
        for n, item in enumerate(wanted[:3]):
            posted = await (store, other)[n % 2].post(key, item, id=f"m{n}")
            require(posted, "posting without a lease must answer True.")
        async with writing(store, key) as writer:
            for n, item in enumerate(wanted[3:], 3):
                await (store, other)[n % 2].post(key, item, id=f"m{n}")
            expect(await take_mail(writer, 6), wanted, "the mail")


async def mail_with_a_known_id_is_refused(connect: Connect) -> None:
    """From any handle, before and after the first was taken, and after a restart."""
    key = new_key()
    async with (
        connected(connect) as store,
        connected(connect) as other,
        writing(store, key) as writer,
    ):
        require(await store.post(key, b"1", id="m1"), "the first with an id must answer True.")
        require(not await store.post(key, b"2", id="m1"), "the same id again must answer False.")
        require(
            not await other.post(key, b"3", id="m1"),
            "the same id on another handle must answer False.",
        )
        await store.post(key, b"4", id="m2")
        expect(await take_mail(writer, 2), [b"1", b"4"], "the mail")
        require(
            not await other.post(key, b"5", id="m1"), "the id of what was taken must answer False."
        )
    async with connected(connect) as later:
        require(
            not await later.post(key, b"6", id="m2"),
            "the same id after a restart must answer False.",
        )
        require(
            await later.post(key, b"7", id="M1"), "an id that differs by case must answer True."
        )


async def of_many_posts_with_one_id_one_counts(connect: Connect) -> None:
    """At the same time, from two handles."""
    key = new_key()
    async with connected(connect) as store, connected(connect) as other:
        posts = [handle.post(key, b"1", id="m") for handle in (store, other) * 5]
        expect(sum(await asyncio.gather(*posts)), 1, "the posts that counted, out of ten")
        many = [handle.post(key, b"%d" % n, id=f"n{n}") for n in range(10) for handle in (store,)]
        require(all(await asyncio.gather(*many)), "posts with ids of their own must answer True.")
        async with writing(store, key) as writer:
            mail = await take_mail(writer, 11)
        expect(sorted(mail), sorted([b"1", *(b"%d" % n for n in range(10))]), "the mail")


async def taken_mail_does_not_come_again(connect: Connect) -> None:
    """What was given out but not taken does, for the next holder of the lease."""
    key = new_key()
    async with connected(connect) as store, connected(connect) as other:
        for n in range(4):
            await store.post(key, b"%d" % n, id=f"m{n}")
        for handle, wanted in ((store, [b"0", b"1"]), (other, [b"1", b"2"]), (store, [b"2", b"3"])):
            async with writing(handle, key) as writer:
                # The last one is given out and not taken: the next is never asked for.
                expect(await take_mail(writer, 2), wanted, "the mail of one holder")


async def mail_wakes_a_waiting_inbox(connect: Connect) -> None:
    """From the same handle and from another."""
    key = new_key()
    async with (
        connected(connect) as store,
        connected(connect) as other,
        writing(store, key) as writer,
        aclosing(closable(writer.inbox())) as inbox,
    ):
        for n, handle in enumerate((store, other, store)):
            waiting = asyncio.ensure_future(anext(inbox))
            await asyncio.sleep(0)
            await handle.post(key, b"%d" % n, id=f"m{n}")
            item = await soon(waiting, "posting wakes a waiting inbox")
            expect(item, b"%d" % n, "the item that woke it")
