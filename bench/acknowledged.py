"""What a store acknowledged, and whether it is still there: the writer that campaigns kill, and the check afterwards.

    python bench/acknowledged.py URL AGENT SEED [control]

The writer appends to three sessions at once, without end, in batches of random size. Each time a flush returns it says
`SESSION SEQ WORD`: the event SEQ holds WORD, durably. Where a store refuses, it says `! ERROR` and opens the session again,
three times. With `control` the store's syncs do nothing.

It injects no fault: `powerloss`, `killing` and `disks` do.
"""

import asyncio
import logging
import os
import random
import resource
import sqlite3
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from litro.errors import LitroError, SessionBusy, StoreFailed
from litro.events import Event
from litro.sessions import open_store
from litro.sessions.base import SessionKey, SessionStore, SessionWriter
from litro.sessions.postgres import PostgresStore
from litro.wire import events_of

SESSIONS = ("s0", "s1", "s2")
TRIES = 3
TTL = 2
PATIENCE = 25
"""Seconds that a dead holder's lease may last."""

Acknowledged = dict[str, dict[int, str]]
"""By session and seq, the word that was acknowledged."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What became of what was acknowledged."""

    acknowledged: int
    lost: int
    unreadable: str | None = None
    refusals: int = 0
    """How often the store told the writer that it cannot."""

    @property
    def is_loss(self) -> bool:
        """Whether anything is wrong."""
        return self.lost > 0 or self.unreadable is not None


def heard(said: bytes) -> Acknowledged:
    """What a writer said, the last line left out where it was torn."""
    found: Acknowledged = {}
    for line in said[: said.rfind(b"\n") + 1].decode().splitlines():
        if not line.startswith("!"):
            session, seq, word = line.split()
            found.setdefault(session, {})[int(seq)] = word
    return found


def check(url: str, agent: str, acknowledged: Acknowledged) -> Verdict:
    """Open each session as after a restart, append to it, and compare."""
    count = sum(max(seqs) for seqs in acknowledged.values())
    try:
        found = asyncio.run(_recovered(url, agent))
    except (OSError, LitroError, AssertionError) as error:
        said = f"{type(error).__name__}: {error}"
        return Verdict(acknowledged=count, lost=0, unreadable=said)
    lost = 0
    for session, words in acknowledged.items():
        there = found[session]
        lost += max(0, max(words) - len(there))
        lost += sum(seq <= len(there) and there[seq - 1] != word for seq, word in words.items())
    return Verdict(acknowledged=count, lost=lost)


def store_of(url: str) -> SessionStore:
    """The store, with leases that campaigns need not wait for long."""
    return PostgresStore(url, ttl=TTL) if url.startswith("postgres") else open_store(url)


async def _recovered(url: str, agent: str) -> dict[str, list[str]]:
    """Each session's words, by seq."""
    store = store_of(url)
    found: dict[str, list[str]] = {}
    try:
        for session in SESSIONS:
            key = SessionKey(agent, session)
            writer = await _once_free(store, key)
            events = [event async for block in store.read(key, 1) for event in events_of(block)]
            assert [event.seq for event in events] == list(range(1, len(events) + 1)), "seqs"
            last = Event(kind="error", payload="last", turn=1)
            assert writer.append(last) == len(events) + 1, "the next seq"
            await writer.flush()
            await writer.close()
            found[session] = [str(event.payload).partition(" ")[0] for event in events]
    finally:
        await store.close()
    return found


async def _once_free(store: SessionStore, key: SessionKey) -> SessionWriter:
    """The writer, once the lease of a dead holder has run out, where it was not the kernel's."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return await store.open(key, owner=None)
        except SessionBusy:
            if time.monotonic() > deadline:
                raise
            await asyncio.sleep(0.2)


async def write(store: SessionStore, agent: str, seed: int) -> None:
    """Append to all sessions at once, and say what was acknowledged."""
    await asyncio.gather(
        *(_write(store, SessionKey(agent, name), seed + n) for n, name in enumerate(SESSIONS))
    )


async def _write(store: SessionStore, key: SessionKey, seed: int) -> None:
    chance, number = random.Random(seed), 0
    for attempt in range(TRIES):
        writer: SessionWriter | None = None
        try:
            writer = await store.open(key, owner=None)
            while True:
                for _ in range(chance.randint(1, 8)):
                    number += 1
                    word = f"{seed}.{attempt}.{number}"
                    padding = "é" * chance.randint(0, 400)
                    seq = writer.append(
                        Event(kind="text-delta", payload=f"{word} {padding}", turn=1)
                    )
                await writer.flush()
                os.write(1, f"{key.session} {seq} {word}\n".encode())
        except LitroError as error:
            os.write(1, f"! {type(error).__name__}\n".encode())
        if writer is not None:
            await writer.close()


def forget_syncs() -> None:
    """From now on, nothing that this process asks to be synced is."""
    os.fsync = os.fdatasync = lambda _fd: None
    connect = sqlite3.connect

    class Connection(sqlite3.Connection):
        def execute(self, sql: str, /, *arguments: Any) -> sqlite3.Cursor:
            if "synchronous" in sql.lower():
                sql, arguments = "PRAGMA synchronous = OFF", ()
            return super().execute(sql, *arguments)

    def unsynced(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection = connect(*arguments, **{"factory": Connection, **options})
        connection.execute("PRAGMA synchronous = OFF")
        return connection

    sqlite3.connect = unsynced


def main() -> None:
    """Be the writer."""
    url, agent, seed, *control = sys.argv[1:]
    logging.disable()
    if control:
        forget_syncs()
    limit = os.environ.get("WRITER_FSIZE")
    if limit is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), resource.RLIM_INFINITY))

    async def run() -> None:
        store = store_of(url)
        await write(store, agent, int(seed))
        with suppress(StoreFailed):
            await store.close()

    asyncio.run(run())


if __name__ == "__main__":
    main()
