"""The conversation as the model is to read it, rebuilt from the log and extended as it grows.

Every provider accepts its shape: each call has its result, results stand in call order, no message is empty. People's
channel is not in it: of a `ui` event only `data` is taken. It also knows how the last turn stands, so that the next
writer can close what a crash left open, and what waits. It keeps messages, not deltas, and does no IO.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final

import orjson

from litro.encoding import well_formed
from litro.errors import AgentError, MessageReused
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
from litro.turn.queue import Queue, QueuedMessage
from litro.wire import EVENT_PREFIX, decode_event, events_of, kind_of, last_seq, seq_of


@dataclass(frozen=True, slots=True)
class Started:
    """The turn that a message started, or joined."""

    number: int
    start: int
    """The seq of its `turn-start`, or of the message where it joined."""
    text: str


_TELLING: Final = re.compile(rb'"kind":"(?:[^rt]|t[^e])')
"""Where a line is of another kind than a delta. Nearly all lines are deltas, and a round's message repeats what they say.

Inside a delta's text it cannot stand, since JSON escapes its quotes.
"""


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
        self.tail: int = 0
        """The last seq that was fed."""
        self.turn: int = 0
        """The last turn's number."""
        self.is_open: bool = False
        """Whether the last turn has not ended."""
        self.started: dict[str, Started] = {}
        """Which turn each message of a person started or joined, by the message's id."""
        self.queue: Queue = Queue()
        """What waits."""
        self._entries: list[UserMessage | _Round] = []
        self._round: _Round | None = None
        """The round that may still change."""
        self._round_at = 0
        self._settled: dict[str, tuple[int, list[Message]]] = {}
        """Of how many entries the messages are known, and these, by provider."""
        self._partial: list[str] = []
        self._unread: list[bytes] = []
        """Lines that nobody had to read yet: deltas, nearly always."""
        self._starting: tuple[str, int] = ("", 0)

    def feed_block(self, block: bytes) -> None:
        """Take whole lines of a log. What was taken before is skipped."""
        at = self._known_end(block)
        while (found := _TELLING.search(block, at)) is not None:
            start = max(at, block.rfind(b"\n", at, found.start()) + 1)
            end = block.index(b"\n", found.start()) + 1
            line = block[start:end]
            if start > at and kind_of(line) != b"message":
                self._unread.append(block[at:start])
            self._feed_line(line)
            at = self._private_end(block, end)
        if at < len(block):
            self._unread.append(block[at:])
            self.tail = max(self.tail, last_seq(block) or 0)

    def _known_end(self, block: bytes) -> int:
        """Where in the block the events begin that were not taken yet."""
        at = self._private_end(block, 0)
        while at < len(block) and seq_of(block[at : at + 40]) <= self.tail:
            at = self._private_end(block, block.index(b"\n", at) + 1)
        return at

    def _private_end(self, block: bytes, at: int) -> int:
        """Take the private lines that stand at `at`; answer where they end."""
        while at < len(block) and not block.startswith(EVENT_PREFIX, at):
            end = block.index(b"\n", at) + 1
            self._feed_line(block[at:end])
            at = end
        return at

    def _feed_line(self, line: bytes) -> None:
        if line.startswith(EVENT_PREFIX):
            event = decode_event(line)
            assert event is not None  # noqa: S101 - its prefix was looked at
            self.feed(event, event.seq)
        elif line.startswith(b'{"replay":'):
            fields = orjson.loads(line)
            self.remember(fields["replay"], of=fields["of"], provider=fields["provider"])
        elif line.startswith(b'{"queued":'):
            fields = orjson.loads(line)
            self.queue.remember(fields["queued"], fields["principal"])

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
                self._message(event, seq)
            case "turn-end":
                self._close_turn()
            case "queued":
                self.queue.add(event.payload)
            case "withdrawn":
                self.queue.withdraw(event.payload["id"])
            case _:
                self._of_call(event)

    def remember(self, replay: Any, *, of: int, provider: str) -> None:
        """Keep a provider's state of the round whose message stands at `of`, which is the last event."""
        if of == self.tail and self._round is not None:
            self._round.replay, self._round.provider = replay, provider

    def known(self, message: str, text: str) -> Started | QueuedMessage | None:
        """What became of the message of this id, or None where it is new.

        Raises:
            MessageReused: It had another text, or was withdrawn.
        """
        if message in self.queue.withdrawn:
            msg = f"The message id {message!r} was used before, for a message that was withdrawn. Use a new one."
            raise MessageReused(msg)
        known = self.started.get(message) or self.queue.get(message)
        if known is not None and known.text != well_formed(text):
            msg = f"The message id {message!r} was used before, for another text. Use a new one for a new message."
            raise MessageReused(msg)
        return known

    def messages(self, provider: str) -> tuple[Message, ...]:
        """What the model is to read, with the replay state that `provider` itself left."""
        settled = len(self._entries) if self._round is None else self._round_at
        upto, said = self._settled.get(provider, (0, []))
        for entry in self._entries[upto:settled]:
            said += _messages(entry, provider)
        # A long past is not told anew in each round.
        self._settled[provider] = (settled, said)
        rest = (_messages(entry, provider) for entry in self._entries[settled:])
        return (*said, *chain.from_iterable(rest))

    def repairs(self) -> list[Event]:
        """The events that close a turn which nobody runs any more. Empty where the last turn has ended."""
        if not self.is_open:
            return []
        events = self._lost_start()
        events += [
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

    def _lost_start(self) -> list[Event]:
        """What a message that waited said, where its turn's start alone outlived a crash."""
        waiting = self.queue.get(self._starting[0])
        if waiting is None or self._starting[0] in self.started:
            return []
        said = {"id": waiting.id, "role": "user", "text": waiting.text}
        return [Event(kind="message", payload=said, turn=self.turn)]

    def _open_calls(self) -> list[tuple[str, str]]:
        if self._round is None:
            return []
        return [
            (call, "interrupted" if call in self._round.started else "not-started")
            for call in self._round.calls
            if call not in self._round.results
        ]

    def _message(self, event: Event, seq: int) -> None:
        text = event.payload["text"]
        self._partial.clear()
        self._unread.clear()
        if event.payload["role"] == "user":
            message, (starting, start) = event.payload["id"], self._starting
            self.started[message] = Started(event.turn, start if message == starting else seq, text)
            self.queue.take(message)
            self._entries.append(UserMessage(text))
        else:
            self._round, self._round_at = _Round(text), len(self._entries)
            self._entries.append(self._round)

    def _close_turn(self) -> None:
        said = "".join([*map(_deltas, self._unread), *self._partial])
        self._unread.clear()
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


def _messages(entry: UserMessage | _Round, provider: str) -> list[Message]:
    return [entry] if isinstance(entry, UserMessage) else entry.messages(provider)


def _deltas(lines: bytes) -> str:
    """What the text deltas among the lines say."""
    return "".join(
        event.payload["text"] for event in events_of(lines) if event.kind == "text-delta"
    )


def _content(value: Any) -> str:
    # A string is text, not a JSON literal: quoting it would cost tokens and confuse small models.
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def _error(call: str, name: str, kind: str, message: str) -> CallResult:
    content = _content({"error": {"type": kind, "message": message}})
    return CallResult(id=call, name=name, content=content, failed=True)
