"""Checks of forks: a session that begins as another one was."""

import asyncio
from collections.abc import Sequence

from litro.errors import NotOwner, SessionExists, UnknownSession
from litro.events import Event, Private
from litro.sessions.base import SessionKey, SessionStore
from litro.testing.stores.checking import (
    Connect,
    connected,
    decoded,
    delta,
    expect,
    fields_of,
    known_lines,
    listed,
    meta_of,
    new_key,
    read_lines,
    refused,
    require,
    said,
    take_mail,
    titled,
    writing,
)
from litro.wire import encode_private

_PRIVATE = [Private({"replay": {"n": n}, "of": n}) for n in range(1, 7)]
_LINES = [encode_private(line) for line in _PRIVATE]


async def _begin(store: SessionStore, key: SessionKey, *, owner: str | None = None) -> None:
    """Six events, a private line behind each."""
    async with writing(store, key, owner=owner) as writer:
        for n, line in enumerate(_PRIVATE, 1):
            writer.append(said(f"message {n}"), line)


async def _known(store: SessionStore, key: SessionKey) -> list[bytes]:
    return known_lines(await read_lines(store, key, 1), _LINES)


async def a_fork_holds_what_its_source_held_up_to_there(connect: Connect) -> None:
    """The same bytes, private lines in their places, behind a header of its own; asked for too much, all there is."""
    key = new_key()
    async with connected(connect) as store, connected(connect) as other:
        await _begin(store, key, owner="u1")
        whole = await _known(store, key)
        for at in (6, 1, 3, 0, 99):
            into = SessionKey(new_key().agent, f"fork-{at}-of-a-longer-name")
            meta = await store.fork(key, into, owner="u2", at=at)
            wanted = whole[: 2 * at]
            for handle in (store, other):
                expect(await _known(handle, into), wanted, f"the lines of a fork at {at}")
                expect(await meta_of(handle, into), meta, "meta, against what fork answered")
            expect((meta.key, meta.owner), (into, "u2"), "the fork's key and owner")
            expect((meta.tail, meta.running), (min(at, 6), None), "the fork's tail and running")
            header = fields_of((await read_lines(other, into, 1))[0])
            found = (header.get("agent"), header.get("session"), header.get("owner"))
            expect(found, (*into, "u2"), "agent, session and owner in the fork's first line")
        expect(await _known(other, key), whole, "the source's lines after forks")


async def a_fork_is_a_session_of_its_own(connect: Connect) -> None:
    """Opened by its owner, numbered on, listed, deleted; what happens to one does not happen to the other."""
    key = new_key()
    into = SessionKey(key.agent, "s2")
    async with connected(connect) as store, connected(connect) as other:
        await _begin(store, key, owner="u1")
        await store.fork(key, into, owner="u2", at=4)
        await refused(NotOwner, other.open(into, owner="u1"), "the source's owner, of a fork")
        async with writing(other, into, owner="u2") as writer:
            expect(writer.meta.tail, 4, "meta.tail of the fork's writer")
            async with writing(store, key, owner="u1") as source:
                expect(source.append(delta("source")), 7, "the source's next seq")
            expect(writer.append(delta("fork")), 5, "the fork's next seq")
        found = sorted([meta.key.session for meta in await listed(store, key.agent)])
        expect(found, ["s1", "s2"], "the sessions listed")
        require(await other.delete(key), "deleting a forked session must answer True.")
        seqs = [event.seq for event in decoded(await read_lines(store, into, 1))]
        expect(seqs, [1, 2, 3, 4, 5], "the fork's seqs after its source was deleted")
        again = SessionKey(key.agent, "s3")
        await store.fork(into, again, owner=None, at=5)
        require(await store.delete(into), "deleting a fork must answer True.")
        expect((await meta_of(other, again)).tail, 5, "meta.tail of a fork's fork")


