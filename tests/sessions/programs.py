"""Programs that the file store's tests run in other processes, and kill: `python programs.py NAME DIR`.

Each talks in lines: what it prints is what it was told, acknowledgements above all.
"""

import asyncio
import ctypes
import errno
import itertools
import os
import resource
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from litro.errors import LitroError, StoreFailed
from litro.events import Event
from litro.sessions.base import SessionKey, SessionWriter
from litro.sessions.file import FileStore
from litro.wire import events_of

KEY = SessionKey("demo", "s1")
OTHER = SessionKey("demo", "s2")
THIRD = SessionKey("demo", "s3")


def _event(payload: object, turn: int = 1) -> Event:
    return Event(kind="text-delta", payload=payload, turn=turn)


def _say(word: object) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


async def _told(asked: Awaitable[object]) -> str:
    """What comes of it, in a word."""
    try:
        await asked
    except LitroError as error:
        return type(error).__name__
    return "done"


async def _payloads(store: FileStore, key: SessionKey) -> list[object]:
    return [event.payload async for block in store.read(key, 1) for event in events_of(block)]


async def _another_turn(store: FileStore, key: SessionKey) -> None:
    writer = await store.open(key, owner=None)
    writer.append(_event("later"))
    await writer.flush()
    await writer.close()


async def ask(store: FileStore) -> None:
    """As a user who may not: say what comes of reading, opening and asking for meta."""
    os.setuid(65534)
    _say(await _told(_payloads(store, KEY)))
    _say(await _told(store.open(KEY, owner=None)))
    _say(await _told(store.meta(KEY)))


async def write(store: FileStore) -> None:
    """Append without end, and say each seq once it is acknowledged."""
    writer = await store.open(KEY, owner=None)
    while True:
        seq = writer.append(*(_event("x" * (7 * n % 300)) for n in range(5)))
        await writer.flush()
        _say(seq)


async def hold(store: FileStore) -> None:
    """Hold the lease in turn 7, and append one event for each line that is heard."""
    writer = await store.open(KEY, owner=None)
    writer.append(Event(kind="turn-start", payload={}, turn=7))
    await writer.flush()
    _say(1)
    while await asyncio.to_thread(sys.stdin.readline):
        seq = writer.append(_event("heard", 7))
        await writer.flush()
        _say(seq)


async def turns(store: FileStore) -> None:
    """One turn in a session of its own after another, without end: say when each is open, and when it has ended."""
    for n in itertools.count():
        writer = await store.open(SessionKey("demo", f"n{n}"), owner=None)
        writer.append(_event(n))
        await writer.flush()
        _say(f"open n{n}")
        await writer.close()
        _say(f"closed n{n}")


async def fork(store: FileStore) -> None:
    """Give the lease back while a forked child still has the log open."""
    writer = await store.open(KEY, owner=None)
    writer.append(_event("a"))
    await writer.flush()
    mine, childs = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(childs)
        os.read(mine, 1)
        os._exit(0)
    await writer.close()
    _say(await _told(_another_turn(FileStore(Path(sys.argv[2])), KEY)))
    os.close(childs)
    os.waitpid(child, 0)


