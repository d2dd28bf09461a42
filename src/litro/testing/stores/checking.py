"""What checks are made of: handles, reading a store whole, and failing in sentences."""

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import aclosing, asynccontextmanager
from itertools import zip_longest
from secrets import token_hex
from typing import Any, Final, NoReturn, TypeVar, cast

import orjson

from litro.errors import SessionBusy
from litro.events import Event
from litro.sessions.base import Place, SessionKey, SessionMeta, SessionStore, SessionWriter
from litro.wire import decode_event

Connect = Callable[[], SessionStore]
"""Answers a new handle on the storage that is checked."""

Check = Callable[[Connect], Awaitable[None]]
"""Returns where the store behaves, raises AssertionError where it does not."""

T = TypeVar("T")
E = TypeVar("E", bound=Exception)

_PATIENCE: Final = 20
"""Seconds after which what should come is said to never come."""


class _Nothing:
    def __repr__(self) -> str:
        return "nothing"


_NONE: Final = _Nothing()


def new_key() -> SessionKey:
    """A key that no other check has used."""
    return SessionKey(f"agent-{token_hex(6)}", "s1")


def delta(payload: object) -> Event:
    """An event of turn 1."""
    return Event(kind="text-delta", payload=payload, turn=1, round=1)


def said(text: str, *, role: str = "user", turn: int = 1) -> Event:
    """A message, of a person unless told otherwise."""
    return Event(kind="message", payload={"id": "m1", "role": role, "text": text}, turn=turn)


def titled(text: str, *, turn: int = 1) -> Event:
    """A rename."""
    return Event(kind="title", payload={"text": text}, turn=turn)


@asynccontextmanager
async def connected(connect: Connect) -> AsyncGenerator[SessionStore]:
    """A handle on the storage, closed afterwards."""
    store = connect()
    try:
        yield store
    finally:
        await store.close()


@asynccontextmanager
async def writing(
    store: SessionStore, key: SessionKey, *, owner: str | None = None
) -> AsyncGenerator[SessionWriter]:
    """The session's writer, closed afterwards."""
    writer = await store.open(key, owner=owner)
    try:
        yield writer
    finally:
        await writer.close()


@asynccontextmanager
async def writing_once_free(store: SessionStore, key: SessionKey) -> AsyncGenerator[SessionWriter]:
    """As `writing`, as soon as nobody holds the lease."""
    while True:
        try:
            writer = await store.open(key, owner=None)
            break
        except SessionBusy:
            await asyncio.sleep(0)
    try:
        yield writer
    finally:
        await writer.close()


async def once_free(store: SessionStore, key: SessionKey) -> None:
    """Open and close as soon as nobody holds the lease."""
    async with writing_once_free(store, key):
        pass


async def grow(store: SessionStore, key: SessionKey, moment: int) -> int:
    """Append until `updated` is later than `moment`: clocks of storages are coarse. Answers `updated`."""
    async with writing(store, key) as writer:
        while True:
            writer.append(delta("grows"))
            await writer.flush()
            found = await meta_of(store, key)
            if found.updated > moment:
                return found.updated


async def meta_of(store: SessionStore, key: SessionKey) -> SessionMeta:
    """What is known of a session that exists."""
    found = await store.meta(key)
    if found is None:
        fail(f"meta of {key!r} is None, but the session exists.")
    return found


async def listed(
    store: SessionStore, agent: str, *, before: Place | None = None
) -> list[SessionMeta]:
    """The agent's sessions, as listed."""
    return [meta async for meta in store.list(agent, before=before)]


async def unfinished_of(store: SessionStore, agent: str) -> list[str]:
    """The agent's sessions that somebody has to look after."""
    return sorted([key.session async for key in store.unfinished() if key.agent == agent])


async def lines_of(blocks: AsyncIterator[bytes]) -> list[bytes]:
    """All the lines of all the blocks."""
    return [line async for block in blocks for line in block.splitlines(keepends=True)]


async def read_lines(store: SessionStore, key: SessionKey, start: int) -> list[bytes]:
    """What `read` gives, by lines."""
    return await lines_of(store.read(key, start))


async def follow_lines(store: SessionStore, key: SessionKey, start: int) -> list[bytes]:
    """What `follow` gives until it ends, by lines."""
    return await lines_of(store.follow(key, start))


