"""Checks of the lease: one writer at a time, and nobody else is in its way."""

import asyncio
from contextlib import suppress
from dataclasses import replace
from typing import NoReturn

from litro.errors import LeaseLost, SessionBusy
from litro.events import Event, Private
from litro.sessions.base import SessionWriter
from litro.testing.stores.checking import (
    Connect,
    cancelled,
    connected,
    decoded,
    delta,
    expect,
    fail,
    follow_lines,
    listed,
    meta_of,
    new_key,
    once_free,
    read_lines,
    refused,
    soon,
    titled,
    unfinished_of,
    writing,
)


async def a_second_open_is_busy(connect: Connect) -> None:
    """On the same handle and on another, with the running turn's number."""
    key = new_key()
    async with (
        connected(connect) as store,
        connected(connect) as other,
        writing(store, key) as writer,
    ):
        for handle in (store, other):
            await refused(SessionBusy, handle.open(key, owner=None), "a second open")
        writer.append(Event(kind="turn-start", payload={}, turn=7))
        await writer.flush()
        for handle in (store, other):
            busy = await refused(SessionBusy, handle.open(key, owner=None), "a second open")
            expect(busy.turn, 7, "the turn that SessionBusy names")
            expect((await meta_of(handle, key)).running, 7, "meta.running under a lease")
        writer.append(delta("goes on"))
        await writer.flush()


async def of_many_that_open_at_once_one_gets_the_lease(connect: Connect) -> None:
    """Whether the session exists or not."""
    key = new_key()
    async with connected(connect) as store, connected(connect) as other:
        for _ in range(5):
            opening = [handle.open(key, owner=None) for handle in (store, other) * 4]
            results = await asyncio.gather(*opening, return_exceptions=True)
            errors = [result for result in results if isinstance(result, BaseException)]
            for error in errors:
                if not isinstance(error, SessionBusy):
                    raise error
            expect(len(results) - len(errors), 1, "the number of writers out of eight")
            for result in results:
                if not isinstance(result, BaseException):
                    await result.close()


async def closing_gives_the_lease_back(connect: Connect) -> None:
    """At once, to any handle; what was appended is committed; closing twice is once."""
    key = new_key()
    async with connected(connect) as store, connected(connect) as other:
        for n, handle in enumerate((store, other, other, store), 1):
            writer = await handle.open(key, owner=None)
            writer.append(delta(n))
            await writer.close()
            await writer.close()
            expect((await meta_of(store, key)).running, None, "meta.running after close")
            expect((await meta_of(other, key)).tail, n, "meta.tail after close without flush")
            try:
                writer.append(delta("late"))
            except LeaseLost:
                continue
            fail("append after close must raise LeaseLost.")


async def a_reader_never_takes_the_lease(connect: Connect) -> None:
    """However often and in whatever way it asks, opening stays possible."""
    key = new_key()
    async with connected(connect) as store, connected(connect) as other:
        async with writing(store, key) as writer:
            writer.append(delta(0))
            await writer.flush()

        async def ask() -> NoReturn:
            while True:
                await other.meta(key)
                await read_lines(other, key, 1)
                await follow_lines(other, key, 1)
                await listed(other, key.agent)

        asking = [asyncio.create_task(ask()) for _ in range(3)]
        try:
            for n in range(1, 21):
                async with writing(store, key) as writer:
                    writer.append(delta(n))
        finally:
            await cancelled(*asking)
        expect((await meta_of(store, key)).tail, 21, "meta.tail")


async def a_cancelled_open_keeps_no_lease(connect: Connect) -> None:
    """Wherever it is interrupted."""
    key = new_key()
    async with connected(connect) as store, connected(connect) as other:
        for turns in range(12):
            opening = asyncio.create_task(store.open(key, owner=None))
            for _ in range(turns):
                await asyncio.sleep(0)
            opening.cancel()
            with suppress(asyncio.CancelledError):
                await (await opening).close()
            await soon(once_free(other, key), "after a cancelled open the session can be opened")


async def a_cancelled_close_still_gives_the_lease_back(connect: Connect) -> None:
    """A writer whose task is cancelled must not keep its session busy."""
    key = new_key()
    async with connected(connect) as store, connected(connect) as other:
        for n in range(1, 6):
            writer = await store.open(key, owner=None)
            writer.append(delta(n))
            closing = asyncio.create_task(writer.close())
            await asyncio.sleep(0)
            await cancelled(closing)
            await soon(once_free(other, key), "after a cancelled close the session can be opened")
            expect((await meta_of(other, key)).tail, n, "meta.tail after a cancelled close")


async def a_writer_that_gave_its_lease_back_is_fenced(connect: Connect) -> None:
    """Whatever it tries later, the log is the next holder's."""
    key = new_key()
    async with connected(connect) as store, connected(connect) as other:
        old = await store.open(key, owner=None)
        old.append(delta(1))
        await old.close()
        async with writing(other, key) as writer:
            writer.append(delta(2))
            await refused(LeaseLost, _appended(old, "zombie"), "append of the last holder")
            await old.close(unfinished=True)
            writer.append(delta(3))
            await writer.flush()
            for handle in (store, other):
                found = decoded(await read_lines(handle, key, 1))
                expect([event.seq for event in found], [1, 2, 3], "the seqs after a takeover")
                expect([event.payload for event in found], [1, 2, 3], "the payloads after it")
        expect(await unfinished_of(other, key.agent), [], "unfinished, after a good end")


async def between_turns_running_is_the_turn_that_comes(connect: Connect) -> None:
    """What is queued, withdrawn and renamed belongs to no turn's course: it neither begins nor ends one."""
    key = new_key()
    aside = [
        Event(kind="queued", payload={"id": "m2", "text": "b", "mode": "queue"}, turn=0),
        Event(kind="withdrawn", payload={"id": "m2"}, turn=0),
        titled("a name", turn=0),
    ]
    async with connected(connect) as store, connected(connect) as other:

        async def runs(turn: int, when: str) -> None:
            await writer.flush()
            for handle in (store, other):
                expect((await meta_of(handle, key)).running, turn, f"meta.running {when}")

        async with writing(store, key) as writer:
            writer.append(*aside)
            await runs(1, "before any turn")
            writer.append(Event(kind="turn-start", payload={}, turn=1))
            await runs(1, "in turn 1")
            writer.append(*(replace(event, turn=1) for event in aside))
            await runs(1, "in turn 1, behind what belongs to none")
            writer.append(Event(kind="turn-end", payload={"status": "completed"}, turn=1))
            await runs(2, "behind the end of turn 1")
            writer.append(*(replace(event, turn=1) for event in aside), Private({"of": 1}))
            await runs(2, "between turns, behind what belongs to none")
        expect((await meta_of(other, key)).running, None, "meta.running after close")


async def _appended(writer: SessionWriter, payload: object) -> None:
    writer.append(delta(payload))
    await writer.flush()
