"""What one `send` or `resume` has heard, and so what it asks next and when it is over.

It opens no connection and knows no time: it is fed answers' headers and lines, and answers events.
"""

from dataclasses import dataclass
from typing import Any, cast

import orjson

from litro.errors import RemoteError
from litro.events import Event, OnBusy
from litro.wire import decode_event


class Broken(Exception):
    """The stream cannot go on, so it has to be asked for again.

    Attributes:
        refusal: The answer that said so, where one came.
    """

    def __init__(self, reason: str, refusal: RemoteError | None = None) -> None:
        super().__init__(reason)
        self.refusal = refusal


class StillWaits(Broken):
    """The turn that ran has ended, and the message still waits."""


class Lines:
    """Whole lines out of chunks that are cut anywhere."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def feed(self, chunk: bytes) -> list[bytes]:
        """The lines that `chunk` completes, without their ends. A blank line is a heartbeat."""
        *whole, rest = chunk.split(b"\n")
        if whole:
            whole[0] = b"".join([*self._parts, whole[0]])
            self._parts.clear()
        if rest:
            self._parts.append(rest)
        return whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What is said, and the key that makes saying it twice the same as once."""

    text: str
    key: str
    on_busy: OnBusy | None = None

    @property
    def body(self) -> dict[str, str]:
        """What is sent."""
        return {"text": self.text} | ({} if self.on_busy is None else {"on_busy": self.on_busy})


class Course:
    """The way through a session's events, over as many connections as it takes.

    Attributes:
        message: What is said; None where the session is only heard.
        is_over: Whether everything was heard.
    """

    def __init__(
        self,
        *,
        message: Message | None = None,
        start: int | None = None,
        limit: int | None = None,
        deltas: bool = True,
    ) -> None:
        self.message = message
        self.is_over: bool = False
        self._start = start
        self._left = limit
        self._deltas = deltas
        self._turn: int | None = None
        self._known = start is not None and start > 0
        self._is_waiting = False

    @property
    def has_to_say_it(self) -> bool:
        """Whether nothing shows yet that the server has the message."""
        return self.message is not None and self._start is None

    @property
    def following(self) -> int:
        """The seq to ask for; negative counts from the session's last event."""
        return 0 if self._start is None else self._start

    @property
    def query(self) -> str:
        """What of the session to ask for."""
        limit = "" if self._left is None else f"&limit={self._left}"
        return f"from={self.following}{limit}{'' if self._deltas else '&deltas=false'}"

    def opened(self, turn: str | None, start: str | None) -> None:
        """The headers of an answer to the message: its turn, and the seq of its first event."""
        if turn is not None and turn.isdecimal() and start is not None and start.isdecimal():
            self._turn, self._start, self._known = int(turn), int(start), True

    def queued(self, start: str | None) -> None:
        """The header of an answer that says that the message waits: the seq behind which to look for what becomes of it.

        Raises:
            RemoteError: There is none.
        """
        if start is None or not start.isdecimal():
            message = "The server took the message into its queue without saying where it will be heard, so it is no Litro server."
            raise RemoteError("unexpected-answer", message, status=202)
        self._start, self._known, self._is_waiting = int(start), True, True

    def hear(self, line: bytes) -> Event | None:
        """The event that `line` adds, or None where it adds none.

        Raises:
            Broken: The stream has to be asked for again.
            RemoteError: The line says that the stream failed.
        """
        try:
            event = decode_event(line)
        except ValueError:
            msg = f"a line is no event: {line[:80]!r}"
            raise Broken(msg) from None
        if event is None:
            if line:
                self._control(line)
            return None
        return event if self._is_new(event) else None

    def _is_new(self, event: Event) -> bool:
        if self._known and event.seq < self.following:
            return False
        if self._known and event.seq > self.following and self._deltas:
            msg = f"event {event.seq} came where {self.following} is next"
            raise Broken(msg)
        self._start, self._known = event.seq + 1, True
        if self._is_waiting:
            self._is_waiting = not self._is_answered_by(event)
            if self._is_waiting:
                return False
        if self._turn is None:
            self._turn = event.turn
        if self._left is not None:
            self._left -= 1
        is_end = event.kind == "turn-end" and event.turn == self._turn
        if (self.message is not None and is_end) or self._left == 0:
            self.is_over = True
        return True

    def _is_answered_by(self, event: Event) -> bool:
        """Whether the message that waits starts its turn with this event, joins one, or was withdrawn."""
        key = None if self.message is None else self.message.key
        payload = cast("dict[str, Any]", event.payload) if isinstance(event.payload, dict) else {}
        match event.kind:
            case "turn-start":
                return payload.get("message") == key
            case "message":
                # The model's messages have ids too, and callers may choose the same.
                return payload.get("role") == "user" and payload.get("id") == key
            case "withdrawn":
                self.is_over = payload.get("id") == key
                return self.is_over
            case _:
                return False

    def _control(self, line: bytes) -> None:
        try:
            content: object = orjson.loads(line)
        except orjson.JSONDecodeError:
            msg = f"a line is not JSON: {line[:80]!r}"
            raise Broken(msg) from None
        # Lines of a later version are skipped, as its kinds of events are.
        fields = cast("dict[str, Any]", content) if isinstance(content, dict) else {}
        if "done" in fields:
            if self._is_waiting:
                msg = "the message still waits in the session's queue"
                raise StillWaits(msg)
            self.is_over = True
        elif "err" in fields:
            raise error_of(fields["err"], otherwise="The server's stream failed.")
        elif "bye" in fields:
            self._leave(fields["bye"])
            msg = "the server is going away"
            raise Broken(msg)

    def _leave(self, bye: object) -> None:
        following = cast("dict[str, Any]", bye).get("next") if isinstance(bye, dict) else None
        if not self._known and isinstance(following, int):
            # Where it was counted from the last event, that one may be another by now.
            self._start, self._known = following, True


def error_of(
    content: object,
    *,
    otherwise: str,
    status: int | None = None,
    retry_after: float | None = None,
) -> RemoteError:
    """The error in the server's one shape, `{type, message, status?, ref?}`, or `otherwise` where it is not that."""
    if not _is_failure(content):
        return RemoteError("unexpected-answer", otherwise, status=status, retry_after=retry_after)
    fields = cast("dict[str, Any]", content)
    own, ref = fields.get("status"), fields.get("ref")
    return RemoteError(
        fields["type"],
        fields["message"],
        status=status if status is not None else own if isinstance(own, int) else None,
        ref=ref if isinstance(ref, str) else None,
        retry_after=retry_after,
    )


def _is_failure(content: object) -> bool:
    """Whether it is a failure in the server's one shape."""
    if not isinstance(content, dict):
        return False
    fields = cast("dict[str, Any]", content)
    return isinstance(fields.get("type"), str) and isinstance(fields.get("message"), str)
