"""The session store port: an append-only log a session, a lease a turn, a mailbox.

Guarantees, which `litro.testing.stores` checks for any store:

* Readers see only what is durable, in order, without gaps or repeats.
* One writer at a time holds a session, across processes. Asking whether it is held never takes it.
* `append` numbers events contiguously from 1 and encodes each once: those bytes are what readers get.
* After a failed write nothing of it is acknowledged, now or later.

It is not a cache and knows nothing of turns: what the events mean is `litro.turn`'s business.
"""

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol

from litro.errors import InvalidSessionId
from litro.events import Event, Private

FORMAT: Final = 1
"""The version in a log's header. A log with a newer one is refused, untouched."""

MAX_KEY: Final = 200

MAX_TITLE: Final = 120

_CALLER_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_STORE_ID: Final = re.compile(rf"[A-Za-z0-9_.-]{{1,{MAX_KEY}}}")


class SessionKey(NamedTuple):
    """A session's name. Two agents never share a log, whatever ids their callers choose."""

    agent: str
    session: str


class Place(NamedTuple):
    """A session's place in a list."""

    updated: int
    session: str


class Anybody:
    """The type of `ANY`."""

    def __repr__(self) -> str:
        return "ANY"


ANY: Final = Anybody()
"""Every owner, None included: `list` takes it for tools of the operator."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionMeta:
    """What is known of a session without reading it."""

    key: SessionKey
    owner: str | None
    created: int
    """Milliseconds since the epoch; with the key, tells a session from a deleted namesake."""
    updated: int
    """When its log last grew, in milliseconds since the epoch."""
    tail: int
    """The last durable seq, 0 where there is none."""
    running: int | None = None
    """Where the lease is held now: the number of the open turn, or of the one that is about to begin."""
    title: str | None = None
    """The text of the last `title` event, or else of the first `message` of a person; at most `MAX_TITLE` characters."""

    @property
    def place(self) -> Place:
        """Where it stands in a list."""
        return Place(self.updated, self.key.session)


class SessionWriter(Protocol):
    """The holder of a session's lease: the only one who appends to its log."""

    @property
    def meta(self) -> SessionMeta:
        """The session as it was when the lease was taken."""
        ...

    def append(self, *items: Event | Private) -> int:
        """Number and encode `items`, hand them to the committer, answer the last seq assigned so far.

        Raises:
            LeaseLost, StoreFailed: Nothing more can be appended.
        """
        ...

    @property
    def pending(self) -> int:
        """Bytes that were appended and are not durable yet."""
        ...

    async def flush(self) -> None:
        """Return when everything that was appended is durable.

        Raises:
            LeaseLost, StoreFailed: It never will be.
        """
        ...

    def inbox(self) -> AsyncIterator[bytes]:
        """Items of the mailbox, oldest first, then as they come, without end.

        An item counts as taken when the next one is asked for; one that was not taken comes again for the
        next holder of the lease.
        """
        ...

    async def close(self, *, unfinished: bool = False) -> None:
        """Commit what was appended and give the lease back. Never raises; closing twice is once.

        Args:
            unfinished: Something is left to do in the session: leave it among those that `unfinished` tells.
        """
        ...


class SessionStore(Protocol):
    """Where sessions live. Every method refuses a key that `check_key` refuses."""

    async def open(self, key: SessionKey, *, owner: str | None) -> SessionWriter:
        """Take the session's lease, its tail repaired; a new session is created with `owner`.

        Raises:
            SessionBusy: Another writer holds it.
            NotOwner: It belongs to somebody else.
            SessionDamaged, NewerFormat: It cannot be appended to, and was not changed.
            StoreFailed: The store cannot write.
        """
        ...

    async def post(self, key: SessionKey, item: bytes, *, id: str) -> bool:  # noqa: A002
        """Put one line into the session's mailbox, from any process, without a lease; durable on return.

        Returns:
            False where an item with the same `id` was posted before: nothing happened.
        """
        ...

    def read(self, key: SessionKey, start: int) -> AsyncIterator[bytes]:
        """The durable log from seq `start` on, as blocks of one or more whole lines, private ones included.

        A private line comes with the event before it. A `start` of 1 or less begins with the header. An unknown session has
        no lines. An error is raised, never shown as an end.
        """
        ...

    def follow(self, key: SessionKey, start: int) -> AsyncIterator[bytes]:
        """As `read`, then what becomes durable while anybody holds the lease; ends when nobody does.

        A cursor into the log, never a queue: a slow reader costs nothing, and there is no gap and no repeat.
        """
        ...

    async def meta(self, key: SessionKey) -> SessionMeta | None:
        """What is known of the session, or None where there is none."""
        ...

    def list(
        self, agent: str, *, owner: str | Anybody | None = ANY, before: Place | None = None
    ) -> AsyncIterator[SessionMeta]:
        """The agent's sessions, the last updated first, of one moment by id, the greatest first.

        Args:
            agent: Whose.
            owner: Only this owner's.
            before: Only those behind this place in that order.
        """
        ...

    async def delete(self, key: SessionKey) -> bool:
        """Remove the session and its mailbox for good. False where there is none.

        Raises:
            SessionBusy: A turn is running in it.
        """
        ...

    async def fork(
        self, key: SessionKey, into: SessionKey, *, owner: str | None, at: int
    ) -> SessionMeta:
        """Make `into` a session whose log holds what is durable of `key`'s up to seq `at`, behind a header of its own.

        Events keep their bytes, and private lines that follow one of them their place. Nobody's lease is needed:
        what is durable does not change. It is durable on return, or there is no `into`.

        Raises:
            SessionExists: There is a session `into`, which was not changed.
            UnknownSession: There is no session `key`.
            SessionDamaged, NewerFormat, StoreFailed: As for `open`.
        """
        ...

    async def has_mail(self, key: SessionKey) -> bool:
        """Whether the mailbox holds items that no holder of the lease has taken."""
        ...

    def unfinished(self) -> AsyncIterator[SessionKey]:
        """Sessions that somebody has to look after and nobody holds now.

        Their holder died with the lease, or closed with `unfinished`; or mail waits in them. A marker that each lease
        and each item leaves tells it: no log is read, and what ended well costs nothing.
        """
        ...

    async def close(self) -> None:
        """Commit what is pending and end the store's threads."""
        ...


def is_caller_id(text: str) -> bool:
    """Whether a caller may choose `text` as a session id."""
    return _CALLER_ID.fullmatch(text) is not None


def is_store_id(text: str) -> bool:
    """Whether a store may have a session, or an agent, of this name."""
    return _STORE_ID.fullmatch(text) is not None


def check_key(key: SessionKey) -> None:
    """Refuse a key that no store accepts. Stores take `.` too, so that ids of children are out of callers' reach.

    Raises:
        InvalidSessionId: Names which part is wrong.
    """
    for what, text in (("agent", key.agent), ("session id", key.session)):
        if not is_store_id(text):
            msg = f"{what} {text[:80]!r} cannot name a log, so 1 to {MAX_KEY} of A-Z a-z 0-9 _ - . are required."
            raise InvalidSessionId(msg)


def header(key: SessionKey, *, owner: str | None, created: int) -> dict[str, Any]:
    """The fields of a log's first line."""
    return {
        "litro": FORMAT,
        "agent": key.agent,
        "session": key.session,
        "owner": owner,
        "created": created,
    }
