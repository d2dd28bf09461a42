"""The conversation as the model is to read it, rebuilt from the log and extended as it grows.

Every provider accepts its shape: each call has its result, results stand in call order, no message is empty. People's
channel is not in it: of a `ui` event only `data` is taken. It also knows how the last turn stands, so that the next
writer can close what a crash left open. It keeps messages, not deltas, and does no IO.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from litro.errors import AgentError
from litro.events import Event
from litro.providers.base import (
    AssistantMessage,
    CallMade,
    CallResult,
    Message,
    ResultsMessage,
    UserMessage,
)
from litro.turn.machine import CLOSED
from litro.wire import EVENT_PREFIX, decode_event


@dataclass(frozen=True, slots=True)
class Started:
    """A turn that a message started."""

    number: int
    start: int
    """The seq of its `turn-start`."""
    text: str


@dataclass(slots=True)
class _Round:
    text: str
    replay: Any = None
    provider: str | None = None
    calls: dict[str, CallMade] = field(default_factory=dict[str, CallMade])
    results: dict[str, CallResult] = field(default_factory=dict[str, CallResult])
    started: set[str] = field(default_factory=set[str])

    def messages(self, provider: str) -> list[Message]:
        if not self.calls:
            return [self._said(provider)] if self.text.strip() else []
        results = tuple(self._result(call) for call in self.calls.values())
        return [self._said(provider), ResultsMessage(results)]

    def _result(self, call: CallMade) -> CallResult:
        if call.id in self.results:
            return self.results[call.id]
        # A crash left the call open, and nobody has closed it yet.
        kind = "interrupted" if call.id in self.started else "not-started"
        return _error(call.id, call.name, kind, CLOSED[kind])

    def _said(self, provider: str) -> AssistantMessage:
        return AssistantMessage(
            text=self.text if self.text.strip() else "",
            calls=tuple(self.calls.values()),
            replay=self.replay if self.provider == provider else None,
        )


class Transcript:
    """A session's messages up to `tail`."""

    def __init__(self) -> None:
        self.tail = 0
        """The last seq that was fed."""
        self.turn = 0
        """The last turn's number."""
        self.is_open = False
        """Whether the last turn has not ended."""
        self.started: dict[str, Started] = {}
        """Which turn each message of a person started, by the message's id."""
        self._entries: list[UserMessage | _Round] = []
        self._round: _Round | None = None
        self._partial: list[str] = []
        self._starting: tuple[str, int] = ("", 0)

    def feed_block(self, block: bytes) -> None:
        """Take whole lines of a log. What was taken before is skipped."""
        for line in block.splitlines():
            if line.startswith(EVENT_PREFIX):
                event = decode_event(line)
                if event is not None and event.seq > self.tail:
                    self.feed(event, event.seq)
            elif line.startswith(b'{"replay":'):
                fields = orjson.loads(line)
                self.remember(fields["replay"], of=fields["of"], provider=fields["provider"])

    def feed(self, event: Event, seq: int) -> None:
        """Take one event, which stands at `seq`."""
        self.tail = seq
        match event.kind:
            case "text-delta":
                self._partial.append(event.payload["text"])
            case "turn-start":
                self._close_turn()
                self.turn, self.is_open = event.turn, True
                self._starting = (event.payload["message"], seq)
            case "message":
                self._message(event)
            case "turn-end":
                self._close_turn()
            case _:
                self._of_call(event)

    def remember(self, replay: Any, *, of: int, provider: str) -> None:
        """Keep a provider's state of the round whose message stands at `of`, which is the last event."""
        if of == self.tail and self._round is not None:
            self._round.replay, self._round.provider = replay, provider

    def messages(self, provider: str) -> tuple[Message, ...]:
        """What the model is to read, with the replay state that `provider` itself left."""
        said: list[Message] = []
        for entry in self._entries:
            said += [entry] if isinstance(entry, UserMessage) else entry.messages(provider)
        return tuple(said)

    def repairs(self) -> list[Event]:
        """The events that close a turn which nobody runs any more. Empty where the last turn has ended."""
        if not self.is_open:
            return []
        events = [
            Event(
                kind="tool-error",
                payload={"type": kind, "message": CLOSED[kind]},
                turn=self.turn,
                call=call,
            )
            for call, kind in self._open_calls()
        ]
        end = Event(kind="turn-end", payload={"status": "interrupted"}, turn=self.turn)
        return [*events, end]

    def _open_calls(self) -> list[tuple[str, str]]:
        if self._round is None:
            return []
        return [
            (call, "interrupted" if call in self._round.started else "not-started")
            for call in self._round.calls
            if call not in self._round.results
        ]

    def _message(self, event: Event) -> None:
        text = event.payload["text"]
        self._partial.clear()
        if event.payload["role"] == "user":
            message, seq = self._starting
            self.started[message] = Started(event.turn, seq, text)
            self._entries.append(UserMessage(text))
        else:
            self._round = _Round(text)
            self._entries.append(self._round)

    def _close_turn(self) -> None:
        said = "".join(self._partial)
        self._partial.clear()
        if said.strip():
            # The round was never finished; what the person has read, the model has said.
            self._entries.append(_Round(said))
        self._round = None
        self.is_open = False

    def _of_call(self, event: Event) -> None:
        open_round, call = self._round, event.call
        if open_round is None or call is None:
            return
        payload: Any = event.payload
        if event.kind == "tool-call":
            made = CallMade(id=call, name=payload["name"], input=payload["input"])
            open_round.calls[call] = made
        elif event.kind == "tool-start":
            open_round.started.add(call)
        elif call in open_round.calls:
            name = open_round.calls[call].name
            match event.kind:
                case "tool-result":
                    result = CallResult(id=call, name=name, content=_content(payload))
                case "ui":
                    result = CallResult(id=call, name=name, content=_content(payload["data"]))
                case "tool-error":
                    result = _error(call, name, payload["type"], payload["message"])
                case _:
                    return
            open_round.results[call] = result


def check_history(messages: Sequence[Message]) -> tuple[Message, ...]:
    """What an agent's `history` answered, if a model can be asked with it.

    Raises:
        AgentError: Calls and results were parted, or it does not begin with what a person said.
    """
    kinds = [type(message) for message in messages]
    if not kinds or kinds[0] is not UserMessage:
        first = kinds[0].__name__ if kinds else "nothing"
        msg = (
            f"history: it begins with {first}, so a UserMessage is required first. Cut before one."
        )
        raise AgentError(msg)
    for message, after in zip(messages, [*messages, None][1:], strict=True):
        calls = [call.id for call in getattr(message, "calls", ())]
        results = [result.id for result in getattr(after, "results", ())]
        if calls != results:
            msg = (
                f"history: the calls {calls!r} are followed by the results {results!r}, so each message with calls "
                "and the ResultsMessage after it are required together. Keep both, or neither."
            )
            raise AgentError(msg)
    return tuple(messages)


def _content(value: Any) -> str:
    # A string is text, not a JSON literal: quoting it would cost tokens and confuse small models.
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def _error(call: str, name: str, kind: str, message: str) -> CallResult:
    content = _content({"error": {"type": kind, "message": message}})
    return CallResult(id=call, name=name, content=content, failed=True)
