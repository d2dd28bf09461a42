"""Checks of the log: what is appended, flushed and read."""

import asyncio
import time
from typing import Any

from litro.events import Event, Private
from litro.testing.stores.checking import (
    Connect,
    connected,
    decoded,
    delta,
    expect,
    fields_of,
    follow_lines,
    known_lines,
    listed,
    meta_of,
    new_key,
    read_lines,
    require,
    soon,
    writing,
)
from litro.wire import encode_private, seq_of


async def events_are_numbered_from_one_without_gaps(connect: Connect) -> None:
    """Across appends, flushes and reopening."""
    key = new_key()
    async with connected(connect) as store:
        async with writing(store, key) as writer:
            expect(writer.append(delta("a")), 1, "the first append's last seq")
            expect(writer.append(delta("b"), delta("c")), 3, "the last seq of two more events")
            await writer.flush()
            expect(writer.append(), 3, "the last seq after an append of nothing")
        async with writing(store, key) as writer:
            expect(writer.meta.tail, 3, "meta.tail of a writer that opens the session again")
            expect(writer.append(delta("d")), 4, "the first seq after reopening")
            await writer.flush()
        events = decoded(await read_lines(store, key, 1))
    expect([event.seq for event in events], [1, 2, 3, 4], "the seqs that are read")
    expect([event.payload for event in events], ["a", "b", "c", "d"], "the payloads that are read")


async def an_event_comes_back_as_it_was_appended(connect: Connect) -> None:
    """Every field, awkward characters and a megabyte included."""
    key = new_key()
    payloads: list[Any] = [
        {"text": '☀ \u2028 \0 \n \\ " {}'},
        None,
        [],
        [1.5, -1, 2**53, True],
        '{"seq":7}\n{"seq":8,"kind":"turn-end"}',
        "x" * (1 << 20),
        "",
    ]
    given = [
        Event(kind="ui", payload=payload, turn=n, round=n + 1, call=f"c{n}")
        for n, payload in enumerate(payloads, 1)
    ]
    before = time.time_ns() // 1_000_000
    async with connected(connect) as store, connected(connect) as other:
        async with writing(store, key) as writer:
            writer.append(*given)
            await writer.flush()
        found = decoded(await read_lines(other, key, 1))
    for n, (event, original) in enumerate(zip(found, given, strict=True), 1):
        expect(event.seq, n, "seq")
        for field in ("kind", "payload", "turn", "round", "call"):
            expect(getattr(event, field), getattr(original, field), f"{field} of event {n}")
        require(
            before - 60_000 <= event.ts <= before + 60_000,
            f"ts of event {n} is {event.ts}, so the time of its appending in milliseconds is required.",
        )


async def what_flush_acknowledged_is_read_by_another_handle(connect: Connect) -> None:
    """And by one that connects later; both get the bytes that a follower got."""
    key = new_key()
    async with connected(connect) as store, connected(connect) as other:
        async with writing(store, key) as writer:
            following = asyncio.create_task(follow_lines(store, key, 1))
            for n in range(20):
                writer.append(delta(n))
                await writer.flush()
                seqs = [event.seq for event in decoded(await read_lines(other, key, 1))]
                expect(
                    seqs, list(range(1, n + 2)), "the seqs that another handle reads after flush"
                )
        followed = await soon(following, "a follower ends when the lease is given back")
        expect(await read_lines(store, key, 1), followed, "the lines read, against those followed")
    async with connected(connect) as later:
        expect(await read_lines(later, key, 1), followed, "the lines that a later handle reads")


async def before_flush_a_reader_sees_no_more_than_a_prefix(connect: Connect) -> None:
    """A store may commit early, but only whole lines, in order, that stay."""
    key = new_key()
    async with (
        connected(connect) as store,
        connected(connect) as other,
        writing(store, key) as writer,
    ):
        seen: list[list[bytes]] = []
        for n in range(20):
            writer.append(delta("x" * 1000 * n), delta(n))
            seen += [await read_lines(store, key, 1), await read_lines(other, key, 1)]
        await writer.flush()
        final = await read_lines(other, key, 1)
    for early in seen:
        expect(early, final[: len(early)], "what was read before flush, against the same after it")


async def blocks_are_whole_lines(connect: Connect) -> None:
    """However long the log is, and wherever reading begins."""
    key = new_key()
    async with connected(connect) as store:
        async with writing(store, key) as writer:
            for n in range(400):
                writer.append(delta("y" * (37 * n % 4001)))
            await writer.flush()
        for start in (1, 2, 200, 399, 400):
            async for block in store.read(key, start):
                require(
                    block.endswith(b"\n"),
                    f"a block from seq {start} ends in {block[-20:]!r}, so whole lines are required.",
                )
            seqs = [event.seq for event in decoded(await read_lines(store, key, start))]
            expect(seqs, list(range(start, 401)), f"the seqs read from {start}")


