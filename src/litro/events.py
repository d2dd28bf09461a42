"""The event log's vocabulary: what an event is, which kinds exist, what each kind's payload holds.

It is not the encoding: `litro.wire` turns events into lines and back. It knows no store and no server.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NotRequired, TypedDict

EventKind = Literal[
    "turn-start",
    "message",
    "text-delta",
    "reasoning-delta",
    "tool-call",
    "tool-start",
    "tool-progress",
    "tool-result",
    "tool-error",
    "ui",
    "usage",
    "error",
    "turn-end",
    "queued",
    "withdrawn",
    "title",
]
"""The kinds of this version. Readers skip kinds that they do not know: later versions add some."""

TurnStatus = Literal["completed", "failed", "cancelled", "interrupted"]
"""How a turn ended. Readers treat a status that they do not know as ended."""

StopReason = Literal["end", "tools", "length", "refusal"]
"""Why the model stopped speaking."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One event of a session.

    A writer assigns `seq` and `ts` when the event is appended; before that both are 0.
    """

    kind: EventKind | str
    """What it is about."""
    payload: Any
    """A JSON value, its shape given by the kind."""
    turn: int
    """The turn it belongs to, from 1. What is about the session has that which runs or ran last, 0 before any."""
    round: int | None = None
    """The model round in the turn, from 1, where it belongs to one."""
    call: str | None = None
    """The tool call it is about, unique in the session."""
    seq: int = 0
    """Its place in the session, from 1, without gaps."""
    ts: int = 0
    """When it was appended, in milliseconds since the epoch. Order is by `seq` alone: clocks step back."""


@dataclass(frozen=True, slots=True)
class Private:
    """A log line that is no event: it has no `seq`, keeps its place among the events, and is never sent."""

    fields: Mapping[str, Any]


class TurnStart(TypedDict):
    """Payload of `turn-start`."""

    trigger: Literal["message"]
    """What started the turn."""
    message: str
    """The id of the message that started the turn."""
    by: NotRequired[str]
    """The principal's id, where it has one."""


class MessagePayload(TypedDict):
    """Payload of `message`: the user's, or what the model said in one finished round.

    A user's that has a `round` joined a running turn, before the model was asked for that round.
    """

    id: str
    """The message's own id: the caller's, where one was given."""
    role: Literal["user", "assistant"]
    """`user`: a person; `assistant`: the model."""
    text: str
    """All of it; empty where the model only asked for tools."""
    calls: NotRequired[list[str]]
    """The ids of the round's tool calls, in the model's order."""
    stop: NotRequired[StopReason]
    """Why the model stopped."""


class Delta(TypedDict):
    """Payload of `text-delta` and `reasoning-delta`."""

    text: str
    """The piece, never empty."""


class ToolCallPayload(TypedDict):
    """Payload of `tool-call`."""

    name: str
    """The tool's."""
    input: Any
    """Parsed, not yet validated. Arguments that are not JSON stay a string."""


class ToolErrorPayload(TypedDict):
    """Payload of `tool-error`."""

    type: str
    """A `ToolErrorType`."""
    message: str
    """Words for people and for the model."""
    ref: NotRequired[str]
    """Where the server's log has the rest."""


class ErrorPayload(TypedDict):
    """Payload of `error`, and of an `err` control line."""

    type: str
    """An `ErrorType`."""
    message: str
    """Words for people."""
    status: NotRequired[int]
    """The HTTP status of the model's server, where it answered; in a control line, our own."""
    ref: NotRequired[str]
    """Where the server's log has the rest."""


class UsagePayload(TypedDict):
    """Payload of `usage`: tokens of one round, where the server counted them."""

    input_tokens: NotRequired[int]
    """Those that the model read."""
    output_tokens: NotRequired[int]
    """Those that it wrote."""
    cached_tokens: NotRequired[int]
    """Those of `input_tokens` that were read from the server's prompt cache."""


class TurnEnd(TypedDict):
    """Payload of `turn-end`."""

    status: TurnStatus
    """How it ended."""


OnBusy = Literal["reject", "queue", "steer"]
"""What becomes of a message to a session in which a turn runs."""

WaitMode = Literal["queue", "steer"]
"""How a message waits: for a turn of its own, or to join the running one at its next round."""


class QueuedPayload(TypedDict):
    """Payload of `queued`: a message that was accepted while a turn ran."""

    id: str
    """The message's id."""
    text: str
    """The person's words."""
    mode: WaitMode
    """How it waits."""
    by: NotRequired[str]
    """The principal's id, where it has one."""


class WithdrawnPayload(TypedDict):
    """Payload of `withdrawn`: the message of this id will not start."""

    id: str
    """The message's id."""


class TitlePayload(TypedDict):
    """Payload of `title`: what the session is called from now on."""

    text: str
    """The title."""
