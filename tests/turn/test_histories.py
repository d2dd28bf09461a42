"""Whatever happened in a session, the next request is one that the model APIs accept.

Nothing is a fake but the servers' streams: the assemblers read them, the machine decides, the log's lines are what a
store would hold, and the requests are what would be sent.
"""

import json
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from litro.encoding import encode_value
from litro.errors import ProviderError
from litro.events import Private
from litro.providers.base import Finished, ModelEvent, ModelRequest, ToolSpec
from litro.providers.chat_answer import ChatAnswer
from litro.providers.chat_request import chat_body
from litro.providers.messages_answer import MessagesAnswer
from litro.providers.messages_request import messages_body
from litro.providers.sse import SseEvent
from litro.testing import check_chat_request, check_messages_request
from litro.turn.machine import (
    Append,
    Ask,
    AskFailed,
    Begun,
    Broke,
    Called,
    Command,
    Flush,
    Happened,
    Machine,
    Progressed,
    Remember,
    Run,
    Steered,
    Stopped,
)
from litro.turn.transcript import Transcript
from litro.wire import encode_event, encode_private

FAILURE: Any = {"type": "provider", "message": "No."}
TOOLS = (ToolSpec(name="a-tool", description="", input_schema={"type": "object"}),)
SAID = st.sampled_from(["", " ", "\n", "a", "b ", "é😀", "\ud83d"])
MODELS = st.sampled_from(["m", "m", "another"])
Round = tuple[str, list[ModelEvent | AskFailed]]


# -- what a model answers, read by the real assemblers


def heard(answer: ChatAnswer | MessagesAnswer, frames: list[SseEvent]) -> Any:
    events: list[ModelEvent | AskFailed] = []
    try:
        for frame in frames:
            events += answer.feed(frame)
        events += answer.end()
    except ProviderError:
        events.append(AskFailed(FAILURE))
    return events


def frame(kind: str = "message", **fields: Any) -> SseEvent:
    return SseEvent(kind, json.dumps({"type": kind} | fields))


ARGUMENTS = st.sampled_from(
    [
        "",
        "{}",
        '{"a":1}',
        '{"a":',
        "[1]",
        "null",
        '"text"',
        '{"\\ud83d":0}',
        '{"a":1e999}',
        "[" * 100 + "]" * 100,
        "[" * 101 + "]" * 101,
        '{"a":' * 100 + "1" + "}" * 100,
    ]
)
NAMES = st.sampled_from(["a-tool", "invented", "get weather", "", "wörter" * 20])
CALLED = st.tuples(NAMES, ARGUMENTS)
TEXT = st.tuples(st.just("text"), SAID)
CALL = st.tuples(st.just("tool_use"), CALLED)
THINKING = st.tuples(st.just("thinking"), st.sampled_from(["SIG==", None]))
REDACTED = st.tuples(st.just("redacted_thinking"), st.just("ENC"))


def block_frames(index: int, kind: str, value: Any) -> list[SseEvent]:
    begun: dict[str, Any] = {"type": kind}
    deltas: list[dict[str, Any]] = []
    match kind:
        case "text":
            begun["text"] = ""
            deltas.append({"type": "text_delta", "text": value})
        case "thinking":
            begun["thinking"] = ""
            deltas.append({"type": "thinking_delta", "thinking": "hm"})
            if value:
                deltas.append({"type": "signature_delta", "signature": value})
        case "redacted_thinking":
            begun["data"] = value
        case _:
            begun |= {"id": "search:0", "name": value[0], "input": {}}
            deltas.append({"type": "input_json_delta", "partial_json": value[1]})
    return [
        frame("content_block_start", index=index, content_block=begun),
        *(frame("content_block_delta", index=index, delta=delta) for delta in deltas),
        frame("content_block_stop", index=index),
    ]


