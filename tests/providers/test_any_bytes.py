"""Any bytes, split anyhow, into both assemblers: no exception but ours, no hang, and no more held than was sent.

Short here; `scripts/soak` runs it for as long as it is told, with SOAK_EXAMPLES examples a round.
"""

import os
import tracemalloc
from collections.abc import Callable
from dataclasses import asdict

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from litro.encoding import encode_value
from litro.providers.base import Finished, ToolCall
from litro.providers.chat_answer import ChatAnswer
from litro.providers.messages_answer import MessagesAnswer
from litro.providers.transport import Assembler
from providers.reading import Heard, read
from providers.sse_fixtures import CHAT, MESSAGES
from providers.test_answers import chat_frames, escaped_data, message_frames

ANSWERS: list[Callable[[], Assembler]] = [lambda: ChatAnswer("m"), lambda: MessagesAnswer("m")]
BODIES = [stream.body for stream in (CHAT | MESSAGES).values()]
PARTS = [part + b"\n\n" for body in BODIES for part in body.split(b"\n\n") if part]
MAX_HELD = 64
"""Bytes of memory for a byte that came: a delta of one letter is a frame of ten times its size."""

soak = settings(
    max_examples=int(os.environ.get("SOAK_EXAMPLES", "50")),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
both = pytest.mark.parametrize("answer", ANSWERS, ids=["chat completions", "messages"])


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A recorded stream, some of whose bytes are lost, doubled, or other bytes."""
    body = draw(st.sampled_from(BODIES))
    for _ in range(draw(st.integers(1, 4))):
        at, to = sorted((draw(st.integers(0, len(body))), draw(st.integers(0, len(body)))))
        between = draw(st.binary(max_size=8) | st.just(body[at:to] * 2) | st.sampled_from(PARTS))
        body = body[:at] + between + body[to:]
    return body


shuffled = st.lists(st.sampled_from(PARTS), max_size=12).map(b"".join)
frames = st.lists(chat_frames, max_size=6) | st.lists(message_frames, max_size=6)
hostile = frames.map(lambda frames: b"".join(map(escaped_data, frames)))
streams = st.binary(max_size=400) | damaged() | shuffled | hostile


@st.composite
def split(draw: st.DrawFn) -> tuple[bytes, ...]:
    body = draw(streams)
    cuts = sorted(draw(st.lists(st.integers(0, len(body)), max_size=12)))
    return tuple(body[at:to] for at, to in zip([0, *cuts], [*cuts, len(body)], strict=True))


def check(heard: Heard) -> None:
    ends = heard.all(Finished)
    assert (heard.error is None) == (len(ends) == 1)
    assert not ends or heard.events[-1] == ends[0]
    if heard.error is not None:
        assert heard.all(ToolCall) == []
    for event in heard.events:
        encode_value(asdict(event))


@both
@soak
@given(chunks=split())
def test_any_stream_is_an_answer_or_one_provider_error(
    answer: Callable[[], Assembler], chunks: tuple[bytes, ...]
) -> None:
    heard = read(answer(), *chunks)

    check(heard)
    whole = read(answer(), b"".join(chunks))
    assert whole.events == heard.events
    assert (whole.error and whole.error.type) == (heard.error and heard.error.type)


@both
@settings(soak, max_examples=max(5, soak.max_examples // 100))
@given(parts=st.lists(st.sampled_from(PARTS), min_size=1, max_size=4))
def test_what_is_held_is_bounded_by_what_was_sent(
    answer: Callable[[], Assembler], parts: list[bytes]
) -> None:
    body = b"".join(part for part in parts if b"DONE" not in part) * 200
    tracemalloc.start()
    try:
        heard = read(answer(), body)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert most < MAX_HELD * len(body) + 1_000_000
    check(heard)
