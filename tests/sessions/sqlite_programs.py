"""Programs that the SQLite store's tests run in other processes, and kill: `python sqlite_programs.py NAME FILE`.

Each talks in lines: what it prints is what it was told, acknowledgements above all.
"""

import asyncio
import ctypes
import errno
import os
import resource
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from litro.errors import LitroError, StoreFailed
from litro.events import Event
from litro.sessions.base import SessionKey, SessionStore, SessionWriter
from litro.sessions.sqlite import SqliteStore
from litro.wire import events_of

KEY = SessionKey("demo", "s1")
OTHER = SessionKey("demo", "s2")


def event(payload: object, turn: int = 1) -> Event:
    return Event(kind="text-delta", payload=payload, turn=turn)


async def seqs_of(store: SessionStore, key: SessionKey = KEY, start: int = 1) -> list[int]:
    return [found.seq async for block in store.read(key, start) for found in events_of(block)]


async def payloads_of(store: SessionStore, key: SessionKey = KEY, start: int = 1) -> list[object]:
    return [found.payload async for block in store.read(key, start) for found in events_of(block)]


async def turn(store: SessionStore, *payloads: object, key: SessionKey = KEY) -> None:
    """Take the lease, append and give it back."""
    writer = await store.open(key, owner=None)
    try:
        for payload in payloads:
            writer.append(event(payload))
            await writer.flush()
    finally:
        await writer.close()


# Running them.


def run(program: str, path: Path, *, under: Sequence[str] = ()) -> list[str]:
    """The lines that the program says, until it ends."""
    command = [*under, sys.executable, __file__, program, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=50, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


@contextmanager
def running(program: str, path: Path) -> "Iterator[subprocess.Popen[str]]":
    """The program while it runs; it is killed in the end, with no chance to tidy up."""
    command = [sys.executable, __file__, program, str(path)]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=sys.stderr, text=True
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


# The programs.


def _say(word: object) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


async def _told(asked: Awaitable[object]) -> str:
    try:
        await asked
    except LitroError as error:
        return type(error).__name__
    return "done"


async def _appended(writer: SessionWriter, payload: object) -> None:
    writer.append(event(payload))
    await writer.flush()


async def write(store: SqliteStore) -> None:
    """Append to two sessions without end, and say each seq of the first once it is acknowledged."""
    writers = [await store.open(key, owner=None) for key in (KEY, OTHER)]
    while True:
        seqs = [writer.append(*(event("x" * 300) for _ in range(5))) for writer in writers]
        for writer in writers:
            await writer.flush()
        _say(seqs[0])


async def hold(store: SqliteStore) -> None:
    """Hold the lease in turn 7, append one event for each line that is heard, and say what mail comes first, without taking it."""
    writer = await store.open(KEY, owner=None)
    writer.append(Event(kind="turn-start", payload={}, turn=7))
    await writer.flush()
    _say(1)

    async def listen() -> None:
        async for item in writer.inbox():
            _say(item.decode())
            # An item is taken when the next one is asked for.
            await asyncio.Event().wait()

    listening = asyncio.create_task(listen())
    while await asyncio.to_thread(sys.stdin.readline):
        seq = writer.append(event("heard", 7))
        await writer.flush()
        _say(seq)
    listening.cancel()


async def fork(store: SqliteStore) -> None:
    """Give the lease back while a forked child still has the lock file open."""
    writer = await store.open(KEY, owner=None)
    await _appended(writer, "a")
    mine, childs = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(childs)
        os.read(mine, 1)
        os._exit(0)
    await writer.close()
    _say(await _told(turn(SqliteStore(Path(sys.argv[2])), "b")))
    os.close(childs)
    os.waitpid(child, 0)


async def fill(store: SqliteStore) -> None:
    """Append until files may grow no more; then as if there were space again."""
    writer = await store.open(KEY, owner=None)
    await _appended(writer, "first")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, hard))
    acknowledged = 1
    try:
        while True:
            seq = writer.append(event("y" * 20_000))
            await writer.flush()
            acknowledged = seq
    except StoreFailed:
        _say("refused")
    # What fits into the file is refused as well: a gap would be worse than an end.
    _say(await _told(_appended(writer, "tiny")))
    await writer.close()
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    _say([key.session async for key in store.unfinished()])
    _say(len(await seqs_of(store)) - acknowledged)
    _say(await _told(turn(store, "later", key=OTHER)))
    _say(await _told(turn(store, "later")))
    await store.close()
    _say(acknowledged)


