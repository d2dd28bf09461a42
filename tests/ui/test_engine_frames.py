"""Frames, however they come."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from litro.errors import RenderFailed
from litro.ui.engine.frames import FrameReader, packed

json = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(st.dictionaries(st.text(), json), st.data())
def test_a_frame_arrives_however_it_is_cut(value: dict[str, object], data: st.DataObject) -> None:
    frame = packed(value)
    reader = FrameReader(len(frame))
    while frame:
        cut = data.draw(st.integers(1, len(frame)))
        piece, frame = frame[:cut], frame[cut:]
        answer = reader.feed(piece)
        assert answer == (None if frame else value)


def test_one_reader_reads_one_frame_after_the_other() -> None:
    reader = FrameReader(1000)
    for n in range(3):
        assert reader.feed(packed({"n": n})) == {"n": n}


@given(st.binary(max_size=200))
def test_any_bytes_are_a_frame_an_error_or_awaited(data: bytes) -> None:
    try:
        answer = FrameReader(100).feed(data)
    except RenderFailed:
        return
    assert answer is None or isinstance(answer, dict)


def test_two_frames_at_once_are_an_error() -> None:
    with pytest.raises(RenderFailed, match="no frame"):
        FrameReader(1000).feed(packed({"n": 1}) + packed({"n": 2}))


def test_a_frame_that_is_too_long_is_refused_before_it_has_come() -> None:
    with pytest.raises(RenderFailed, match="1000000 bytes, and 100 are the most"):
        FrameReader(100).feed((1_000_000).to_bytes(4, "big"))


@pytest.mark.parametrize("body", [b"[]", b"null", b"{", b"hello", b"\xff"])
def test_what_is_no_object_is_an_error(body: bytes) -> None:
    with pytest.raises(RenderFailed, match="no frame"):
        FrameReader(100).feed(len(body).to_bytes(4, "big") + body)


def test_words_that_a_component_writes_to_the_pipe_are_an_error() -> None:
    with pytest.raises(RenderFailed, match="are the most"):
        FrameReader(16_000_000).feed(b"hello\n" + orjson.dumps({"ok": True}))


@given(st.text())
def test_html_behind_a_zero_byte_is_taken_as_it_stands(html: str) -> None:
    body = b"\0" + html.encode()
    frame = len(body).to_bytes(4, "big") + body
    assert FrameReader(len(frame)).feed(frame) == {"ok": True, "html": html}


def test_html_that_is_no_utf_8_is_no_frame() -> None:
    with pytest.raises(RenderFailed, match="no frame"):
        FrameReader(100).feed(b"\0\0\0\2\0\xff")
