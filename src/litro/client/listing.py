"""What a server tells of its sessions: pages of them, a fork, the messages that wait."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from litro.errors import RemoteError

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionInfo:
    """A session in a list."""

    session: str
    """Its id."""
    title: str | None
    created: int
    """Milliseconds since the epoch, as `updated`."""
    updated: int
    tail: int
    """The seq of its last event."""
    running: int | None
    """The number of the turn that runs, where one does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPage:
    """A part of a list of sessions, the last updated first."""

    sessions: tuple[SessionInfo, ...]
    next: str | None
    """The cursor of the page behind this one, or None where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFork:
    """A session that was made of another's beginning."""

    session: str
    """Its id."""
    at: int
    """The seq of the `turn-end` that it ends with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingMessage:
    """A message that waits in a session's queue."""

    id: str
    text: str
    mode: str
    """`queue`: it waits for a turn of its own; `steer`: it joins the running turn at its next round."""
    by: str | None = None


def page_of(content: Any) -> SessionPage:
    """The page that a server's JSON tells."""
    return _read(
        lambda: SessionPage(
            sessions=tuple(_info(fields) for fields in content["sessions"]), next=content["next"]
        )
    )


def fork_of(content: Any) -> SessionFork:
    """The fork that a server's JSON tells."""
    return _read(lambda: SessionFork(session=content["session"], at=content["at"]))


def queue_of(content: Any) -> tuple[WaitingMessage, ...]:
    """The queue that a server's JSON tells."""
    return _read(lambda: tuple(_waiting(fields) for fields in content["queue"]))


def field_of(content: Any, name: str) -> Any:
    """One field of a server's JSON."""
    return _read(lambda: content[name])


def _info(fields: Any) -> SessionInfo:
    # Keys of a later version are skipped, as kinds of events are.
    return SessionInfo(
        session=fields["session"],
        title=fields["title"],
        created=fields["created"],
        updated=fields["updated"],
        tail=fields["tail"],
        running=fields["running"],
    )


def _waiting(fields: Any) -> WaitingMessage:
    return WaitingMessage(
        id=fields["id"], text=fields["text"], mode=fields["mode"], by=fields.get("by")
    )


def _read(read: Callable[[], T]) -> T:
    try:
        return read()
    except (KeyError, TypeError, AttributeError, IndexError):
        message = (
            "The answer has another shape than a Litro server's, so it is none, or a much newer one.\n"
            "See that base_url is the app's address with its mount."
        )
        raise RemoteError("unexpected-answer", message) from None
