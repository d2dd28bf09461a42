"""Lines and the messages in them, as pure values."""

import itertools
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from litro.mcp.messages import Lines, Malformed, parse


@given(st.lists(st.binary(max_size=12)), st.lists(st.integers(0, 40)))
def test_lines_are_the_same_however_the_stream_is_cut(parts: list[bytes], cuts: list[int]):
    stream = b"\n".join(parts)
    lines, found = Lines(limit=8), []
    places = sorted({0, *(min(cut, len(stream)) for cut in cuts), len(stream)})
    for start, stop in itertools.pairwise(places):
        found += lines.feed(stream[start:stop])
    found += lines.end()
    whole = stream.split(b"\n")
    expected = [line if len(line) <= 8 else None for line in whole]
    assert found == (expected if whole[-1] else expected[:-1])


@given(st.binary())
def test_any_line_is_a_message_or_an_error(line: bytes):
    try:
        message = parse(line)
    except Malformed as error:
        answer = orjson.loads(error.answer())
        assert answer["error"]["code"] in (-32700, -32600)
    else:
        assert message is None or isinstance(message, dict)


@given(st.dictionaries(st.text(), st.text() | st.integers(-(2**53), 2**53) | st.none()))
def test_a_message_is_read_as_it_was_written(message: dict[str, Any]):
    assert parse(orjson.dumps(message)) == message


def test_a_byte_order_mark_is_passed_over():
    assert parse(b'\xef\xbb\xbf{"a":1}\r') == {"a": 1}


@pytest.mark.parametrize("text", ["\\ud83d", "\\ude00\\ud83d", "a\\udfffb"])
def test_lone_surrogates_are_replaced(text: str):
    message = parse(f'{{"text":"{text}","pair":"\\ud83d\\ude00"}}'.encode())
    assert message is not None
    assert "\ufffd" in message["text"]
    assert message["pair"] == "😀"
