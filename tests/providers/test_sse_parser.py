from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litro.providers.sse import SseEvent, SseParser


def parse(*chunks: bytes) -> list[SseEvent]:
    parser = SseParser()
    return [event for chunk in chunks for event in parser.feed(chunk)]


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        (b"data: a\n\n", [("message", "a")]),
        (b"data:a\n\n", [("message", "a")]),
        (b"data:  a\n\n", [("message", " a")]),
        (b"data: a\ndata: b\n\n", [("message", "a\nb")]),
        (b"data: a\r\ndata: b\r\n\r\n", [("message", "a\nb")]),
        (b"event: x\ndata: a\n\ndata: b\n\n", [("x", "a"), ("message", "b")]),
        (b"data: a\r\n\r\ndata: b\r\rdata: c\n\r\n", [("message", c) for c in "abc"]),
        (b"\xef\xbb\xbfdata: a\n\n", [("message", "a")]),
        (b"data: a\n\n\xef\xbb\xbfdata: b\n\n", [("message", "a")]),
        (b": hi\n\nid: 7\nretry: 5\n\nevent: keepalive\n\ndata:\n\ndata\n\n", []),
        ("data: a\u2028b\u0085c\n\n".encode(), [("message", "a\u2028b\u0085c")]),
        (b"data: a\xff\n\n", [("message", "a\ufffd")]),
        (b"datum: a\n\n", []),
        (b"data: a", []),
        (b"data: a\n", []),
    ],
)
def test_a_stream_has_these_events(stream: bytes, events: list[tuple[str, str]]) -> None:
    assert parse(stream) == events
    assert parse(*(bytes([byte]) for byte in stream)) == events


def test_an_event_is_there_as_soon_as_its_last_byte_is() -> None:
    assert parse(b"data: a\r\n\r") == [("message", "a")]
    assert parse(b"data: a\r\n\r", b"\ndata: b\r", b"\n\r\n") == [
        ("message", "a"),
        ("message", "b"),
    ]


def test_an_unfinished_event_comes_with_close_and_only_once() -> None:
    parser = SseParser()

    assert parser.feed(b"data: a\n\ndata: b") == [("message", "a")]
    assert parser.close() == [("message", "b")]
    assert parser.close() == []


def test_an_event_without_end_is_given_up() -> None:
    parser = SseParser(max_event=10)
    parser.feed(b"data: 1234\n\n")

    with pytest.raises(ValueError, match="10 is the limit"):
        parser.feed(b"data: 123456")


pieces = st.sampled_from(
    [b"data:", b"data: ", b"event: e", b":", b"\n", b"\r", b"\r\n", b"a", "☀\u2028".encode(), b" "]
)


@settings(deadline=None)
@given(stream=st.lists(pieces).map(b"".join), cuts=st.lists(st.integers(0, 60)))
def test_it_does_not_matter_where_reads_are_cut(stream: bytes, cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(stream)]
    chunks = [stream[a:b] for a, b in pairwise(edges)]

    assert parse(*chunks) == parse(stream)


@settings(deadline=None)
@given(stream=st.binary())
def test_any_bytes_can_be_fed(stream: bytes) -> None:
    parser = SseParser()

    assert all(event.data for event in [*parser.feed(stream), *parser.close()])