async def reading_begins_at_the_seq_that_is_asked_for(connect: Connect) -> None:
    """From 1 or less with the header; beyond the end there is nothing."""
    key = new_key()
    async with connected(connect) as store:
        async with writing(store, key, owner="u1") as writer:
            writer.append(*(delta(n) for n in range(1, 51)))
            await writer.flush()
        whole = await read_lines(store, key, 1)
        header = fields_of(whole[0])
        expect(
            (header.get("agent"), header.get("session"), header.get("owner")),
            (key.agent, key.session, "u1"),
            "agent, session and owner in the first line",
        )
        for start in (0, -1, -50):
            expect(await read_lines(store, key, start), whole, f"what is read from {start}")
        for start in (2, 25, 50):
            lines = await read_lines(store, key, start)
            expect(lines, whole[-len(lines) :], f"the lines read from {start}")
            expect(seq_of(lines[0]), start, f"the first seq read from {start}")
        for start in (51, 52, 5000):
            expect(
                await read_lines(store, key, start), [], f"what is read from {start}, of 50 events"
            )


async def private_lines_keep_their_place(connect: Connect) -> None:
    """They take no seq and come with the event before them, from every start and to followers."""
    key = new_key()
    private = [Private({"replay": {"n": n, "text": '\n{"seq":9}'}, "of": n}) for n in range(3)]
    async with connected(connect) as store, connected(connect) as other:
        async with writing(store, key) as writer:
            following = asyncio.create_task(follow_lines(other, key, 1))
            writer.append(delta("a"), private[0])
            expect(writer.append(private[1]), 1, "the last seq after a private line")
            await writer.flush()
            expect(writer.append(delta("b"), private[2]), 2, "the seq after private lines")
            await writer.flush()
        whole = await read_lines(other, key, 1)
        followed = await soon(following, "a follower ends when the lease is given back")
        second = await read_lines(store, key, 2)
    mine = [encode_private(line) for line in private]
    order = [line if line in mine else seq_of(line) for line in known_lines(whole, mine)]
    expect(order, [1, mine[0], mine[1], 2, mine[2]], "the order of events and private lines")
    expect(followed, whole, "what was followed, against what is read")
    expect(seq_of(second[0]), 2, "the first line read from 2")
    expect(known_lines(second, mine)[1:], [mine[2]], "the private lines read from 2")


async def a_private_line_alone_is_flushed(connect: Connect) -> None:
    """Flush waits for it as for an event."""
    key, private = new_key(), Private({"replay": 1, "of": 0})
    async with (
        connected(connect) as store,
        connected(connect) as other,
        writing(store, key) as writer,
    ):
        writer.append(private)
        await writer.flush()
        found = await read_lines(other, key, 1)
    require(encode_private(private) in found, "a private line was flushed, so it must be readable.")


async def an_unknown_session_is_empty(connect: Connect) -> None:
    """No lines, no meta, nothing to delete; and asking creates nothing."""
    key = new_key()
    async with connected(connect) as store:
        expect(await read_lines(store, key, 1), [], "what is read of an unknown session")
        expect(
            await soon(follow_lines(store, key, 1), "following an unknown session ends at once"),
            [],
            "what follows of an unknown session",
        )
        expect(await store.meta(key), None, "meta of an unknown session")
        require(not await store.delete(key), "deleting an unknown session must answer False.")
        expect(await listed(store, key.agent), [], "the sessions of an agent that has none")


async def meta_tells_what_is_durable(connect: Connect) -> None:
    """Tail, owner and times, from any handle."""
    key = new_key()
    async with (
        connected(connect) as store,
        connected(connect) as other,
        writing(store, key, owner="u1") as writer,
    ):
        expect(writer.meta.key, key, "the writer's meta.key")
        expect(writer.meta.owner, "u1", "the writer's meta.owner")
        expect(writer.meta.tail, 0, "meta.tail of a new session's writer")
        writer.append(delta("a"), delta("b"), Private({"replay": 1, "of": 2}))
        await writer.flush()
        expect(writer.pending, 0, "pending after flush")
        for handle in (store, other):
            found = await meta_of(handle, key)
            expect(found.tail, 2, "meta.tail after flush")
            expect(found.owner, "u1", "meta.owner")
            expect(found.created, writer.meta.created, "meta.created, against the writer's")
            require(found.updated >= found.created - 1000, "updated lies before created.")
