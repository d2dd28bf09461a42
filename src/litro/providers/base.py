"""The provider port: what a turn asks of a model, and what it hears back.

A request is neutral: each adapter maps it to its server's wire format and the stream back to these events. Nobody
above this package knows a wire format, and no adapter knows the event log.
"""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from litro.events import StopReason


@dataclass(frozen=True, slots=True)
class UserMessage:
    """What a person said."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CallMade:
    """A tool call of an earlier round."""

    id: str
    """Litro's own id, unique in the session. An adapter maps it where its server wants another form."""
    name: str
    input: Any
    """As the model sent it. A string where its arguments were not JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AssistantMessage:
    """What the model said in one round. Either text or calls, or both: never empty."""

    text: str
    calls: tuple[CallMade, ...] = ()
    replay: Any = None
    """The adapter's own state of that round (signatures, reasoning), set only where the same provider made it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallResult:
    """How one call ended."""

    id: str
    name: str
    content: str
    """What the model reads. Possibly empty."""
    failed: bool = False


@dataclass(frozen=True, slots=True)
class ResultsMessage:
    """The results of all calls of the assistant's message before it, in call order, none missing."""

    results: tuple[CallResult, ...]


Message = UserMessage | AssistantMessage | ResultsMessage
"""A part of the conversation, as a model is told of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """A tool as the model is told of it."""

    name: str
    description: str
    input_schema: Mapping[str, Any]
    """JSON Schema whose root has `"type": "object"`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One round: everything that the model is to read."""

    system: str
    """Instructions. Possibly empty."""
    messages: tuple[Message, ...]
    """Begins with a `UserMessage`. Every `AssistantMessage` with calls is followed by its `ResultsMessage`."""
    tools: tuple[ToolSpec, ...] = ()
    """Sorted by name, so that equal requests have equal bytes."""


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the answer, never empty."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """A piece of the model's reasoning, never empty and never part of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A complete call. Adapters yield it only when its arguments are complete."""

    name: str
    input: Any
    """Parsed arguments; `{}` for none. A string where they were not JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of this round, as far as the server counted them."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    """Those of `input_tokens` that were read from the server's prompt cache."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """The terminal signal: the server said that the answer is complete. Always the last event."""

    stop: StopReason
    replay: Any = None
    """A JSON value that this provider wants back in `AssistantMessage.replay`, or None."""


ModelEvent = TextDelta | ReasoningDelta | ToolCall | Usage | Finished
"""What a model says, piece by piece."""


@runtime_checkable
class Provider(Protocol):
    """A model that answers requests. An object of yours with these two members is one.

    A provider that holds connections may have `async def aclose(self)`; it is awaited when the app ends. One that has `model: str`
    and `def body(self, request) -> Mapping` has them shown by the inspector of `litro dev`: the model's name, and what is sent.
    """

    @property
    def name(self) -> str:
        """Who owns the replay state: another provider's is never handed to this one."""
        ...

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """The model's answer as it comes, `Finished` last.

        The iterator is closed, by `aclose`, when the turn is cancelled.

        Raises:
            ProviderError: While iterating. Every failure of the server or of the way to it; text that was
                yielded before stands.
        """
        ...
