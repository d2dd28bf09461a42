"""Which part of a session's log a GET asks for."""

import re
from dataclasses import dataclass

from litro.http.answers import Refused, failure
from litro.http.call import Call


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """A part of a log."""

    start: int
    """The first seq."""
    follows: bool
    """Whether a turn in flight is heard to its end."""
    limit: int | None
    """How many events at most."""
    deltas: bool
    """Whether the deltas of rounds that have their message are wanted."""


def excerpt_of(call: Call, tail: int) -> Excerpt:
    """What the request's query and `Last-Event-ID` ask for, of a log whose last event is `tail`.

    Raises:
        Refused: 400 for what is no position, number or truth value, 416 beyond the tail.
    """
    return Excerpt(
        start=_start(call, tail),
        follows=_truth(call, "follow"),
        limit=limit_of(call),
        deltas=_truth(call, "deltas"),
    )


def limit_of(call: Call, largest: int | None = None) -> int | None:
    """How many the request asks for at most, or None where it does not say.

    Raises:
        Refused: 400 for less than 1 or more than `largest`.
    """
    text = call.parameter("limit")
    if text is None:
        return None
    number = int(text) if re.fullmatch(r"[0-9]{1,15}", text) else 0
    if number < 1 or (largest is not None and number > largest):
        span = "of 1 or more" if largest is None else f"from 1 to {largest}"
        message = f"limit is {text[:80]!r}, so a whole number {span} is required."
        raise Refused(failure(400, "invalid-limit", message))
    return number


def _start(call: Call, tail: int) -> int:
    """The seq to read from. `Last-Event-ID` wins: a browser that reconnects keeps the URL of its first request."""
    last = call.head.headers.get("last-event-id", "")
    if last:
        start = _whole(last, "Last-Event-ID") + 1
    else:
        asked = call.parameter("from")
        start = 0 if asked is None else _whole(asked, "from")
        if start < 0:
            start = max(tail + start + 1, 1)
    if start > tail + 1:
        message = f"The session's last event is {tail}, so it cannot be read from {start}."
        raise Refused(failure(416, "beyond-tail", message))
    return max(start, 1)


def _whole(text: str, what: str) -> int:
    if re.fullmatch(r"-?[0-9]{1,15}", text) is None:
        message = f"{what} is {text[:80]!r}, so a whole number is required."
        raise Refused(failure(400, "invalid-position", message))
    return int(text)


def _truth(call: Call, name: str) -> bool:
    text = call.parameter(name)
    if text not in {None, "true", "false"}:
        message = f"{name} is {str(text)[:80]!r}, so true or false is required."
        raise Refused(failure(400, f"invalid-{name}", message))
    return text != "false"