@st.composite
def messages_rounds(draw: st.DrawFn) -> Round:
    blocks = draw(st.lists(st.one_of(TEXT, CALL, CALL), max_size=4))
    # A model thinks before it speaks, and again before what it does.
    if blocks and draw(st.booleans()):
        signed = draw(st.booleans())
        thought = ("thinking", "SIG==") if signed else draw(st.one_of(THINKING, REDACTED))
        calls = [i for i, (kind, _) in enumerate(blocks) if kind == "tool_use"]
        if signed and calls:
            blocks.insert(draw(st.sampled_from(calls)), thought)
        blocks.insert(draw(st.sampled_from([0, 0, len(blocks)])), thought)
    frames = [frame("message_start", message={"usage": {"input_tokens": 1}})]
    for index, (kind, value) in enumerate(blocks):
        frames += block_frames(index, kind, value)
    stop = draw(st.sampled_from(["end_turn", "tool_use", "max_tokens", "refusal"]))
    frames += [frame("message_delta", delta={"stop_reason": stop}), frame("message_stop")]
    cut = draw(st.one_of(st.none(), st.integers(0, len(frames))))
    return "anthropic", heard(MessagesAnswer(draw(MODELS)), frames[:cut])


def chat_frame(finish: str | None = None, **delta: Any) -> SseEvent:
    return frame(choices=[{"index": 0, "delta": delta, "finish_reason": finish}])


@st.composite
def chat_rounds(draw: st.DrawFn) -> Round:
    frames = [chat_frame(reasoning_content="hm")] if draw(st.booleans()) else []
    frames += [chat_frame(content=text) for text in draw(st.lists(SAID, max_size=3))]
    for index, (name, arguments) in enumerate(draw(st.lists(CALLED, max_size=3))):
        function = {"name": name, "arguments": arguments}
        kept = {"extra_content": {"signature": "S"}} if draw(st.booleans()) else {}
        call = {"index": index, "id": draw(st.sampled_from(["search:0", ""])), "function": function}
        frames.append(chat_frame(tool_calls=[call | kept]))
    finish = draw(st.sampled_from(["stop", "tool_calls", "length", "content_filter"]))
    frames += [chat_frame(finish), SseEvent("message", "[DONE]")]
    cut = draw(st.one_of(st.none(), st.integers(0, len(frames))))
    return "openai", heard(ChatAnswer(draw(MODELS)), frames[:cut])


# -- what becomes of it


CALL_ENDS = st.sampled_from(
    [
        ("tool-result", ""),
        ("tool-result", " \n"),
        ("tool-result", {"n": 1}),
        ("tool-result", None),
        ("ui", {"type": "ui", "html": "<b>for people</b>", "data": ""}),
        ("ui", {"type": "ui", "html": "<b>for people</b>", "data": {"n": 2}}),
        ("tool-error", {"type": "failed", "message": ""}),
    ]
)
INTERRUPTIONS = st.sampled_from(
    ["crash", Stopped("cancelled"), Stopped("interrupted"), Broke(FAILURE)]
)