async def a_fork_never_touches_a_session_that_exists(connect: Connect) -> None:
    """Its source included."""
    key, into = new_key(), new_key()
    async with connected(connect) as store, connected(connect) as other:
        await _begin(store, key)
        await _begin(store, into, owner="u1")
        for target in (into, key):
            before = await read_lines(store, target, 1)
            meta = await meta_of(store, target)
            await refused(
                SessionExists, other.fork(key, target, owner=None, at=2), "a fork into a session"
            )
            expect(await read_lines(store, target, 1), before, "its lines afterwards")
            expect(await meta_of(store, target), meta, "its meta afterwards")


async def an_unknown_session_is_not_forked(connect: Connect) -> None:
    """And nothing is made."""
    key, into = new_key(), new_key()
    async with connected(connect) as store:
        await refused(
            UnknownSession, store.fork(key, into, owner=None, at=1), "a fork of no session"
        )
        expect(await store.meta(into), None, "meta of a fork of no session")
        expect(await listed(store, into.agent), [], "the sessions listed")


async def a_session_is_forked_while_its_turn_runs(connect: Connect) -> None:
    """What is durable of it, from any handle; the turn goes on."""
    key = new_key()
    async with connected(connect) as store, connected(connect) as other:
        async with writing(store, key) as writer:
            writer.append(Event(kind="turn-start", payload={}, turn=1), delta(2), delta(3))
            await writer.flush()
            for n, handle in enumerate((store, other)):
                into = SessionKey(key.agent, f"fork{n}")
                meta = await handle.fork(key, into, owner=None, at=2)
                expect((meta.tail, meta.running), (2, None), "the fork's tail and running")
                async with writing(handle, into) as fork:
                    expect(fork.append(delta("fork")), 3, "the fork's next seq")
            expect(writer.append(delta(4)), 4, "the source's next seq")
        expect((await meta_of(other, key)).tail, 4, "the source's meta.tail")


async def of_many_forks_into_one_name_one_counts(connect: Connect) -> None:
    """At the same time, from two handles."""
    key, into = new_key(), new_key()
    async with connected(connect) as store, connected(connect) as other:
        await _begin(store, key)
        forks = [
            handle.fork(key, into, owner=None, at=n % 6 + 1)
            for n in range(4)
            for handle in (store, other)
        ]
        results = await asyncio.gather(*forks, return_exceptions=True)
        for error in _errors(results):
            if not isinstance(error, SessionExists):
                raise error
        expect(len(results) - len(_errors(results)), 1, "the forks that counted, out of eight")
        tail = next(r.tail for r in results if not isinstance(r, BaseException))
        expect((await meta_of(other, into)).tail, tail, "meta.tail of the one that counted")


def _errors(results: Sequence[object]) -> list[BaseException]:
    return [result for result in results if isinstance(result, BaseException)]


async def a_fork_has_a_mailbox_of_its_own(connect: Connect) -> None:
    """What was posted to its source, taken or not, is not its own; what is posted to it comes."""
    key, into = new_key(), new_key()
    async with connected(connect) as store, connected(connect) as other:
        await store.post(key, b'"taken"', id="m1")
        await store.post(key, b'"waits"', id="m2")
        async with writing(store, key) as writer:
            await take_mail(writer, 2)
            writer.append(delta(1))
        await store.fork(key, into, owner=None, at=99)
        require(not await other.has_mail(into), "a fork must begin with no mail.")
        require(await other.post(into, b'"its own"', id="m1"), "an id must be free in a fork.")
        require(await store.has_mail(into), "what was posted to a fork must wait there.")
        async with writing(store, into) as writer:
            expect(await take_mail(writer, 1), [b'"its own"'], "the fork's mail")


async def a_fork_keeps_the_title_of_what_it_holds(connect: Connect) -> None:
    """The last title event up to there, or else the first message of a person."""
    key = new_key()
    async with connected(connect) as store, connected(connect) as other:
        async with writing(store, key) as writer:
            writer.append(delta(1), said("Hello"), titled("One"), delta(4), titled("Two"))
        for at, title in ((1, None), (2, "Hello"), (3, "One"), (4, "One"), (5, "Two")):
            into = SessionKey(new_key().agent, f"fork{at}")
            meta = await store.fork(key, into, owner=None, at=at)
            expect(meta.title, title, f"the title that a fork at {at} answers")
            expect((await meta_of(other, into)).title, title, f"meta.title of a fork at {at}")
