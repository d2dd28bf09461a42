"""Log files for the file store's tests: made by the store, then damaged by hand."""

from pathlib import Path

from litro.events import Event, Private
from litro.sessions.base import SessionKey, SessionStore
from litro.sessions.file import FileStore
from litro.wire import events_of

KEY = SessionKey("demo", "s1")


def event(payload: object, *, turn: int = 1) -> Event:
    return Event(kind="text-delta", payload=payload, turn=turn)


def log_path(directory: Path, key: SessionKey = KEY) -> Path:
    return directory / key.agent / f"{key.session}.jsonl"


async def write(store: SessionStore, *payloads: object, owner: str | None = None) -> None:
    """One event for each payload, a private line behind the first."""
    writer = await store.open(KEY, owner=owner)
    try:
        for n, payload in enumerate(payloads):
            writer.append(event(payload))
            if n == 0:
                writer.append(Private({"replay": "r", "of": 1}))
        await writer.flush()
    finally:
        await writer.close()


async def log_of(directory: Path, *payloads: object) -> bytes:
    """The bytes of a log with these payloads, which lies in the directory."""
    store = FileStore(directory)
    await write(store, *payloads)
    await store.close()
    return log_path(directory).read_bytes()


async def payloads_of(store: SessionStore, start: int = 1, key: SessionKey = KEY) -> list[object]:
    return [found.payload async for block in store.read(key, start) for found in events_of(block)]


async def seqs_of(store: SessionStore, start: int = 1, key: SessionKey = KEY) -> list[int]:
    return [found.seq async for block in store.read(key, start) for found in events_of(block)]
