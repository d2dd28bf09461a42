"""What each stream means, in one piece and byte by byte: reading is the same wherever the network cuts."""

import json
from collections.abc import Callable
from dataclasses import asdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litro.encoding import encode_value
from litro.errors import ProviderError
from litro.providers.base import (
    Finished,
    ModelEvent,
    ReasoningDelta,
    TextDelta,
    ToolCall,
    Usage,
)
from litro.providers.chat_answer import ChatAnswer
from litro.providers.messages_answer import MessagesAnswer
from litro.providers.sse import SseParser
from litro.providers.transport import Assembler
from providers.reading import Heard, read
from providers.sse_fixtures import (
    BEGUN,
    CACHED,
    CHAT,
    DONE,
    MESSAGES,
    Stream,
    ended,
    event,
    text_block,
)

STREAMS: list[tuple[str, Callable[[], Assembler], Stream]] = [
    *((name, lambda: ChatAnswer("m"), stream) for name, stream in CHAT.items()),
    *((name, lambda: MessagesAnswer("m"), stream) for name, stream in MESSAGES.items()),
]
every_stream = pytest.mark.parametrize(
    ("answer", "stream"),
    [pytest.param(answer, stream, id=name) for name, answer, stream in STREAMS],
)


def check(heard: Heard, stream: Stream) -> None:
    assert "".join(e.text for e in heard.all(TextDelta)) == stream.text
    assert "".join(e.text for e in heard.all(ReasoningDelta)) == stream.reasoning
    assert tuple((e.name, e.input) for e in heard.all(ToolCall)) == stream.calls
    assert (heard.error and heard.error.type) == stream.error
    if stream.error is None:
        assert heard.events[-1] == Finished(stop=stream.stop, replay=stream.replay)
        counted = [e.input_tokens + e.output_tokens for e in heard.all(Usage)]
        assert counted == ([] if stream.tokens is None else [stream.tokens])


@every_stream
def test_a_stream_in_one_piece_means_what_it_says(
    answer: Callable[[], Assembler], stream: Stream
) -> None:
    check(read(answer(), stream.body), stream)


@every_stream
def test_a_stream_byte_by_byte_means_the_same(
    answer: Callable[[], Assembler], stream: Stream
) -> None:
    check(read(answer(), *(bytes([byte]) for byte in stream.body)), stream)


@every_stream
def test_no_delta_is_empty_and_all_text_has_bytes(
    answer: Callable[[], Assembler], stream: Stream
) -> None:
    heard = read(answer(), stream.body)

    for delta in heard.all(TextDelta | ReasoningDelta):
        assert delta.text.encode()


@every_stream
def test_no_call_leaves_before_the_terminal_signal(
    answer: Callable[[], Assembler], stream: Stream
) -> None:
    reader, parser = answer(), SseParser()
    for sse in parser.feed(stream.body):
        try:
            events = list(reader.feed(sse))
        except ProviderError:
            return
        assert not any(isinstance(event, ToolCall) for event in events)


@settings(deadline=None)
@given(which=st.sampled_from(STREAMS), at=st.integers(min_value=0))
def test_a_stream_that_is_cut_anywhere_never_makes_up_a_call(
    which: tuple[str, Callable[[], Assembler], Stream], at: int
) -> None:
    _, answer, stream = which

    heard = read(answer(), stream.body[: at % len(stream.body)])

    assert tuple((e.name, e.input) for e in heard.all(ToolCall)) in [(), stream.calls]
    assert heard.error is not None or isinstance(heard.events[-1], Finished)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def objects(**fields: st.SearchStrategy) -> st.SearchStrategy:
    """Objects with some of these keys, and sometimes something else in place of an object or a value."""
    return json_values | st.fixed_dictionaries(
        {}, optional={key: json_values | value for key, value in fields.items()}
    )


texts = st.sampled_from(["", "{", "}", "a", "\ud83d"])
tool_calls = objects(index=st.just(0), id=texts, function=objects(name=texts, arguments=texts))
chat_frames = objects(
    choices=st.lists(
        objects(
            delta=objects(content=texts, reasoning=texts, tool_calls=st.lists(tool_calls)),
            finish_reason=st.sampled_from(["stop", "length", "tool_calls"]),
        )
    ),
    usage=objects(prompt_tokens=st.integers(), prompt_tokens_details=objects()),
    error=objects(message=texts, code=st.integers(400, 599)),
)
message_frames = objects(
    type=st.sampled_from(
        ["message_start", "message_delta", "error"]
        + ["content_block_start", "content_block_delta", "content_block_stop"] * 3
    ),
    index=st.just(0),
    message=objects(usage=objects(input_tokens=st.integers())),
    content_block=objects(
        type=st.sampled_from(["text", "thinking", "tool_use"]), text=texts, input=objects()
    ),
    delta=objects(
        type=st.sampled_from(
            ["text_delta", "thinking_delta", "input_json_delta", "citations_delta"]
        ),
        text=texts,
        thinking=texts,
        partial_json=texts,
        stop_reason=st.sampled_from(["tool_use", "max_tokens"]),
    ),
)


def escaped_data(frame: object) -> bytes:
    return b"data: " + json.dumps(frame).encode() + b"\n\n"


def encode(heard_event: ModelEvent) -> None:
    """What the log will do with it."""
    encode_value(asdict(heard_event))


@pytest.mark.parametrize("answer", [lambda: ChatAnswer("m"), lambda: MessagesAnswer("m")])
@settings(deadline=None)
@given(frames=st.lists(chat_frames | message_frames, max_size=6))
def test_a_hostile_server_causes_provider_errors_and_no_other(
    answer: Callable[[], Assembler], frames: list
) -> None:
    heard = read(answer(), *map(escaped_data, frames), event("message_stop"), DONE)

    for heard_event in heard.events:
        encode(heard_event)


def test_cached_tokens_are_counted_within_the_input() -> None:
    chat = read(
        ChatAnswer("m"),
        b'data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,'
        b'"prompt_tokens_details":{"cached_tokens":8}}}\n\ndata: [DONE]\n\n',
    )
    messages = read(
        MessagesAnswer("m"),
        event("message_start", message={"usage": CACHED}) + ended("end_turn"),
    )

    assert chat.all(Usage) == [Usage(input_tokens=9, output_tokens=1, cached_tokens=8)]
    assert messages.all(Usage) == [Usage(input_tokens=36, output_tokens=5, cached_tokens=30)]


def test_nothing_counts_that_comes_after_the_end() -> None:
    late = BEGUN + ended("end_turn") + text_block(0, "late")

    assert read(MessagesAnswer("m"), late).all(TextDelta) == []
