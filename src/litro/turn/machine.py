"""The turn as a machine without IO: told what happened, it answers what to do.

Rules, all of them here:

1. A turn begins with `turn-start` and the user's `message`, and ends in exactly one `turn-end`. After it nothing is
   appended, whatever still happens: a tool that ignores its cancellation, a delta on its way.
2. A round is: deltas, the `message`, its `tool-call`s, then `tool-start`s. Tools start only after the provider's
   terminal signal, so half a stream never acts, and only once their start is durable, so recovery can tell "never
   started" from "outcome unknown".
3. A call ends in exactly one of `tool-result`, `ui`, `tool-error`. When the turn stops early, a call that was started
   gets `cancelled` or `interrupted`, one that was not gets `not-started`.
4. Calls of a round run side by side, `parallel` at a time, begun in the model's order. When all have ended the next round
   asks the model again, `max_rounds` times at the most.
5. A delta answers with appends alone: nothing waits on the hot path.
6. What the model says counts while it is asked: nothing before, and nothing after its terminal signal.
7. A message that steers joins before the model is asked again: after the calls of a round, or, where the model has finished,
   by another round as long as `max_rounds` allows it. One that did not join is left to a turn of its own.

It never looks at a clock, a tool or a store. `litro.turn.runner` carries its commands out.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from litro.encoding import IN_REQUEST, TextPieces, to_jsonable, well_formed
from litro.errors import ToolErrorType
from litro.events import (
    ErrorPayload,
    Event,
    EventKind,
    MessagePayload,
    StopReason,
    TurnStart,
    TurnStatus,
)
from litro.providers.base import Finished, ReasoningDelta, TextDelta, ToolCall, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """A person's message was accepted."""

    message: str
    """Its id."""
    text: str
    by: str | None = None


@dataclass(frozen=True, slots=True)
class AskFailed:
    """The model's answer will not be completed."""

    failure: ErrorPayload


@dataclass(frozen=True, slots=True)
class Progressed:
    """A running tool reported."""

    call: str
    value: Any


@dataclass(frozen=True, slots=True)
class Called:
    """A tool call ended."""

    call: str
    kind: Literal["tool-result", "ui", "tool-error"]
    payload: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Steered:
    """A message that shall join the turn was recorded."""

    message: str
    """Its id."""
    text: str


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """A message that waited to join was withdrawn."""

    message: str


@dataclass(frozen=True, slots=True)
class Stopped:
    """Somebody cancelled the turn, or the server is going away."""

    status: Literal["cancelled", "interrupted"]


@dataclass(frozen=True, slots=True)
class Broke:
    """Something in the turn failed that is neither the model nor a tool."""

    failure: ErrorPayload


Happened = (
    Begun
    | TextDelta
    | ReasoningDelta
    | ToolCall
    | Usage
    | Finished
    | AskFailed
    | Progressed
    | Called
    | Steered
    | Withdrawn
    | Stopped
    | Broke
)

_SAID = (TextDelta, ReasoningDelta, ToolCall, Usage, Finished, AskFailed)
"""What only a model that is asked can bring about."""


@dataclass(frozen=True, slots=True)
class Append:
    """Append this event."""

    event: Event


@dataclass(frozen=True, slots=True)
class Remember:
    """Append the provider's replay state for the event before."""

    replay: Any