class History:
    """One session: its log, line by line, and the transcript that a server keeps of it."""

    def __init__(self, data: st.DataObject) -> None:
        self.draw = data.draw
        self.lines: list[bytes] = [b'{"litro":1,"agent":"a","session":"s","owner":null}\n']
        self.durable = 1
        self.transcript = Transcript()
        self.provider = ""
        self.coming: list[Happened] = []
        self.running: list[str] = []

    def turn(self) -> None:
        machine = Machine(self.transcript.turn + 1, max_rounds=3, parallel=2)
        message = f"m{machine.turn}"
        self.carry_out(machine.feed(Begun(message=message, text=self.draw(SAID))))
        interrupted = self.draw(st.one_of(st.none(), st.integers(0, 9)))
        happened = 0
        while machine.status is None:
            what: Any = self.next()
            if happened == interrupted:
                what = self.draw(INTERRUPTIONS)
            happened += 1
            if self.draw(st.integers(0, 9)) == 0:
                machine.feed(Steered(message=f"s{happened}", text=self.draw(SAID)))
            if what == "crash":
                self.crash()
                return
            self.carry_out(machine.feed(what))

    def next(self) -> Happened:
        if not self.running:
            return self.coming.pop(0)
        at = self.draw(st.integers(0, len(self.running) - 1))
        if self.draw(st.booleans()):
            return Progressed(self.running[at], 1)
        return Called(self.running.pop(at), *self.draw(CALL_ENDS))

    def carry_out(self, commands: list[Command]) -> None:
        for command in commands:
            match command:
                case Append(event):
                    seq = self.transcript.tail + 1
                    self.lines.append(encode_event(event, seq, 1))
                    self.transcript.feed(event, seq)
                case Remember(replay):
                    of, provider = self.transcript.tail, self.provider
                    state = {"replay": replay, "of": of, "provider": provider}
                    self.lines.append(encode_private(Private(state)))
                    self.transcript.remember(replay, of=of, provider=provider)
                case Flush():
                    self.durable = len(self.lines)
                case Ask():
                    check(self.transcript)
                    self.provider, self.coming = self.draw(
                        st.one_of(messages_rounds(), chat_rounds())
                    )
                case Run():
                    self.running.append(command.call)
                case _:
                    self.running.clear()

    def crash(self) -> None:
        """What was not yet durable may be lost; another process reads the rest, and repairs it or dies at it."""
        self.running.clear()
        del self.lines[self.draw(st.integers(self.durable, len(self.lines))) :]
        self.transcript = self.read()
        repairs = self.transcript.repairs()
        for event in repairs[: self.draw(st.integers(0, len(repairs)))]:
            self.carry_out([Append(event)])
        self.durable = len(self.lines)

    def read(self) -> Transcript:
        """The log, rebuilt from blocks that overlap by a line."""
        made = Transcript()
        at = self.draw(st.integers(1, len(self.lines)))
        made.feed_block(b"".join(self.lines[:at]))
        made.feed_block(b"".join(self.lines[at - 1 :]))
        return made


def check(transcript: Transcript) -> None:
    """Build each provider's next request as it would be sent, and check it."""
    for provider in ("openai", "anthropic"):
        request = ModelRequest(system=" ", messages=transcript.messages(provider), tools=TOOLS)
        fields: Any = {"model": "m", "options": {"max_tokens": 9}, "extra": {}}
        check_chat_request(orjson.loads(encode_value(chat_body(request, **fields))))
        for cache in (False, True):
            body = messages_body(request, **fields, cache=cache)
            check_messages_request(orjson.loads(encode_value(body)))


@settings(
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(st.data())
def test_every_history_is_one_that_the_model_apis_accept(data: st.DataObject) -> None:
    history = History(data)
    for _ in range(data.draw(st.integers(1, 4))):
        history.turn()
    for transcript in (history.transcript, history.read()):
        history.transcript = transcript
        again = Machine(transcript.turn + 1, max_rounds=1, parallel=1)
        # A machine asks after the person has spoken, and `carry_out` checks what it asks.
        history.carry_out(again.feed(Begun(message="last", text="And now?")))


@settings(
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(st.data())
def test_a_log_that_is_read_again_says_what_was_said(data: st.DataObject) -> None:
    history = History(data)
    for _ in range(data.draw(st.integers(1, 3))):
        history.turn()
    again = history.read()
    for provider in ("openai", "anthropic"):
        assert again.messages(provider) == history.transcript.messages(provider)
    assert again.repairs() == history.transcript.repairs()


@pytest.mark.parametrize("read", [messages_rounds(), chat_rounds()])
def test_the_rounds_that_are_driven_hold_calls_and_state(read: st.SearchStrategy[Round]) -> None:
    found: set[str] = set()

    @settings(deadline=None, database=None)
    @given(read)
    def look(answered: Round) -> None:
        for event in answered[1]:
            found.add(type(event).__name__)
            if isinstance(event, Finished) and event.replay is not None:
                found.add("replay")

    look()
    assert found >= {"TextDelta", "ToolCall", "Finished", "AskFailed", "replay"}
