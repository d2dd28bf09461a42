"""Deleting a session of the file store: killed at any step of it, and with mail that comes meanwhile."""

import shutil
import subprocess
import sys
from collections.abc import AsyncGenerator, Generator
from contextlib import aclosing, contextmanager
from pathlib import Path
from typing import cast

from litro.events import Event
from litro.sessions import locks
from litro.sessions.base import SessionKey
from litro.sessions.file import FileStore, mailbox
from sessions.logs import KEY, event, log_path, payloads_of
from sessions.processes import hear, kill, say

_SOURCE = SessionKey("demo", "s2")
_COPIES = 40
_FIRST = ("look", "delete", "mail", "open", "fork")

_DELETING = """
import itertools, os, sys
from pathlib import Path
from litro.sessions.base import SessionKey
from litro.sessions.file.folder import LogFolder

STEPS = {"open", "os.mkdir", "os.rename", "os.remove", "fcntl.fcntl"}
left = None

def halt(step, _):
    global left
    if left is not None and step in STEPS:
        left -= 1
        if left < 0:
            left = None
            print("halted", flush=True)
            if os.read(0, 9) == b"die\\n":
                os._exit(0)

sys.addaudithook(halt)
for n in itertools.count():
    if os.fork():
        os.wait()
    else:
        folder = LogFolder(Path(sys.argv[1], str(n)))
        left = n
        folder.delete(SessionKey("demo", "s1"))
        left = None
        print("deleted", flush=True)
        os._exit(0)
"""
"""Deletes the session of one directory after the other, and halts each time before one step later."""


@contextmanager
def _deleting(directory: Path) -> Generator["subprocess.Popen[str]"]:
    process = subprocess.Popen(
        [sys.executable, "-c", _DELETING, str(directory)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        # Who has halted goes on: `kill` reads what is said until the last one has ended.
        assert process.stdin is not None
        process.stdin.close()
        kill(process)


async def _sessions(directory: Path) -> None:
    """The same session in many directories: unfinished and renamed, and of its mail the first was taken."""
    first = directory / "0"
    store = FileStore(first)
    await store.post(KEY, b'"taken"', id="m1")
    await store.post(KEY, b'"waits"', id="m2")
    writer = await store.open(KEY, owner="u1")
    writer.append(event("old"), Event(kind="title", payload={"text": "Old"}, turn=1))
    async with aclosing(cast("AsyncGenerator[bytes]", writer.inbox())) as inbox:
        assert await anext(inbox) == b'"taken"'
        assert await anext(inbox) == b'"waits"'
    await writer.close(unfinished=True)
    await store.close()
    for n in range(1, _COPIES):
        shutil.copytree(first, directory / str(n))


async def _unfinished(store: FileStore) -> bool:
    return [key async for key in store.unfinished()] == [KEY]


async def _mail(store: FileStore, owner: str) -> bytes | None:
    """The first item that waits."""
    if not await store.has_mail(KEY):
        return None
    writer = await store.open(KEY, owner=owner)
    async with aclosing(cast("AsyncGenerator[bytes]", writer.inbox())) as inbox:
        item = await anext(inbox)
    await writer.close()
    return item


async def _is_whole(store: FileStore) -> bool:
    meta = await store.meta(KEY)
    assert meta is not None
    assert (meta.title, meta.tail) == ("Old", 2)
    return await _unfinished(store) and await _mail(store, "u1") == b'"waits"'


async def _leaves_nothing(store: FileStore, directory: Path, first: str) -> bool:
    """Whoever comes first: a look for what is unfinished, another deletion, mail, or a namesake."""
    if first == "look":
        assert not await _unfinished(store)
        assert list(directory.glob(".unfinished/demo/s1.*")) == []
    if first == "delete":
        await store.delete(KEY)
    if first in {"look", "delete"}:
        assert not any(path.stat().st_size for path in directory.glob("demo/s1.*"))
    if first == "mail":
        assert await store.post(KEY, b'"new"', id="m2")
    if first == "fork":
        await (await store.open(_SOURCE, owner="u2")).close()
        await store.fork(_SOURCE, KEY, owner="u2", at=0)
    await (await store.open(KEY, owner="u2")).close()
    meta = await store.meta(KEY)
    assert meta is not None
    assert (meta.title, meta.tail) == (None, 0)
    assert await _unfinished(store) == (first == "mail")
    assert log_path(directory).with_suffix(".inbox").exists() == (first == "mail")
    return await _mail(store, "u2") == (b'"new"' if first == "mail" else None)


async def test_killed_at_any_step_of_a_deletion_a_session_is_whole_or_leaves_nothing(
    tmp_path: Path,
):
    await _sessions(tmp_path)
    steps = 0
    with _deleting(tmp_path) as process:
        while hear(process) == "halted":
            say(process, "die")
            steps += 1
    there: list[bool] = []
    for n in range(steps + 1):
        store = FileStore(tmp_path / str(n))
        there.append(await store.meta(KEY) is not None)
        if there[-1]:
            assert await _is_whole(store), n
        else:
            assert await _leaves_nothing(store, tmp_path / str(n), _FIRST[n % len(_FIRST)]), n
        await store.close()
    assert len(set(there)) == 2
    assert there == sorted(there, reverse=True)


async def test_mail_is_not_lost_to_a_deletion_that_is_under_way(tmp_path: Path):
    """What is posted once the session is gone is its namesake's. Posting waits for a deletion that holds the mailbox."""
    await _sessions(tmp_path)
    with _deleting(tmp_path) as process:
        for n in range(_COPIES):
            if hear(process) == "deleted":
                break
            store = FileStore(tmp_path / str(n))
            is_gone = await store.meta(KEY) is None
            if _is_held(log_path(tmp_path / str(n)).with_suffix(".inbox")):
                say(process, "go")
                assert await store.post(KEY, b'"new"', id="m3")
                assert hear(process) == "deleted"
            else:
                assert await store.post(KEY, b'"new"', id="m3")
                say(process, "go")
                assert hear(process) == "deleted"
            kept = [b'"new"'] if is_gone else [b'"new"', None]
            assert await _mail(store, "u2") in kept, n
            assert await payloads_of(store) == []
            await store.close()


def _is_held(path: Path) -> bool:
    if not path.exists():
        return False
    with path.open("rb") as file:
        return locks.is_taken(file.fileno(), 0, 0)


def test_mail_whose_mailbox_goes_while_it_is_posted_is_posted_anew(tmp_path: Path):
    log, path = tmp_path / "s1.jsonl", tmp_path / "s1.inbox"
    log.write_text('{"litro":1,"agent":"demo"}\n')

    def mark() -> None:
        if log.exists():
            log.rename(path)

    assert mailbox.post(path, b"1", "m1", mark=mark, forget=path.unlink)
    assert path.read_bytes() == b'{"id":"m1","item":1}\n'