@dataclass(frozen=True, slots=True)
class Flush:
    """Go on only when everything that was appended is durable."""


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask the model, with the transcript as it now stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Run a tool."""

    call: str
    name: str
    input: Any


@dataclass(frozen=True, slots=True)
class StopWork:
    """Stop asking and running, whatever is under way."""


Command = Append | Remember | Flush | Ask | Run | StopWork


class Machine:
    """One turn.

    Args:
        turn: The turn's number in the session.
        max_rounds: How often the model may be asked.
        parallel: How many tools may run at once.
    """

    def __init__(self, turn: int, *, max_rounds: int, parallel: int) -> None:
        self.turn = turn
        self.status: TurnStatus | None = None
        """How the turn ended, or None while it runs."""
        self._max_rounds = max_rounds
        self._parallel = parallel
        self._round = 0
        self._is_asking = False
        self._calls_made = 0
        self._text: list[str] = []
        self._pieces: dict[EventKind, TextPieces] = {}
        self._asked: list[ToolCall] = []
        self._usage: Usage | None = None
        self._waiting: dict[str, ToolCall] = {}
        self._running: set[str] = set()
        self._joining: dict[str, str] = {}

    def feed(self, happened: Happened) -> list[Command]:  # noqa: C901, PLR0911, PLR0912 - one line a thing that can happen
        """What to do now that this happened, in order."""
        if self.status is not None or (isinstance(happened, _SAID) and not self._is_asking):
            return []
        match happened:
            case TextDelta(text):
                return self._delta("text-delta", text)
            case ReasoningDelta(text):
                return self._delta("reasoning-delta", text)
            case ToolCall():
                self._asked.append(happened)
                return []
            case Usage():
                self._usage = happened
                return []
            case Finished():
                return self._finished(happened)
            case Progressed(call, value):
                return self._progressed(call, value)
            case Called(call, kind, payload):
                return self._called(call, kind, payload)
            case Begun():
                return self._begun(happened)
            case Steered(message=message, text=text):
                self._joining[message] = text
                return []
            case Withdrawn(message):
                self._joining.pop(message, None)
                return []
            case AskFailed(failure) | Broke(failure):
                return self._failed(failure)
            case Stopped(status):
                return self._stopped(status)

    def _begun(self, begun: Begun) -> list[Command]:
        start: TurnStart = {"trigger": "message", "message": begun.message}
        if begun.by is not None:
            start["by"] = begun.by
        return [
            self._append("turn-start", start),
            self._append("message", _of_person(begun.message, begun.text)),
            Flush(),
            *self._next_round(),
        ]

    def _next_round(self) -> list[Command]:
        self._round += 1
        joined: list[Command] = [
            self._append("message", _of_person(message, text), round=self._round)
            for message, text in self._joining.items()
        ]
        self._joining.clear()
        self._is_asking = True
        self._text = []
        self._pieces = {}
        self._asked = []
        self._usage = None
        return [*joined, Ask()]

    def _delta(self, kind: EventKind, piece: str) -> list[Command]:
        pieces = self._pieces.get(kind)
        if pieces is None:
            pieces = self._pieces[kind] = TextPieces()
        return self._said(kind, pieces.add(piece))

    def _said(self, kind: EventKind, text: str) -> list[Command]:
        if not text:
            return []
        if kind == "text-delta":
            self._text.append(text)
        return [self._append(kind, {"text": text}, round=self._round)]

    def _finished(self, finished: Finished) -> list[Command]:
        self._is_asking = False
        commands: list[Command] = []
        for kind, pieces in self._pieces.items():
            commands += self._said(kind, pieces.end())
        calls = self._numbered(self._asked)
        message = self._message(list(calls), finished.stop)
        commands.append(self._append("message", message, round=self._round))
        if finished.replay is not None:
            commands.append(Remember(finished.replay))
        if self._usage is not None:
            commands.append(self._append("usage", _usage(self._usage), round=self._round))
        for call, asked in calls.items():
            payload = {
                "name": well_formed(asked.name),
                "input": to_jsonable(asked.input, above=IN_REQUEST),
            }
            commands.append(self._append("tool-call", payload, round=self._round, call=call))
        if not calls:
            may_go_on = self._joining and self._round < self._max_rounds
            return commands + (self._next_round() if may_go_on else self._end("completed"))
        self._waiting = calls
        if self._round >= self._max_rounds:
            return commands + self._failed(self._too_many_rounds())
        return commands + self._start_waiting()

    def _message(self, calls: list[str], stop: StopReason) -> MessagePayload:
        message: MessagePayload = {
            "id": f"t{self.turn}r{self._round}",
            "role": "assistant",
            "text": "".join(self._text),
        }
        if calls:
            message["calls"] = calls
        message["stop"] = stop
        return message

    def _numbered(self, asked: list[ToolCall]) -> dict[str, ToolCall]:
        first = self._calls_made + 1
        self._calls_made += len(asked)
        return {f"t{self.turn}c{n}": call for n, call in enumerate(asked, first)}

    def _start_waiting(self) -> list[Command]:
        starts: list[Command] = []
        runs: list[Command] = []
        while self._waiting and len(self._running) < self._parallel:
            call = next(iter(self._waiting))
            asked = self._waiting.pop(call)
            self._running.add(call)
            starts.append(self._append("tool-start", {}, round=self._round, call=call))
            runs.append(Run(call=call, name=asked.name, input=asked.input))
        return [*starts, Flush(), *runs] if starts else []

    def _progressed(self, call: str, value: Any) -> list[Command]:
        if call not in self._running:
            return []
        return [self._append("tool-progress", value, round=self._round, call=call)]

    def _called(self, call: str, kind: EventKind, payload: Any) -> list[Command]:
        if call not in self._running:
            return []
        self._running.remove(call)
        ended = self._append(kind, payload, round=self._round, call=call)
        if self._waiting:
            return [ended, *self._start_waiting()]
        if self._running:
            return [ended]
        return [ended, *self._next_round()]

    def _failed(self, failure: ErrorPayload) -> list[Command]:
        error = self._append("error", failure, round=self._round or None)
        return [StopWork(), *self._close_calls("interrupted"), error, *self._end("failed")]

    def _stopped(self, status: Literal["cancelled", "interrupted"]) -> list[Command]:
        return [StopWork(), *self._close_calls(status), *self._end(status)]

    def _close_calls(self, started: Literal["cancelled", "interrupted"]) -> list[Command]:
        running = sorted(self._running, key=_order)
        closed: list[Command] = [self._tool_error(call, started) for call in running]
        closed += [self._tool_error(call, "not-started") for call in self._waiting]
        self._running.clear()
        self._waiting.clear()
        return closed

    def _tool_error(self, call: str, kind: ToolErrorType) -> Append:
        payload = {"type": kind, "message": CLOSED[kind]}
        return self._append("tool-error", payload, round=self._round, call=call)

    def _end(self, status: TurnStatus) -> list[Command]:
        self.status = status
        return [self._append("turn-end", {"status": status}), Flush()]

    def _too_many_rounds(self) -> ErrorPayload:
        return {
            "type": "max-rounds",
            "message": f"The agent asked for tools {self._max_rounds} times in one turn, which is its limit.",
        }

    def _append(
        self,
        kind: EventKind,
        payload: Any,
        *,
        round: int | None = None,  # noqa: A002 - the event's own name for it
        call: str | None = None,
    ) -> Append:
        return Append(Event(kind=kind, payload=payload, turn=self.turn, round=round, call=call))


CLOSED: Mapping[str, str] = {
    "cancelled": "The turn was cancelled while the call ran. Whether it took effect is unknown.",
    "interrupted": "The call was interrupted. Whether it took effect is unknown, and it was not run again.",
    "not-started": "The turn ended before the call was started. It had no effect.",
}
"""What the model reads of calls that the end of a turn closed."""


def _of_person(message: str, text: str) -> MessagePayload:
    return {"id": message, "role": "user", "text": well_formed(text)}


def _order(call: str) -> int:
    return int(call.rpartition("c")[2])


def _usage(usage: Usage) -> dict[str, int]:
    counted = {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cached_tokens": usage.cached_tokens,
    }
    return {name: tokens for name, tokens in counted.items() if tokens is not None}
