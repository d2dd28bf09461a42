"""The session store's conformance suite: what every store must do, as checks to run against your own.

    @pytest.mark.parametrize("check", stores.CHECKS, ids=lambda check: check.__name__)
    async def test_my_store(check, tmp_path):
        await check(lambda: MyStore(tmp_path))

A check gets `connect`, which answers a new handle on the same storage each time it is called: two handles stand for two
processes, and a handle made after another was closed for a restart. Checks name their agents at random, so they may share
a storage. A failure is an AssertionError that says what is required.

It is not a test of what a machine's death leaves behind: that takes faults which only a store's own tests can inject.
"""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import aclosing, asynccontextmanager
from secrets import token_hex
from typing import Any, Final, NoReturn, TypeVar, cast

import orjson

from litro.errors import InvalidSessionId, LeaseLost, NotOwner, SessionBusy
from litro.events import Event, Private
from litro.sessions.base import ANY, SessionKey, SessionMeta, SessionStore, SessionWriter
from litro.wire import decode_event, encode_private, seq_of

Connect = Callable[[], SessionStore]
"""Answers a new handle on the storage that is checked."""

Check = Callable[[Connect], Awaitable[None]]
"""Returns where the store behaves, raises AssertionError where it does not."""

T = TypeVar("T")

_PATIENCE: Final = 20
"""Seconds after which what should come is said to never come."""

_INVALID: Final = ("", "a/b", "..\\a", "a b", "é", "a\n", "a\0", "%41", "x" * 201)


# Events.


async def events_are_numbered_from_one_without_gaps(connect: Connect) -> None:
    """Across appends, flushes and reopening."""
    key = _new_key()
    async with _connected(connect) as store:
        async with _writing(store, key) as writer:
            _expect(writer.append(_event("a")), 1, "the first append's last seq")
            _expect(writer.append(_event("b"), _event("c")), 3, "the last seq of two more events")
            await writer.flush()
            _expect(writer.append(), 3, "the last seq after an append of nothing")
        async with _writing(store, key) as writer:
            _expect(writer.meta.tail, 3, "meta.tail of a writer that opens the session again")
            _expect(writer.append(_event("d")), 4, "the first seq after reopening")
            await writer.flush()
        events = _decoded(await _read(store, key, 1))
    _expect([event.seq for event in events], [1, 2, 3, 4], "the seqs that are read")
    _expect([event.payload for event in events], ["a", "b", "c", "d"], "the payloads that are read")


