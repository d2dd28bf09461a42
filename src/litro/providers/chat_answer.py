"""An OpenAI-style stream as model events, without IO. Servers differ; the rules here hold for all of them.

Rules:

1. Nothing but index 0 of `choices` counts. A chunk without usable choices adds nothing but its usage.
2. A call's slot is its `index`; a new id on an occupied slot opens another slot; null and "" never overwrite.
3. Calls leave after the terminal signal only: `finish_reason` or `[DONE]`. Without one the stream is incomplete.
4. A call that the token limit cut is never repaired and never leaves. Nor do the calls of a refusal.
5. An error inside the stream is an error, also beside empty choices and before `[DONE]`.

It is not the way there: `litro.providers.chat_request` writes requests.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, cast

from litro.encoding import TextPieces, encode_value, to_jsonable
from litro.errors import ProviderError
from litro.events import StopReason
from litro.providers.base import (
    Finished,
    ModelEvent,
    ReasoningDelta,
    TextDelta,
    ToolCall,
    Usage,
)
from litro.providers.failures import failure_in_stream
from litro.providers.pieces import fields_of, is_whole, load_frame, parse_arguments
from litro.providers.sse import SseEvent

_STOPS: Final[dict[str, StopReason]] = {
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "refusal",
    "refusal": "refusal",
}
_FAILED: Final = frozenset({"error", "abort", "insufficient_system_resource"})
_REASONING: Final = ("reasoning_content", "reasoning")
_OURS: Final = frozenset({"index", "id", "type", "function"})


@dataclass(slots=True)
class _Slot:
    """One call as far as it has come."""

    id: str | None
    name: str = ""
    arguments: str = ""
    kept: dict[str, Any] = field(default_factory=dict[str, Any])
    """Keys that this format does not know. The server wants them back."""

    def add(self, entry: dict[str, Any]) -> None:
        self.id = self.id or _id_of(entry)
        function = fields_of(entry.get("function"))
        name, arguments = function.get("name"), function.get("arguments")
        if isinstance(name, str):
            self._add_name(name)
        if isinstance(arguments, str):
            self.arguments += arguments
        elif isinstance(arguments, dict) and not self.arguments:
            self.arguments = encode_value(cast("object", arguments)).decode()
        self.kept |= {k: v for k, v in entry.items() if k not in _OURS and v is not None}

    def _add_name(self, name: str) -> None:
        if name.startswith(self.name):
            self.name = name
        elif name and not self.arguments:
            # A piece of a name: servers that repeat it send the whole.
            self.name += name


class ChatAnswer:
    """Takes the events of one stream and answers what they add."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._text = TextPieces()
        self._reasoning = TextPieces()
        self._reasoned: dict[str, str] = {}
        self._slots: list[_Slot] = []
        self._at: dict[int, _Slot] = {}
        self._usage: Usage | None = None
        self._finish: str | None = None
        self._refused = False
        self._done = False

    @property
    def complete(self) -> bool:
        """Whether the terminal signal has come."""
        return self._done or self._finish is not None

    @property
    def done(self) -> bool:
        """Whether nothing more is to come."""
        return self._done

    def feed(self, event: SseEvent) -> Iterator[ModelEvent]:
        """What the event adds.

        Raises:
            ProviderError: The server reported an error, or sent what is no frame.
        """
        self._done = self._done or event.data.strip() == "[DONE]"
        if self._done:
            return
        frame = self._frame(event)
        if event.name == "error" or frame.get("error"):
            raise failure_in_stream(frame)
        self._count(fields_of(frame.get("usage")))
        yield from self._choices(frame.get("choices"))

    def end(self) -> list[ModelEvent]:
        """What the end of the stream completes: calls, usage, `Finished`.

        Raises:
            ProviderError: `stream-incomplete` without a terminal signal, `truncated` where a call was cut.
        """
        if not self.complete:
            msg = "the model's server ended its stream without finish_reason or [DONE], so the answer is incomplete."
            raise ProviderError("stream-incomplete", msg, retryable=True)
        stop: StopReason = _STOPS.get(self._finish or "", "end")
        if self._refused:
            stop = "refusal"
        calls = [] if stop == "refusal" else list(self._calls(stop))
        events: list[ModelEvent] = [
            *_if_text(ReasoningDelta, self._reasoning.end()),
            *_if_text(TextDelta, self._text.end()),
            *calls,
        ]
        if self._usage is not None:
            events.append(self._usage)
        if calls:
            return [*events, Finished(stop="tools", replay=self._replay())]
        return [*events, Finished(stop=stop)]

    def _frame(self, event: SseEvent) -> dict[str, Any]:
        try:
            return load_frame(event)
        except ProviderError:
            if event.name == "error":
                return {"error": event.data}
            # Named events are keep-alives in this format, and a tail that was cut after the end takes nothing away.
            if event.name != "message" or self.complete:
                return {}
            raise

    def _choices(self, choices: Any) -> Iterator[ModelEvent]:
        for item in cast("list[Any]", choices) if isinstance(choices, list) else []:
            choice = fields_of(item)
            if not choice.get("index"):
                yield from self._delta(fields_of(choice.get("delta")))
                self._finished(choice)

    def _finished(self, choice: dict[str, Any]) -> None:
        reason = choice.get("finish_reason")
        if not isinstance(reason, str) or not reason:
            return
        if reason in _FAILED:
            raise failure_in_stream({"message": f"finish_reason {reason!r}", "code": reason})
        self._finish = reason

    def _delta(self, delta: dict[str, Any]) -> Iterator[ModelEvent]:
        yield from self._reason(delta)
        content, refusal = delta.get("content"), delta.get("refusal")
        if isinstance(refusal, str) and refusal:
            self._refused = True
            yield from _if_text(TextDelta, self._text.add(refusal))
        if isinstance(content, str):
            yield from _if_text(TextDelta, self._text.add(content))
        entries = delta.get("tool_calls")
        if not isinstance(entries, list) and delta.get("function_call"):
            # The format's older form. Some servers mirror calls into it, so it counts only alone.
            entries = [{"index": 0, "function": delta["function_call"]}]
        for entry in cast("list[Any]", entries) if isinstance(entries, list) else []:
            self._call(fields_of(entry))

    def _reason(self, delta: dict[str, Any]) -> Iterator[ModelEvent]:
        # Servers that know both names send the same text under each.
        for name in _REASONING:
            piece = delta.get(name)
            if isinstance(piece, str) and piece:
                self._reasoned[name] = self._reasoned.get(name, "") + piece
                yield from _if_text(ReasoningDelta, self._reasoning.add(piece))
                return

    def _call(self, entry: dict[str, Any]) -> None:
        index = entry.get("index")
        slot = self._slot(entry, index if isinstance(index, int) else None)
        slot.add(entry)
        if isinstance(index, int):
            self._at[index] = slot

    def _slot(self, entry: dict[str, Any], index: int | None) -> _Slot:
        """The slot that the entry continues, or a new one."""
        id_ = _id_of(entry)
        slot = self._at.get(index) if index is not None else None
        if slot is None and index is None and self._slots and id_ is None:
            slot = self._slots[-1]
        if slot is not None and not _begins_another(slot, id_, entry):
            return slot
        if id_ is not None and (slot is not None or index is None):
            same = [known for known in self._slots if known.id == id_]
            if same:
                return same[-1]
        slot = _Slot(id_)
        self._slots.append(slot)
        return slot

    def _calls(self, stop: StopReason) -> Iterator[ToolCall]:
        named = [slot for slot in self._slots if slot.name or slot.arguments.strip()]
        for slot in named:
            last = slot is named[-1]
            empty = not slot.arguments.strip()
            cut = not is_whole(slot.arguments) and not (empty and (stop != "length" or not last))
            if cut and stop == "length":
                msg = f"the token limit cut the arguments of the call of {slot.name!r}, so it is not run.\nRaise max_tokens."
                raise ProviderError("truncated", msg)
            if cut and self._finish is None:
                msg = f"the stream ended inside the arguments of the call of {slot.name!r}, so it is not run."
                raise ProviderError("stream-incomplete", msg, retryable=True)
            yield ToolCall(slot.name, parse_arguments(slot.arguments))

    def _replay(self) -> Any:
        kept = [slot.kept for slot in self._slots if slot.name or slot.arguments.strip()]
        state: dict[str, Any] = {}
        if any(kept):
            state["calls"] = kept
        if self._reasoned:
            state["reasoning"] = self._reasoned
        return to_jsonable({"model": self._model, **state}) if state else None

    def _count(self, usage: dict[str, Any]) -> None:
        if usage:
            details = fields_of(usage.get("prompt_tokens_details"))
            self._usage = Usage(
                input_tokens=_whole(usage.get("prompt_tokens")),
                output_tokens=_whole(usage.get("completion_tokens")),
                cached_tokens=_whole(details.get("cached_tokens")),
            )


def _begins_another(slot: _Slot, id_: str | None, entry: dict[str, Any]) -> bool:
    if id_ is not None and slot.id is not None:
        return id_ != slot.id
    # Without ids, a named call with arguments cannot continue one whose arguments are complete.
    function = fields_of(entry.get("function"))
    begins = bool(function.get("name")) and bool(function.get("arguments"))
    return begins and is_whole(slot.arguments)


def _id_of(entry: dict[str, Any]) -> str | None:
    id_ = entry.get("id")
    return id_ if isinstance(id_, str) and id_ else None


def _if_text(event: type[TextDelta | ReasoningDelta], text: str) -> Iterator[ModelEvent]:
    if text:
        yield event(text)


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