async def take_mail(writer: SessionWriter, count: int) -> list[bytes]:
    """The next `count` items, the last of them not taken."""
    items: list[bytes] = []
    async with aclosing(closable(writer.inbox())) as inbox:
        while len(items) < count:
            items.append(await soon(anext(inbox), f"item {len(items) + 1} of {count} comes"))
    return items


async def take_all_mail(writer: SessionWriter, count: int) -> None:
    """Take the next `count` items, which are all there are."""
    async with aclosing(closable(writer.inbox())) as inbox:
        for n in range(count):
            await soon(anext(inbox), f"item {n + 1} of {count} comes")
        # Asking for the next one takes the last, and waits: long enough to have been asked.
        asking = asyncio.ensure_future(anext(inbox))
        for _ in range(10):
            await asyncio.sleep(0)
        await cancelled(asking)
    await writer.flush()


async def closable(items: AsyncIterator[T]) -> AsyncGenerator[T]:
    """As an async generator, which can be closed; the port promises an iterator only."""
    try:
        async for item in items:
            yield item
    finally:
        close = cast("Callable[[], Awaitable[None]] | None", getattr(items, "aclose", None))
        if close is not None:
            await close()


def uses(store: SessionStore, key: SessionKey) -> Iterable[tuple[str, Awaitable[object]]]:
    """Every method that takes a key, called with it."""
    yield "open", store.open(key, owner=None)
    yield "post", store.post(key, b"1", id="m1")
    yield "read", read_lines(store, key, 1)
    yield "follow", follow_lines(store, key, 1)
    yield "meta", store.meta(key)
    yield "delete", store.delete(key)
    yield "has_mail", store.has_mail(key)
    yield "fork", store.fork(key, new_key(), owner=None, at=1)
    yield "fork into", store.fork(new_key(), key, owner=None, at=1)


async def soon(waiting: Awaitable[T], sentence: str) -> T:
    """What is awaited; the sentence fails where it does not come."""
    try:
        async with asyncio.timeout(_PATIENCE):
            return await waiting
    except TimeoutError:
        fail(f"{sentence}: not within {_PATIENCE} s.")


async def cancelled(*tasks: "asyncio.Task[Any]") -> None:
    """Cancel the tasks and wait for them; what they raised is raised."""
    for task in tasks:
        task.cancel()
    for result in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(result, BaseException) and not isinstance(result, asyncio.CancelledError):
            raise result


async def refused(error: type[E], asked: Awaitable[object], what: str) -> E:
    """The error that is required of what is asked."""
    try:
        answer = await asked
    except error as raised:
        return raised
    return fail(f"{what} answered {answer!r:.200}, so {error.__name__} is required.")


def decoded(lines: Sequence[bytes]) -> list[Event]:
    """The events among the lines."""
    return [event for line in lines if (event := decode_event(line)) is not None]


def known_lines(lines: Sequence[bytes], private: Sequence[bytes]) -> list[bytes]:
    """Events and those private lines: a store may keep private lines of its own."""
    return [line for line in lines if line in private or decode_event(line) is not None]


def fields_of(line: bytes) -> dict[str, Any]:
    """The line's JSON."""
    return cast("dict[str, Any]", orjson.loads(line))


def expect(found: object, wanted: object, what: str) -> None:
    """Fail where the two differ; of lists, the first place where they do is named."""
    if found == wanted:
        return
    pair = (found, wanted)
    if isinstance(found, list) and isinstance(wanted, list):
        items = zip_longest(*cast("tuple[list[object], list[object]]", pair), fillvalue=_NONE)
        place, pair = next((n, items) for n, items in enumerate(items) if items[0] != items[1])
        what = f"{what}, item {place}"
    fail(f"{what}: {_short(pair[0])} was found, so {_short(pair[1])} is required.")


def require(truth: bool, sentence: str) -> None:  # noqa: FBT001 - as assert
    """Fail with the sentence unless it holds."""
    if not truth:
        fail(sentence)


def fail(sentence: str) -> NoReturn:
    """Fail with the sentence."""
    raise AssertionError(sentence)


def _short(value: object) -> str:
    """A repr that stays readable."""
    text = re.sub(r"(.)\1{40,}", lambda run: f"{run[1] * 3}…", repr(value))
    return text if len(text) <= 400 else f"{text[:200]} … {text[-200:]}"
