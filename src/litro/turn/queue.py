"""What waits in a session: messages that were accepted while a turn ran, in the order in which they will start.

It is rebuilt from the log as the transcript is, and does no IO. Who may see or withdraw a message is decided above it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from litro.definitions import Principal
from litro.events import Event, Private, QueuedPayload, WaitMode

MAX_WAITING: Final = 100
"""Messages that may wait in one session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuedMessage:
    """A message that waits."""

    id: str
    text: str
    mode: WaitMode
    by: str | None = None
    """The id of the principal that sent it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Queued:
    """A message was accepted while a turn ran, and waits."""

    id: str
    mode: WaitMode
    turn: int
    """The number of the turn that ran."""
    start: int
    """A seq from which on the log tells what becomes of it."""


class Queue:
    """The messages that wait in one session, and the ids of those that were withdrawn."""

    def __init__(self) -> None:
        self.withdrawn: set[str] = set()
        self._waiting: dict[str, QueuedMessage] = {}
        self._principals: dict[str, Principal] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def __iter__(self) -> Iterator[QueuedMessage]:
        return iter(self._waiting.values())

    def get(self, message: str) -> QueuedMessage | None:
        """The message of this id, where it waits."""
        return self._waiting.get(message)

    def add(self, payload: QueuedPayload) -> None:
        """A message waits from now on."""
        message = QueuedMessage(
            id=payload["id"], text=payload["text"], mode=payload["mode"], by=payload.get("by")
        )
        self._waiting[message.id] = message

    def remember(self, message: str, principal: Principal) -> None:
        """Keep for whom the message will be answered."""
        if message in self._waiting:
            self._principals[message] = principal

    def knows_principal(self, message: str) -> bool:
        """Whether the line with the principal outlived a crash."""
        return message in self._principals

    def principal(self, message: QueuedMessage) -> Principal:
        """For whom the message is answered: the whole principal, or else its id."""
        return self._principals.get(message.id, message.by)

    def take(self, message: str) -> QueuedMessage | None:
        """The message waits no more."""
        self._principals.pop(message, None)
        return self._waiting.pop(message, None)

    def withdraw(self, message: str) -> None:
        """The message will never start."""
        self.take(message)
        self.withdrawn.add(message)


def queued(message: QueuedMessage, principal: Principal, *, turn: int) -> tuple[Event, Private]:
    """The log's two lines of a message that waits: what people may see, and for whom it is."""
    payload: QueuedPayload = {"id": message.id, "text": message.text, "mode": message.mode}
    if message.by is not None:
        payload["by"] = message.by
    private = Private({"queued": message.id, "principal": principal})
    return Event(kind="queued", payload=payload, turn=turn), private
