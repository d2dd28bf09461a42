"""Checks of the live tail: no gap, no repeat, and an end."""

import asyncio
from contextlib import aclosing

from litro.events import Private
from litro.testing.stores.checking import (
    Connect,
    cancelled,
    closable,
    connected,
    decoded,
    delta,
    expect,
    follow_lines,
    lines_of,
    new_key,
    read_lines,
    soon,
    writing,
)
from litro.wire import events_of


async def followers_get_every_line_once(connect: Connect) -> None:
    """Several, on both handles, begun before, between and behind the lines, from several starts."""
    key = new_key()
    async with connected(connect) as store, connected(connect) as other:
        following: list[tuple[int, asyncio.Task[list[bytes]]]] = []
        async with writing(store, key) as writer:
            for n in range(1, 101):
                if n % 20 == 1:
                    for start in (1, max(1, n - 5), n):
                        for handle in (store, other):
                            task = asyncio.create_task(follow_lines(handle, key, start))
                            following.append((start, task))
                writer.append(delta(n), Private({"replay": n, "of": n}))
                if n % 3 == 0:
                    await writer.flush()
                    await asyncio.sleep(0)
        for start, task in following:
            followed = await soon(task, "a follower ends when the lease is given back")
            expect(followed, await read_lines(store, key, start), f"what was followed from {start}")
            seqs = [event.seq for event in decoded(followed)]
            expect(seqs, list(range(start, 101)), f"the seqs followed from {start}")


async def a_follower_from_beyond_the_end_waits_for_its_seq(connect: Connect) -> None:
    """It gets nothing below what it asked for."""
    key = new_key()
    async with connected(connect) as store, connected(connect) as other:
        async with writing(store, key) as writer:
            writer.append(delta(1))
            await writer.flush()
            following = [asyncio.create_task(follow_lines(h, key, 4)) for h in (store, other)]
            for n in range(2, 7):
                await read_lines(other, key, 1)
                writer.append(delta(n))
                await writer.flush()
        for task in following:
            lines = await soon(task, "a follower ends when the lease is given back")
            seqs = [event.seq for event in decoded(lines)]
            expect(seqs, [4, 5, 6], "the seqs followed from 4, begun when the tail was 1")


async def a_follower_sees_lines_while_the_lease_is_held(connect: Connect) -> None:
    """Each as soon as it is durable, not only at the end."""
    key = new_key()
    async with (
        connected(connect) as store,
        connected(connect) as other,
        writing(store, key) as writer,
    ):
        writer.append(delta("first"))
        await writer.flush()
        for handle in (store, other):
            async with aclosing(closable(handle.follow(key, writer.append() + 1))) as blocks:
                for _ in range(3):
                    seq = writer.append(delta("live"))
                    await writer.flush()
                    block = await soon(anext(blocks), "a durable line reaches a live follower")
                    expect([event.seq for event in events_of(block)], [seq], "the seqs that follow")


async def a_slow_follower_gets_everything(connect: Connect) -> None:
    """Also when it asks for its second block after the lease was given back."""
    key = new_key()
    async with connected(connect) as store, connected(connect) as other:
        async with writing(store, key) as writer:
            writer.append(delta("first"))
            await writer.flush()
            slow = [closable(handle.follow(key, 1)) for handle in (store, other)]
            got = [await soon(anext(blocks), "a follower gets what is there") for blocks in slow]
            for _ in range(300):
                writer.append(delta("z" * 5000))
                await writer.flush()
        whole = await read_lines(store, key, 1)
        for first, blocks in zip(got, slow, strict=True):
            rest = await soon(lines_of(blocks), "a slow follower ends")
            expect(first.splitlines(keepends=True) + rest, whole, "what a slow follower got")


async def following_an_idle_session_ends(connect: Connect) -> None:
    """It is reading, then: nobody holds the lease."""
    key = new_key()
    async with connected(connect) as store, connected(connect) as other:
        async with writing(store, key) as writer:
            writer.append(delta(1), delta(2))
        for handle in (store, other):
            for start in (1, 2, 3, 9):
                followed = await soon(
                    follow_lines(handle, key, start), "following an idle session ends"
                )
                expect(
                    followed, await read_lines(handle, key, start), f"what is followed from {start}"
                )


async def a_follower_that_leaves_disturbs_nobody(connect: Connect) -> None:
    """Neither the writer nor another follower."""
    key = new_key()
    async with connected(connect) as store:
        async with writing(store, key) as writer:
            staying = asyncio.create_task(follow_lines(store, key, 1))
            leaving = [asyncio.create_task(follow_lines(store, key, 1)) for _ in range(5)]
            for n in range(10):
                writer.append(delta(n))
                await writer.flush()
                await cancelled(*leaving[n // 2 : n // 2 + 1])
        followed = await soon(staying, "a follower ends when the lease is given back")
        expect(followed, await read_lines(store, key, 1), "what the remaining follower got")