async def fill(store: FileStore) -> None:
    """Append until files may grow no more; then as if there were space again."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, hard))
    writer = await store.open(KEY, owner=None)
    follower = asyncio.create_task(_told(_followed(store)))
    acknowledged = await _until_refused(writer)
    # What fits into the file is refused as well: a gap would be worse than an end.
    _say(await _told(_appended(writer, "tiny")))
    _say(await follower)
    await writer.close()
    log = Path(sys.argv[2], KEY.agent, f"{KEY.session}.jsonl")
    _say(log.read_bytes()[-1:] == b"\n")
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    _say(await _told(_another_turn(store, OTHER)))
    _say(len(await _payloads(store, KEY)) - acknowledged)
    _say(await _told(_another_turn(store, KEY)))
    _say(acknowledged)


async def _until_refused(writer: SessionWriter) -> int:
    acknowledged = 0
    while True:
        seq = writer.append(_event("y" * 700))
        # Already on its way while the first is refused, and small enough to fit.
        flushing = asyncio.ensure_future(writer.flush())
        for _ in range(3):
            await asyncio.sleep(0)
        try:
            small = writer.append(_event("z"))
            await flushing
            acknowledged = seq
            await writer.flush()
        except StoreFailed:
            await asyncio.gather(flushing, return_exceptions=True)
            return acknowledged
        assert small == seq + 1
        acknowledged = small


async def _appended(writer: SessionWriter, payload: object) -> None:
    writer.append(_event(payload))
    await writer.flush()


async def _followed(store: FileStore, key: SessionKey = KEY) -> list[bytes]:
    return [block async for block in store.follow(key, 1)]


def _break(point: str) -> None:
    """From now on the system call fails, under `fiu-run -x`."""
    library = ctypes.CDLL("libfiu.so.0")
    library.fiu_enable(point.encode(), 1, ctypes.c_void_p(errno.EIO), 0)


def _mend(point: str) -> None:
    ctypes.CDLL("libfiu.so.0").fiu_disable(point.encode())


async def lose_sync(store: FileStore) -> None:
    """Acknowledge three events, then let syncs fail, then work again: nothing may be acknowledged any more."""
    other = FileStore(Path(sys.argv[2]))
    writer, bystander = await store.open(KEY, owner=None), await store.open(THIRD, owner=None)
    for payload in ("a", "b", "c"):
        await _appended(writer, payload)
    followers = [asyncio.create_task(_seqs_until_told(store)) for _ in range(2)]
    remote = asyncio.create_task(_seqs_until_told(other))
    _break("posix/io/sync/fdatasync")
    _say(await _told(_appended(writer, "never")))
    _mend("posix/io/sync/fdatasync")
    _say(await _told(_another_try(writer)))
    _say(await _told(_another_try(bystander)))
    for follower in followers:
        _say(await follower)
    _say(await _told(_another_turn(store, OTHER)))
    _say(await _told(_payloads(store, KEY)))
    _say(await _told(store.post(KEY, b"1", id="m1")))
    await writer.close()
    _say(await remote)
    _say(await _told(_another_turn(store, KEY)))


async def _another_try(writer: SessionWriter) -> None:
    await _appended(writer, "never again")


async def _seqs_until_told(store: FileStore) -> str:
    seqs: list[int] = []
    try:
        async for block in store.follow(KEY, 1):
            seqs += [event.seq for event in events_of(block)]
    except StoreFailed:
        return f"{seqs} StoreFailed"
    return f"{seqs} end"


async def lose_many(store: FileStore) -> None:
    """As `lose_sync`, for so many sessions in one batch that they are synced side by side."""
    writers = [await store.open(SessionKey("demo", f"m{n}"), owner=None) for n in range(40)]
    for writer in writers:
        writer.append(_event("kept"))
    for writer in writers:
        await writer.flush()
    _break("posix/io/sync/fdatasync")
    for writer in writers:
        writer.append(_event("lost"))
    _say({await _told(writer.flush()) for writer in writers})
    for writer in writers:
        await writer.close()


async def lose_write(store: FileStore) -> None:
    """A write that fails ends one session only."""
    writer = await store.open(KEY, owner=None)
    await _appended(writer, "a")
    _break("posix/io/rw/pwrite")
    _say(await _told(_appended(writer, "never")))
    _mend("posix/io/rw/pwrite")
    _say(await _told(_another_try(writer)))
    await writer.close()
    _say(await _told(_another_turn(store, OTHER)))
    _say(await _told(_another_turn(store, KEY)))
    _say(await _payloads(store, KEY))


async def lose_mail(store: FileStore) -> None:
    """Mail that could not be made durable is not there, and may be posted again."""
    await _another_turn(store, KEY)
    await store.post(KEY, b'"kept"', id="m0")
    _break("posix/io/sync/fsync")
    _say(await _told(store.post(KEY, b'"lost"', id="m1")))
    _mend("posix/io/sync/fsync")
    _say(await store.post(KEY, b'"again"', id="m1"))
    writer = await store.open(KEY, owner=None)
    inbox = writer.inbox()
    _say([await anext(inbox), await anext(inbox)])


async def lose_name(store: FileStore) -> None:
    """A new log whose name could not be made durable is not acknowledged."""
    await _another_turn(store, OTHER)
    writer = await store.open(KEY, owner=None)
    _break("posix/io/sync/fsync")
    _say(await _told(_appended(writer, "a")))


async def lose_marker(store: FileStore) -> None:
    """A session whose marker could not be made durable was not opened, and nothing is from then on."""
    await _another_turn(store, KEY)
    _break("posix/io/sync/fsync")
    _say(await _told(store.open(KEY, owner=None)))
    _mend("posix/io/sync/fsync")
    _say(await _told(store.open(KEY, owner=None)))
    other = FileStore(Path(sys.argv[2]))
    _say(await _told(_another_turn(other, KEY)))
    _say([key async for key in other.unfinished()])


async def lose_fork(store: FileStore) -> None:
    """A fork that could not be made durable is not there, and may be tried again."""
    await _another_turn(store, KEY)
    for point in ("posix/io/sync/fsync", "posix/io/rw/write"):
        _break(point)
        told = await _told(store.fork(KEY, OTHER, owner=None, at=9))
        _mend(point)
        _say(told)
        _say(sorted(path.name for path in Path(sys.argv[2], KEY.agent).glob("s*")))
    _say(await _told(store.fork(KEY, OTHER, owner=None, at=9)))
    _say(await _payloads(store, OTHER))


async def end_badly(store: FileStore) -> None:
    """Close a session of which something could not be written."""
    writer = await store.open(KEY, owner=None)
    await _appended(writer, "a")
    _break("posix/io/rw/pwrite")
    _say(await _told(_appended(writer, "never")))
    await writer.close()
    _mend("posix/io/rw/pwrite")
    _say([key.session async for key in store.unfinished()])


async def lose_reader(store: FileStore) -> None:
    """What a dead process left cannot be made durable: it is never read, not even at the second try."""
    _break("posix/io/sync/fdatasync")
    _say(await _told(_payloads(store, KEY)))
    _mend("posix/io/sync/fdatasync")
    _say(await _told(_payloads(store, KEY)))


PROGRAMS: dict[str, Callable[[FileStore], Awaitable[None]]] = {
    program.__name__: program
    for program in (
        ask,
        write,
        hold,
        turns,
        fork,
        fill,
        lose_sync,
        lose_many,
        lose_write,
        lose_mail,
        lose_name,
        lose_marker,
        lose_fork,
        end_badly,
        lose_reader,
    )
}


async def _main(name: str, directory: Path) -> None:
    await PROGRAMS[name](FileStore(directory))


if __name__ == "__main__":
    asyncio.run(_main(sys.argv[1], Path(sys.argv[2])))