def _break(*points: str) -> None:
    """From now on the system calls fail, under `fiu-run -x`."""
    library = ctypes.CDLL("libfiu.so.0")
    for point in points:
        library.fiu_enable(point.encode(), 1, ctypes.c_void_p(errno.EIO), 0)


def _mend(*points: str) -> None:
    for point in points:
        ctypes.CDLL("libfiu.so.0").fiu_disable(point.encode())


_WRITES = ("posix/io/rw/pwrite", "posix/io/rw/pwrite64")
_SYNCS = ("posix/io/sync/fdatasync", "posix/io/sync/fsync")


async def lose_sync(store: SqliteStore) -> None:
    """Acknowledge three events, then let syncs fail, then work again: nothing may be acknowledged any more."""
    writer, bystander = await store.open(KEY, owner=None), await store.open(OTHER, owner=None)
    for payload in ("a", "b", "c"):
        await _appended(writer, payload)
    has_read = asyncio.Event()
    follower = asyncio.create_task(_seqs_until_told(store, has_read))
    await has_read.wait()
    _break(*_SYNCS)
    _say(await _told(_appended(writer, "never")))
    _mend(*_SYNCS)
    _say(await _told(_appended(writer, "never again")))
    _say(await _told(_appended(bystander, "never either")))
    _say(await follower)
    _say(await _told(store.open(SessionKey("demo", "s3"), owner=None)))
    _say(await _told(seqs_of(store)))
    _say(await _told(store.meta(KEY)))
    _say(await _told(store.post(KEY, b"1", id="m1")))
    await writer.close()
    # As a crash would: nothing is tidied up.
    os._exit(0)


async def lose_left(store: SqliteStore) -> None:
    """What a dead process left cannot be made durable: it is never read, not even at the second try."""
    _break(*_SYNCS)
    _say(await _told(seqs_of(store)))
    _mend(*_SYNCS)
    _say(await _told(seqs_of(store)))


async def lose_mail(store: SqliteStore) -> None:
    """A write that fails is undone, and may be tried again."""
    await turn(store, "a")
    await store.post(KEY, b'"kept"', id="m0")
    _break(*_WRITES)
    _say(await _told(store.post(KEY, b'"lost"', id="m1")))
    _mend(*_WRITES)
    _say(await store.post(KEY, b'"again"', id="m1"))
    writer = await store.open(KEY, owner=None)
    inbox = writer.inbox()
    _say([await anext(inbox), await anext(inbox)])


async def _seqs_until_told(store: SqliteStore, has_read: asyncio.Event) -> str:
    seqs: list[int] = []
    try:
        async for block in store.follow(KEY, 1):
            seqs += [found.seq for found in events_of(block)]
            if seqs == [1, 2, 3]:
                has_read.set()
    except StoreFailed:
        return f"{seqs} StoreFailed"
    return f"{seqs} end"


PROGRAMS: dict[str, Callable[[SqliteStore], Awaitable[None]]] = {
    program.__name__: program
    for program in (write, hold, fork, fill, lose_sync, lose_left, lose_mail)
}


async def _main(name: str, path: Path) -> None:
    await PROGRAMS[name](SqliteStore(path))


if __name__ == "__main__":
    asyncio.run(_main(sys.argv[1], Path(sys.argv[2])))
