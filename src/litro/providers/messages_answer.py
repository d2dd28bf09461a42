"""Anthropic's stream as model events, without IO.

Rules:

1. Blocks are kept by index, in order. Calls leave after `message_stop` only; without it the stream is incomplete.
2. What the API wants back exactly (thinking, redacted thinking, blocks of types unknown here) goes into `Finished.replay`
   together with the order of the round's other blocks. Thinking without a signature would be refused, so it is dropped.
3. A call that the token limit cut is never repaired and never leaves. Nor do the calls of a refusal.
4. Events and deltas of unknown types are skipped, as the API's versioning asks.

It is not the way there: `litro.providers.messages_request` writes requests.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, cast

from litro.encoding import TextPieces, to_jsonable
from litro.errors import ProviderError
from litro.events import StopReason
from litro.providers.base import Finished, ModelEvent, ReasoningDelta, TextDelta, ToolCall, Usage
from litro.providers.failures import failure_in_stream
from litro.providers.pieces import fields_of, is_whole, load_frame, parse_arguments
from litro.providers.sse import SseEvent

_STOPS: Final[dict[str, StopReason]] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}


@dataclass(slots=True)
class _Block:
    """One content block as far as it has come."""

    fields: dict[str, Any]
    """The block as the API would take it back."""
    pieces: TextPieces = field(default_factory=TextPieces)
    json: str = ""
    """The pieces of its `input`."""

    @property
    def type(self) -> str:
        return str(self.fields.get("type"))

    def add(self, delta: dict[str, Any]) -> Iterator[ModelEvent]:
        match delta.get("type"):
            case "text_delta":
                yield from self.say("text", delta.get("text"))
            case "thinking_delta":
                yield from self.say("thinking", delta.get("thinking"))
            case "signature_delta":
                self.fields["signature"] = delta.get("signature")
            case "input_json_delta":
                self.json += _text(delta.get("partial_json"))
            case "citations_delta":
                known = self.fields.get("citations")
                known = cast("list[Any]", known) if isinstance(known, list) else []
                self.fields["citations"] = [*known, delta.get("citation")]
            case _:
                return

    def say(self, key: str, piece: Any) -> Iterator[ModelEvent]:
        if isinstance(piece, str) and piece:
            yield from self._show(key, self.pieces.add(piece))

    def stop(self) -> Iterator[ModelEvent]:
        yield from self._show("thinking" if self.type == "thinking" else "text", self.pieces.end())

    def _show(self, key: str, text: str) -> Iterator[ModelEvent]:
        if text:
            self.fields[key] = _text(self.fields.get(key)) + text
            yield ReasoningDelta(text) if key == "thinking" else TextDelta(text)

    @property
    def is_open(self) -> bool:
        """Whether the arguments may have been cut."""
        return not is_whole(self.json) if self.json.strip() else not self.fields.get("input")

    def arguments(self) -> Any:
        return parse_arguments(self.json) if self.json.strip() else self.fields.get("input") or {}


class MessagesAnswer:
    """Takes the events of one stream and answers what they add."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._blocks: dict[int, _Block] = {}
        self._usage: dict[str, int] = {}
        self._reason: str | None = None
        self._stopped = False

    @property
    def complete(self) -> bool:
        """Whether the terminal signal has come."""
        return self._stopped

    @property
    def done(self) -> bool:
        """Whether nothing more is to come."""
        return self._stopped

    def feed(self, event: SseEvent) -> Iterator[ModelEvent]:
        """What the event adds.

        Raises:
            ProviderError: The server reported an error, or sent what is no frame.
        """
        if not self._stopped:
            frame = load_frame(event)
            yield from self._read(str(frame.get("type") or event.name), frame)

    def end(self) -> list[ModelEvent]:
        """What the end of the stream completes: calls, usage, `Finished`.

        Raises:
            ProviderError: `stream-incomplete` without `message_stop`, `truncated` where a call was cut.
        """
        if not self._stopped:
            msg = "the model's server ended its stream without message_stop, so the answer is incomplete."
            raise ProviderError("stream-incomplete", msg, retryable=True)
        stop: StopReason = _STOPS.get(self._reason or "", "end")
        events: list[ModelEvent] = [
            event for block in self._blocks.values() for event in block.stop()
        ]
        calls = [] if stop == "refusal" else list(self._calls(stop))
        events += calls
        if self._usage:
            events.append(self._counted())
        replay = self._replay() if stop != "refusal" else None
        return [*events, Finished(stop="tools" if calls else stop, replay=replay)]

    def _read(self, kind: str, frame: dict[str, Any]) -> Iterator[ModelEvent]:
        match kind:
            case "content_block_start":
                yield from self._start(_index(frame), fields_of(frame.get("content_block")))
            case "content_block_delta":
                block = self._blocks.get(_index(frame))
                if block is not None:
                    yield from block.add(fields_of(frame.get("delta")))
            case "content_block_stop":
                block = self._blocks.get(_index(frame))
                if block is not None:
                    yield from block.stop()
            case "message_start":
                self._count(fields_of(frame.get("message")))
            case "message_delta":
                self._reason = (
                    _text(fields_of(frame.get("delta")).get("stop_reason")) or self._reason
                )
                self._count(frame)
            case "message_stop":
                self._stopped = True
            case "error":
                raise failure_in_stream(frame)
            case _:
                return

    def _start(self, index: int, fields: dict[str, Any]) -> Iterator[ModelEvent]:
        block = self._blocks[index] = _Block(dict(fields))
        for key in ("text", "thinking"):
            if block.type == key:
                piece, block.fields[key] = block.fields.get(key), ""
                yield from block.say(key, piece)

    def _calls(self, stop: StopReason) -> Iterator[ToolCall]:
        blocks = [block for block in self._blocks.values() if block.type == "tool_use"]
        for block in blocks:
            name = str(block.fields.get("name") or "")
            # An empty input is a call without arguments, unless it is where the limit struck.
            cut = block.is_open and (bool(block.json.strip()) or block is blocks[-1])
            if cut and stop == "length":
                msg = f"the token limit cut the input of the call of {name!r}, so it is not run.\nRaise max_tokens."
                raise ProviderError("truncated", msg)
            if block.json.strip() and block.is_open and self._reason is None:
                msg = (
                    f"the stream ended inside the input of the call of {name!r}, so it is not run."
                )
                raise ProviderError("stream-incomplete", msg, retryable=True)
            yield ToolCall(name, block.arguments())

    def _replay(self) -> Any:
        kept = [block for block in self._blocks.values() if not _is_void(block)]
        if all(block.type in {"text", "tool_use"} for block in kept):
            # What the log holds anyway says the same.
            return None
        content: list[dict[str, Any]] = []
        for block in kept:
            if block.type == "tool_use":
                content.append({"call": True})
            elif block.json.strip():
                content.append(block.fields | {"input": parse_arguments(block.json)})
            else:
                content.append(block.fields)
        return to_jsonable({"model": self._model, "content": content})

    def _count(self, holder: dict[str, Any]) -> None:
        for key, value in fields_of(holder.get("usage")).items():
            if isinstance(value, int) and not isinstance(value, bool):
                self._usage[key] = value

    def _counted(self) -> Usage:
        # The API counts what it read from its cache, or wrote into it, beside `input_tokens`; the port counts it inside.
        read = self._usage.get("cache_read_input_tokens")
        written = self._usage.get("cache_creation_input_tokens") or 0
        fresh = self._usage.get("input_tokens")
        return Usage(
            input_tokens=None if fresh is None else fresh + (read or 0) + written,
            output_tokens=self._usage.get("output_tokens"),
            cached_tokens=read,
        )


def _is_void(block: _Block) -> bool:
    """Whether the API would refuse the block."""
    if block.type == "thinking":
        return not block.fields.get("signature")
    return block.type == "text" and not str(block.fields.get("text") or "").strip()


def _index(frame: dict[str, Any]) -> int:
    index = frame.get("index")
    return index if isinstance(index, int) else 0


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