async def an_event_comes_back_as_it_was_appended(connect: Connect) -> None:
    """Every field, awkward characters and a megabyte included."""
    key = _new_key()
    payloads: list[Any] = [
        {"text": "☀ \u2028 \0 \n \\ \" {}"},
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
    async with _connected(connect) as store, _connected(connect) as other:
        async with _writing(store, key) as writer:
            writer.append(*given)
            await writer.flush()
        found = _decoded(await _read(other, key, 1))
    for n, (event, original) in enumerate(zip(found, given, strict=True), 1):
        _expect(event.seq, n, "seq")
        for field in ("kind", "payload", "turn", "round", "call"):
            _expect(getattr(event, field), getattr(original, field), f"{field} of event {n}")
        _require(
            before - 60_000 <= event.ts <= before + 60_000,
            f"ts of event {n} is {event.ts}, so the time of its appending in milliseconds is required.",
        )


async def what_flush_acknowledged_is_read_by_another_handle(connect: Connect) -> None:
    """And by one that connects later; both get the bytes that a follower got."""
    key = _new_key()
    async with _connected(connect) as store, _connected(connect) as other:
        async with _writing(store, key) as writer:
            following = asyncio.create_task(_follow(store, key, 1))
            for n in range(20):
                writer.append(_event(n))
                await writer.flush()
                seqs = [event.seq for event in _decoded(await _read(other, key, 1))]
                _expect(seqs, list(range(1, n + 2)), "the seqs that another handle reads after flush")
        followed = await _soon(following, "a follower ends when the lease is given back")
        _expect(await _read(store, key, 1), followed, "the lines read, against those followed")
    async with _connected(connect) as later:
        _expect(await _read(later, key, 1), followed, "the lines that a later handle reads")


async def before_flush_a_reader_sees_no_more_than_a_prefix(connect: Connect) -> None:
    """A store may commit early, but only whole lines, in order, that stay."""
    key = _new_key()
    async with _connected(connect) as store, _connected(connect) as other:
        async with _writing(store, key) as writer:
            seen: list[list[bytes]] = []
            for n in range(20):
                writer.append(_event("x" * 1000 * n), _event(n))
                seen += [await _read(store, key, 1), await _read(other, key, 1)]
            await writer.flush()
            final = await _read(other, key, 1)
    for early in seen:
        _expect(early, final[: len(early)], "what was read before flush, against the same after it")


async def blocks_are_whole_lines(connect: Connect) -> None:
    """However long the log is, and wherever reading begins."""
    key = _new_key()
    async with _connected(connect) as store:
        async with _writing(store, key) as writer:
            for n in range(400):
                writer.append(_event("y" * (37 * n % 4001)))
            await writer.flush()
        for start in (1, 2, 200, 399, 400):
            async for block in store.read(key, start):
                _require(
                    block.endswith(b"\n"),
                    f"a block from seq {start} ends in {block[-20:]!r}, so whole lines are required.",
                )
            seqs = [event.seq for event in _decoded(await _read(store, key, start))]
            _expect(seqs, list(range(start, 401)), f"the seqs read from {start}")


async def reading_begins_at_the_seq_that_is_asked_for(connect: Connect) -> None:
    """From 1 or less with the header; beyond the end there is nothing."""
    key = _new_key()
    async with _connected(connect) as store:
        async with _writing(store, key, owner="u1") as writer:
            writer.append(*(_event(n) for n in range(1, 51)))
            await writer.flush()
        whole = await _read(store, key, 1)
        header = _fields(whole[0])
        _expect(
            (header.get("agent"), header.get("session"), header.get("owner")),
            (key.agent, key.session, "u1"),
            "agent, session and owner in the first line",
        )
        for start in (0, -1, -50):
            _expect(await _read(store, key, start), whole, f"what is read from {start}")
        for start in (2, 25, 50):
            lines = await _read(store, key, start)
            _expect(lines, whole[-len(lines) :], f"the lines read from {start}")
            _expect(seq_of(lines[0]), start, f"the first seq read from {start}")
        for start in (51, 52, 5000):
            _expect(await _read(store, key, start), [], f"what is read from {start}, of 50 events")


async def private_lines_keep_their_place(connect: Connect) -> None:
    """They take no seq and come with the event before them, from every start and to followers."""
    key = _new_key()
    private = [Private({"replay": {"n": n, "text": '\n{"seq":9}'}, "of": n}) for n in range(3)]
    async with _connected(connect) as store, _connected(connect) as other:
        async with _writing(store, key) as writer:
            following = asyncio.create_task(_follow(other, key, 1))
            writer.append(_event("a"), private[0])
            _expect(writer.append(private[1]), 1, "the last seq after a private line")
            await writer.flush()
            _expect(writer.append(_event("b"), private[2]), 2, "the seq after private lines")
            await writer.flush()
        whole = await _read(other, key, 1)
        followed = await _soon(following, "a follower ends when the lease is given back")
        second = await _read(store, key, 2)
    mine = [encode_private(line) for line in private]
    order = [line if line in mine else seq_of(line) for line in _known(whole, mine)]
    _expect(order, [1, mine[0], mine[1], 2, mine[2]], "the order of events and private lines")
    _expect(followed, whole, "what was followed, against what is read")
    _expect(seq_of(second[0]), 2, "the first line read from 2")
    _expect(_known(second, mine)[1:], [mine[2]], "the private lines read from 2")


async def a_private_line_alone_is_flushed(connect: Connect) -> None:
    """Flush waits for it as for an event."""
    key, private = _new_key(), Private({"replay": 1, "of": 0})
    async with _connected(connect) as store, _connected(connect) as other:
        async with _writing(store, key) as writer:
            writer.append(private)
            await writer.flush()
            found = await _read(other, key, 1)
    _require(encode_private(private) in found, "a private line was flushed, so it must be readable.")


async def an_unknown_session_is_empty(connect: Connect) -> None:
    """No lines, no meta, nothing to delete; and asking creates nothing."""
    key = _new_key()
    async with _connected(connect) as store:
        _expect(await _read(store, key, 1), [], "what is read of an unknown session")
        _expect(
            await _soon(_follow(store, key, 1), "following an unknown session ends at once"),
            [],
            "what follows of an unknown session",
        )
        _expect(await store.meta(key), None, "meta of an unknown session")
        _expect(await store.delete(key), False, "deleting an unknown session")
        _expect(await _list(store, key.agent), [], "the sessions of an agent that has none")


async def meta_tells_what_is_durable(connect: Connect) -> None:
    """Tail, owner and times, from any handle."""
    key = _new_key()
    async with _connected(connect) as store, _connected(connect) as other:
        async with _writing(store, key, owner="u1") as writer:
            _expect(writer.meta.key, key, "the writer's meta.key")
            _expect(writer.meta.owner, "u1", "the writer's meta.owner")
            _expect(writer.meta.tail, 0, "meta.tail of a new session's writer")
            writer.append(_event("a"), _event("b"), Private({"replay": 1, "of": 2}))
            await writer.flush()
            _expect(writer.pending, 0, "pending after flush")
            for handle in (store, other):
                found = await _meta(handle, key)
                _expect(found.tail, 2, "meta.tail after flush")
                _expect(found.owner, "u1", "meta.owner")
                _expect(found.created, writer.meta.created, "meta.created, against the writer's")
                _require(found.updated >= found.created - 1000, "updated lies before created.")


# The lease.


async def a_second_open_is_busy(connect: Connect) -> None:
    """On the same handle and on another, with the running turn's number."""
    key = _new_key()
    async with _connected(connect) as store, _connected(connect) as other:
        async with _writing(store, key) as writer:
            for handle in (store, other):
                await _refused(SessionBusy, handle.open(key, owner=None), "a second open")
            writer.append(Event(kind="turn-start", payload={}, turn=7))
            await writer.flush()
            for handle in (store, other):
                busy = await _refused(SessionBusy, handle.open(key, owner=None), "a second open")
                _expect(busy.turn, 7, "the turn that SessionBusy names")
                _expect((await _meta(handle, key)).running, 7, "meta.running under a lease")
            writer.append(_event("goes on"))
            await writer.flush()


async def of_many_that_open_at_once_one_gets_the_lease(connect: Connect) -> None:
    """Whether the session exists or not."""
    key = _new_key()
    async with _connected(connect) as store, _connected(connect) as other:
        for _ in range(5):
            opening = [handle.open(key, owner=None) for handle in (store, other) * 4]
            results = await asyncio.gather(*opening, return_exceptions=True)
            errors = [result for result in results if isinstance(result, BaseException)]
            for error in errors:
                if not isinstance(error, SessionBusy):
                    raise error
            _expect(len(results) - len(errors), 1, "the number of writers out of eight")
            for result in results:
                if not isinstance(result, BaseException):
                    await result.close()


async def closing_gives_the_lease_back(connect: Connect) -> None:
    """At once, to any handle; what was appended is committed; closing twice is once."""
    key = _new_key()
    async with _connected(connect) as store, _connected(connect) as other:
        for n, handle in enumerate((store, other, other, store), 1):
            writer = await handle.open(key, owner=None)
            writer.append(_event(n))
            await writer.close()
            await writer.close()
            _expect((await _meta(store, key)).running, None, "meta.running after close")
            _expect((await _meta(other, key)).tail, n, "meta.tail after close without flush")
            try:
                writer.append(_event("late"))
            except LeaseLost:
                continue
            _fail("append after close must raise LeaseLost.")


async def a_reader_never_takes_the_lease(connect: Connect) -> None:
    """However often and in whatever way it asks, opening stays possible."""
    key = _new_key()
    async with _connected(connect) as store, _connected(connect) as other:
        async with _writing(store, key) as writer:
            writer.append(_event(0))
            await writer.flush()

        async def ask() -> NoReturn:
            while True:
                await other.meta(key)
                await _read(other, key, 1)
                await _follow(other, key, 1)
                await _list(other, key.agent)

        asking = [asyncio.create_task(ask()) for _ in range(3)]
        try:
            for n in range(1, 21):
                async with _writing(store, key) as writer:
                    writer.append(_event(n))
        finally:
            await _cancelled(*asking)
        _expect((await _meta(store, key)).tail, 20, "meta.tail")


async def a_cancelled_open_keeps_no_lease(connect: Connect) -> None:
    """Wherever it is interrupted."""
    key = _new_key()
    async with _connected(connect) as store, _connected(connect) as other:
        for turns in range(12):
            opening = asyncio.create_task(store.open(key, owner=None))
            for _ in range(turns):
                await asyncio.sleep(0)
            opening.cancel()
            try:
                await (await opening).close()
            except asyncio.CancelledError:
                pass
            await _soon(_once_free(other, key), "after a cancelled open the session can be opened")


async def a_cancelled_close_still_gives_the_lease_back(connect: Connect) -> None:
    """A writer whose task is cancelled must not keep its session busy."""
    key = _new_key()
    async with _connected(connect) as store, _connected(connect) as other:
        for n in range(1, 6):
            writer = await store.open(key, owner=None)
            writer.append(_event(n))
            closing = asyncio.create_task(writer.close())
            await asyncio.sleep(0)
            await _cancelled(closing)
            await _soon(_once_free(other, key), "after a cancelled close the session can be opened")
            _expect((await _meta(other, key)).tail, n, "meta.tail after a cancelled close")


# Keys and owners.


async def a_session_belongs_to_its_creator(connect: Connect) -> None:
    """None owns what None created; any other owner is refused, and the refusal keeps no lease."""
    async with _connected(connect) as store, _connected(connect) as other:
        for owner, strangers in ((None, ("u1", "", "None")), ("u1", (None, "U1", "u1 ", "u2"))):
            key = _new_key()
            async with _writing(store, key, owner=owner) as writer:
                writer.append(_event("a"))
            for handle in (store, other):
                for stranger in strangers:
                    await _refused(
                        NotOwner, handle.open(key, owner=stranger), f"owner {stranger!r} on {owner!r}'s"
                    )
                async with _writing(handle, key, owner=owner) as writer:
                    _expect(writer.meta.owner, owner, "the writer's meta.owner")
            _expect((await _meta(other, key)).owner, owner, "meta.owner")


async def invalid_ids_are_refused_everywhere(connect: Connect) -> None:
    """By every method, as agent and as session."""
    async with _connected(connect) as store:
        for text in _INVALID:
            for key in (SessionKey("agent", text), SessionKey(text, "s1")):
                for name, asked in _uses(store, key):
                    await _refused(InvalidSessionId, asked, f"{name} of {key!r:.80}")
            await _refused(InvalidSessionId, _list(store, text), f"list of agent {text[:80]!r}")


async def ids_that_look_alike_are_separate_sessions(connect: Connect) -> None:
    """Differing by case alone, device names, dots and hyphens; listed under their own names."""
    agent = _new_key().agent
    ids = ["abc", "ABC", "Abc", "-x", "x", "--", "con", "CON", "con.txt", "nul", "lpt1", "COM0"]
    ids += ["a.b", "a", "a.B", ".a", ".", "..", "a.", "a.jsonl", "a.inbox", "_", "x" * 64]
    async with _connected(connect) as store, _connected(connect) as other:
        for session in ids:
            async with _writing(store, SessionKey(agent, session)) as writer:
                _expect(writer.append(_event(session)), 1, f"the first seq of {session!r}")
        for session in ids:
            events = _decoded(await _read(other, SessionKey(agent, session), 1))
            _expect([event.payload for event in events], [session], f"what {session!r} holds")
        listed = [meta.key for meta in await _list(other, agent)]
    _expect(sorted(listed), sorted(SessionKey(agent, id) for id in ids), "the sessions listed")  # noqa: A001


async def two_agents_never_share_a_session(connect: Connect) -> None:
    """The same id under two agents is two logs, two leases, two mailboxes."""
    one, two = _new_key(), _new_key()
    async with _connected(connect) as store:
        async with _writing(store, one, owner="u1") as first, _writing(store, two) as second:
            first.append(_event("one"))
            second.append(_event("two"))
            await store.post(one, b'"for one"', id="m1")
            _expect(await store.post(two, b'"for two"', id="m1"), True, "the same mail id elsewhere")
            _expect(await _mail(second, 1), [b'"for two"'], "the second agent's mail")
        for key, payload in ((one, "one"), (two, "two")):
            found = [event.payload for event in _decoded(await _read(store, key, 1))]
            _expect(found, [payload], f"what {key.agent} holds")
            _expect([meta.key for meta in await _list(store, key.agent)], [key], "the sessions")


# Following.


async def followers_get_every_line_once(connect: Connect) -> None:
    """Several, on both handles, begun before, between and behind the lines, from several starts."""
    key = _new_key()
    async with _connected(connect) as store, _connected(connect) as other:
        following: list[tuple[int, asyncio.Task[list[bytes]]]] = []
        async with _writing(store, key) as writer:
            for n in range(1, 101):
                if n % 20 == 1:
                    for start in (1, max(1, n - 5), n):
                        for handle in (store, other):
                            task = asyncio.create_task(_follow(handle, key, start))
                            following.append((start, task))
                writer.append(_event(n), Private({"replay": n, "of": n}))
                if n % 3 == 0:
                    await writer.flush()
                    await asyncio.sleep(0)
        for start, task in following:
            followed = await _soon(task, "a follower ends when the lease is given back")
            _expect(followed, await _read(store, key, start), f"what was followed from {start}")
            seqs = [event.seq for event in _decoded(followed)]
            _expect(seqs, list(range(start, 101)), f"the seqs followed from {start}")


async def a_follower_from_beyond_the_end_waits_for_its_seq(connect: Connect) -> None:
    """It gets nothing below what it asked for."""
    key = _new_key()
    async with _connected(connect) as store, _connected(connect) as other:
        async with _writing(store, key) as writer:
            writer.append(_event(1))
            await writer.flush()
            following = [asyncio.create_task(_follow(h, key, 4)) for h in (store, other)]
            for n in range(2, 7):
                await _read(other, key, 1)
                writer.append(_event(n))
                await writer.flush()
        for task in following:
            lines = await _soon(task, "a follower ends when the lease is given back")
            seqs = [event.seq for event in _decoded(lines)]
            _expect(seqs, [4, 5, 6], "the seqs followed from 4, begun when the tail was 1")


async def a_follower_sees_lines_while_the_lease_is_held(connect: Connect) -> None:
    """Each as soon as it is durable, not only at the end."""
    key = _new_key()
    async with _connected(connect) as store, _connected(connect) as other:
        async with _writing(store, key) as writer:
            for handle in (store, other):
                async with aclosing(_generator(handle.follow(key, writer.append() + 1))) as blocks:
                    for _ in range(3):
                        seq = writer.append(_event("live"))
                        await writer.flush()
                        block = await _soon(anext(blocks), "a durable line reaches a live follower")
                        _expect(seq_of(block), seq, "the seq that follows")


async def a_slow_follower_gets_everything(connect: Connect) -> None:
    """Also when it asks for its second block after the lease was given back."""
    key = _new_key()
    async with _connected(connect) as store, _connected(connect) as other:
        async with _writing(store, key) as writer:
            writer.append(_event("first"))
            await writer.flush()
            slow = [_generator(handle.follow(key, 1)) for handle in (store, other)]
            got = [await _soon(anext(blocks), "a follower gets what is there") for blocks in slow]
            for _ in range(300):
                writer.append(_event("z" * 5000))
                await writer.flush()
        whole = await _read(store, key, 1)
        for first, blocks in zip(got, slow, strict=True):
            rest = await _soon(_collect(blocks), "a slow follower ends")
            _expect(first.splitlines(keepends=True) + rest, whole, "what a slow follower got")


async def following_an_idle_session_ends(connect: Connect) -> None:
    """It is reading, then: nobody holds the lease."""
    key = _new_key()
    async with _connected(connect) as store, _connected(connect) as other:
        async with _writing(store, key) as writer:
            writer.append(_event(1), _event(2))
        for handle in (store, other):
            for start in (1, 2, 3, 9):
                followed = await _soon(_follow(handle, key, start), "following an idle session ends")
                _expect(followed, await _read(handle, key, start), f"what is followed from {start}")


async def a_follower_that_leaves_disturbs_nobody(connect: Connect) -> None:
    """Neither the writer nor another follower."""
    key = _new_key()
    async with _connected(connect) as store:
        async with _writing(store, key) as writer:
            staying = asyncio.create_task(_follow(store, key, 1))
            leaving = [asyncio.create_task(_follow(store, key, 1)) for _ in range(5)]
            for n in range(10):
                writer.append(_event(n))
                await writer.flush()
                await _cancelled(*leaving[n // 2 : n // 2 + 1])
        followed = await _soon(staying, "a follower ends when the lease is given back")
        _expect(followed, await _read(store, key, 1), "what the remaining follower got")


# Listing and deleting.


async def sessions_are_listed_newest_first(connect: Connect) -> None:
    """By when they last grew; `before` pages through them."""
    agent = _new_key().agent
    async with _connected(connect) as store, _connected(connect) as other:
        moment = 0
        for session in ("s1", "s2", "s3", "s1"):
            moment = await _grow(store, SessionKey(agent, session), moment)
        for handle in (store, other):
            found = await _list(handle, agent)
            _expect([m.key.session for m in found], ["s1", "s3", "s2"], "the sessions listed")
            paged = await _list(handle, agent, before=found[1].updated)
            _expect([m.key.session for m in paged], ["s2"], "those updated before the second")
            _expect(await _list(handle, agent, before=found[2].updated), [], "before the last")
            _expect(found, [await _meta(handle, m.key) for m in found], "list, against meta")


async def a_list_may_be_one_owners(connect: Connect) -> None:
    """None lists what None owns, ANY everything."""
    agent = _new_key().agent
    owners = {"s1": "u1", "s2": None, "s3": "u2", "s4": "u1"}
    async with _connected(connect) as store:
        for session, owner in owners.items():
            async with _writing(store, SessionKey(agent, session), owner=owner) as writer:
                writer.append(_event(1))
        for asked, wanted in (
            ("u1", ["s1", "s4"]),
            ("u2", ["s3"]),
            ("u3", []),
            (None, ["s2"]),
            (ANY, ["s1", "s2", "s3", "s4"]),
        ):
            found = sorted([meta.key.session async for meta in store.list(agent, owner=asked)])
            _expect(found, wanted, f"the sessions of owner {asked!r}")
        _expect(len(await _list(store, agent)), 4, "the sessions listed without an owner")


async def a_running_session_is_not_deleted(connect: Connect) -> None:
    """SessionBusy from any handle, and nothing is lost."""
    key = _new_key()
    async with _connected(connect) as store, _connected(connect) as other:
        async with _writing(store, key) as writer:
            writer.append(Event(kind="turn-start", payload={}, turn=1))
            await writer.flush()
            for handle in (store, other):
                busy = await _refused(SessionBusy, handle.delete(key), "delete under a lease")
                _expect(busy.turn, 1, "the turn that SessionBusy names")
            writer.append(_event(2))
        _expect((await _meta(other, key)).tail, 2, "meta.tail after refused deletions")


async def a_deleted_session_is_gone(connect: Connect) -> None:
    """Log, mailbox and owner; its name is free, and begins again at 1 as another session."""
    key = _new_key()
    async with _connected(connect) as store, _connected(connect) as other:
        async with _writing(store, key, owner="u1") as writer:
            writer.append(_event("old"), _event("older"))
        await store.post(key, b'"old mail"', id="m1")
        await _read(other, key, 1)
        old = await _meta(other, key)
        _expect(await other.delete(key), True, "deleting a session")
        for handle in (store, other):
            _expect(await handle.delete(key), False, "deleting it again")
            _expect(await handle.meta(key), None, "meta of a deleted session")
            _expect(await _read(handle, key, 1), [], "what is read of a deleted session")
            _expect(await _list(handle, key.agent), [], "the sessions listed")
        while time.time_ns() // 1_000_000 <= old.created:
            await asyncio.sleep(0)
        async with _writing(store, key, owner="u2") as writer:
            _require(
                writer.meta.created != old.created,
                "a session that was made anew has the deleted one's `created`, so nobody can tell them apart.",
            )
            _expect(writer.append(_event("new")), 1, "the first seq after deletion")
            _expect(await other.post(key, b'"new mail"', id="m1"), True, "a mail id used before")
            _expect(await _mail(writer, 1), [b'"new mail"'], "the mail after deletion")
        found = _decoded(await _read(other, key, 1))
        _expect([event.payload for event in found], ["new"], "what the new session holds")
        await _refused(NotOwner, other.open(key, owner="u1"), "the old owner's open")


# The mailbox.


async def mail_needs_no_lease_and_keeps_its_order(connect: Connect) -> None:
    """Posted before, during and between turns, from any handle."""
    key = _new_key()
    async with _connected(connect) as store, _connected(connect) as other:
        async with _writing(store, key):
            pass
        wanted = [b'{"n":%d,"text":"%b"}' % (n, "☀\u2028".encode()) for n in range(6)]
        for n, item in enumerate(wanted[:3]):
            posted = await (store, other)[n % 2].post(key, item, id=f"m{n}")
            _expect(posted, True, "posting without a lease")
        async with _writing(store, key) as writer:
            for n, item in enumerate(wanted[3:], 3):
                await (store, other)[n % 2].post(key, item, id=f"m{n}")
            _expect(await _mail(writer, 6), wanted, "the mail")


async def mail_with_a_known_id_is_refused(connect: Connect) -> None:
    """From any handle, before and after the first was taken, and after a restart."""
    key = _new_key()
    async with _connected(connect) as store, _connected(connect) as other:
        async with _writing(store, key) as writer:
            _expect(await store.post(key, b"1", id="m1"), True, "the first with an id")
            _expect(await store.post(key, b"2", id="m1"), False, "the same id again")
            _expect(await other.post(key, b"3", id="m1"), False, "the same id on another handle")
            await store.post(key, b"4", id="m2")
            _expect(await _mail(writer, 2), [b"1", b"4"], "the mail")
            _expect(await other.post(key, b"5", id="m1"), False, "the id of what was taken")
    async with _connected(connect) as later:
        _expect(await later.post(key, b"6", id="m2"), False, "the same id after a restart")
        _expect(await later.post(key, b"7", id="M1"), True, "an id that differs by case")


async def of_many_posts_with_one_id_one_counts(connect: Connect) -> None:
    """At the same time, from two handles."""
    key = _new_key()
    async with _connected(connect) as store, _connected(connect) as other:
        posts = [handle.post(key, b"1", id="m") for handle in (store, other) * 5]
        _expect(sum(await asyncio.gather(*posts)), 1, "the posts that counted, out of ten")
        many = [handle.post(key, b"%d" % n, id=f"n{n}") for n in range(10) for handle in (store,)]
        _expect(all(await asyncio.gather(*many)), True, "posts with ids of their own")
        async with _writing(store, key) as writer:
            mail = await _mail(writer, 11)
        _expect(sorted(mail), sorted([b"1", *(b"%d" % n for n in range(10))]), "the mail")


async def taken_mail_does_not_come_again(connect: Connect) -> None:
    """What was given out but not taken does, for the next holder of the lease."""
    key = _new_key()
    async with _connected(connect) as store, _connected(connect) as other:
        for n in range(4):
            await store.post(key, b"%d" % n, id=f"m{n}")
        for handle, wanted in ((store, [b"0", b"1"]), (other, [b"1", b"2"]), (store, [b"2", b"3"])):
            async with _writing(handle, key) as writer:
                # The last one is given out and not taken: the next is never asked for.
                _expect(await _mail(writer, 2), wanted, "the mail of one holder")


async def mail_wakes_a_waiting_inbox(connect: Connect) -> None:
    """From the same handle and from another."""
    key = _new_key()
    async with _connected(connect) as store, _connected(connect) as other:
        async with _writing(store, key) as writer:
            async with aclosing(_generator(writer.inbox())) as inbox:
                for n, handle in enumerate((store, other, store)):
                    waiting = asyncio.ensure_future(anext(inbox))
                    await asyncio.sleep(0)
                    await handle.post(key, b"%d" % n, id=f"m{n}")
                    item = await _soon(waiting, "posting wakes a waiting inbox")
                    _expect(item, b"%d" % n, "the item that woke it")


CHECKS: Final[tuple[Check, ...]] = (
    events_are_numbered_from_one_without_gaps,
    an_event_comes_back_as_it_was_appended,
    what_flush_acknowledged_is_read_by_another_handle,
    before_flush_a_reader_sees_no_more_than_a_prefix,
    blocks_are_whole_lines,
    reading_begins_at_the_seq_that_is_asked_for,
    private_lines_keep_their_place,
    a_private_line_alone_is_flushed,
    an_unknown_session_is_empty,
    meta_tells_what_is_durable,
    a_second_open_is_busy,
    of_many_that_open_at_once_one_gets_the_lease,
    closing_gives_the_lease_back,
    a_reader_never_takes_the_lease,
    a_cancelled_open_keeps_no_lease,
    a_cancelled_close_still_gives_the_lease_back,
    a_session_belongs_to_its_creator,
    invalid_ids_are_refused_everywhere,
    ids_that_look_alike_are_separate_sessions,
    two_agents_never_share_a_session,
    followers_get_every_line_once,
    a_follower_from_beyond_the_end_waits_for_its_seq,
    a_follower_sees_lines_while_the_lease_is_held,
    a_slow_follower_gets_everything,
    following_an_idle_session_ends,
    a_follower_that_leaves_disturbs_nobody,
    sessions_are_listed_newest_first,
    a_list_may_be_one_owners,
    a_running_session_is_not_deleted,
    a_deleted_session_is_gone,
    mail_needs_no_lease_and_keeps_its_order,
    mail_with_a_known_id_is_refused,
    of_many_posts_with_one_id_one_counts,
    taken_mail_does_not_come_again,
    mail_wakes_a_waiting_inbox,
)
"""Every check. The name of each is the behaviour that it requires."""


# What the checks share.


def _new_key() -> SessionKey:
    return SessionKey(f"agent-{token_hex(6)}", "s1")


def _event(payload: object) -> Event:
    return Event(kind="text-delta", payload=payload, turn=1, round=1)


@asynccontextmanager
async def _connected(connect: Connect) -> AsyncIterator[SessionStore]:
    store = connect()
    try:
        yield store
    finally:
        await store.close()


@asynccontextmanager
async def _writing(
    store: SessionStore, key: SessionKey, *, owner: str | None = None
) -> AsyncIterator[SessionWriter]:
    writer = await store.open(key, owner=owner)
    try:
        yield writer
    finally:
        await writer.close()


async def _once_free(store: SessionStore, key: SessionKey) -> None:
    """Open and close as soon as nobody holds the lease."""
    while True:
        try:
            writer = await store.open(key, owner=None)
        except SessionBusy:
            await asyncio.sleep(0)
        else:
            await writer.close()
            return


async def _grow(store: SessionStore, key: SessionKey, moment: int) -> int:
    """Append until `updated` is later than `moment`: clocks of storages are coarse. Answers `updated`."""
    async with _writing(store, key) as writer:
        while True:
            writer.append(_event("grows"))
            await writer.flush()
            found = await _meta(store, key)
            if found.updated > moment:
                return found.updated


async def _meta(store: SessionStore, key: SessionKey) -> SessionMeta:
    found = await store.meta(key)
    if found is None:
        _fail(f"meta of {key!r} is None, but the session exists.")
    return found


async def _list(store: SessionStore, agent: str, *, before: int | None = None) -> list[SessionMeta]:
    return [meta async for meta in store.list(agent, before=before)]


async def _collect(blocks: AsyncIterator[bytes]) -> list[bytes]:
    return [line async for block in blocks for line in block.splitlines(keepends=True)]


async def _read(store: SessionStore, key: SessionKey, start: int) -> list[bytes]:
    return await _collect(store.read(key, start))


async def _follow(store: SessionStore, key: SessionKey, start: int) -> list[bytes]:
    return await _collect(store.follow(key, start))


async def _mail(writer: SessionWriter, count: int) -> list[bytes]:
    """The next `count` items, the last of them not taken."""
    items: list[bytes] = []
    async with aclosing(_generator(writer.inbox())) as inbox:
        while len(items) < count:
            items.append(await _soon(anext(inbox), f"item {len(items) + 1} of {count} comes"))
    return items


async def _generator(items: AsyncIterator[T]) -> AsyncIterator[T]:
    """As an async generator, which can be closed; the port promises an iterator only."""
    try:
        async for item in items:
            yield item
    finally:
        close = cast("Callable[[], Awaitable[None]] | None", getattr(items, "aclose", None))
        if close is not None:
            await close()


def _uses(store: SessionStore, key: SessionKey) -> Iterable[tuple[str, Awaitable[object]]]:
    """Every method that takes a key, called with it."""
    yield "open", store.open(key, owner=None)
    yield "post", store.post(key, b"1", id="m1")
    yield "read", _read(store, key, 1)
    yield "follow", _follow(store, key, 1)
    yield "meta", store.meta(key)
    yield "delete", store.delete(key)


async def _soon(waiting: Awaitable[T], sentence: str) -> T:
    try:
        async with asyncio.timeout(_PATIENCE):
            return await waiting
    except TimeoutError:
        _fail(f"{sentence}: not within {_PATIENCE} s.")


async def _cancelled(*tasks: "asyncio.Task[Any]") -> None:
    for task in tasks:
        task.cancel()
    for result in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(result, BaseException) and not isinstance(result, asyncio.CancelledError):
            raise result


E = TypeVar("E", bound=Exception)


async def _refused(error: type[E], asked: Awaitable[object], what: str) -> E:
    try:
        answer = await asked
    except error as raised:
        return raised
    _fail(f"{what} answered {answer!r:.200}, so {error.__name__} is required.")


def _decoded(lines: Sequence[bytes]) -> list[Event]:
    return [event for line in lines if (event := decode_event(line)) is not None]


def _known(lines: Sequence[bytes], private: Sequence[bytes]) -> list[bytes]:
    """Events and those private lines: a store may keep private lines of its own."""
    return [line for line in lines if line in private or decode_event(line) is not None]


def _fields(line: bytes) -> dict[str, Any]:
    return cast("dict[str, Any]", orjson.loads(line))


def _expect(found: object, wanted: object, what: str) -> None:
    if found != wanted:
        _fail(f"{what}: {_short(found)} was found, so {_short(wanted)} is required.")


def _require(truth: bool, sentence: str) -> None:  # noqa: FBT001 - as assert
    if not truth:
        _fail(sentence)


def _fail(sentence: str) -> NoReturn:
    raise AssertionError(sentence)


def _short(value: object) -> str:
    """A repr that stays readable: long runs of one character shrink."""
    text = re.sub(r"(.)\1{40,}", lambda run: f"{run[1] * 3}…", repr(value))
    return text if len(text) <= 2000 else f"{text[:1000]} … {text[-1000:]}"
