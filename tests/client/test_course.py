"""What a client makes of what it hears, and how long it waits, without a network."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litro.client.course import Broken, Course, Lines, Message, StillWaits
from litro.client.outage import LONGEST_WAIT, Outage, Patience
from litro.errors import RemoteError
from litro.events import Event
from litro.wire import encode_bye, encode_event


def line(seq: int, kind: str = "text-delta", turn: int = 1) -> bytes:
    return encode_event(Event(kind=kind, payload={}, turn=turn), seq, 0).rstrip()


def said() -> Course:
    return Course(message=Message(text="Hi", key="k"))


@given(chunks=st.lists(st.binary(max_size=8).map(lambda b: b.replace(b"\r", b"\n"))))
def test_lines_are_whole_wherever_they_are_cut(chunks):
    lines = Lines()
    found = [found for chunk in chunks for found in lines.feed(chunk)]
    assert found == b"".join(chunks).split(b"\n")[:-1]


@given(attempts=st.lists(st.tuples(st.integers(1, 9), st.integers(0, 9))))
def test_every_event_is_heard_once_and_in_order_from_overlapping_streams(attempts):
    """Each attempt begins somewhere at or before what is next, and ends anywhere."""
    course, heard = Course(start=1), []
    for start, length in [*attempts, (1, 20)]:
        first = min(start, max(course.following, 1))
        for seq in range(first, first + length):
            event = course.hear(line(seq))
            heard += [event.seq] if event is not None else []
    assert heard == list(range(1, len(heard) + 1))
    assert len(heard) >= 20


def test_a_message_is_said_until_a_header_or_an_event_shows_that_it_arrived():
    course = said()
    course.opened(None, None)
    course.opened("2", "x")
    assert course.has_to_say_it
    course.opened("2", "7")
    assert (course.has_to_say_it, course.following) == (False, 7)
    course = said()
    course.hear(line(7, "turn-start", 2))
    assert (course.has_to_say_it, course.following) == (False, 8)


def test_a_message_is_over_with_its_own_turn_s_end_and_what_is_resumed_with_done():
    course = said()
    course.opened("2", "7")
    assert course.hear(line(7, "turn-end", 1)) is not None
    assert not course.is_over
    assert course.hear(line(8, "turn-end", 2)) is not None
    assert course.is_over
    course = Course(start=0)
    course.hear(line(1, "turn-end"))
    assert not course.is_over
    assert course.hear(b'{"done":true}') is None
    assert course.is_over


def event_line(seq: int, kind: str, turn: int, **payload: str) -> bytes:
    return encode_event(Event(kind=kind, payload=payload, turn=turn), seq, 0).rstrip()


@given(other=st.integers(1, 5))
def test_a_message_that_waits_is_heard_from_where_it_is_answered(other):
    course = said()
    course.queued("4")
    assert (course.has_to_say_it, course.following) == (False, 4)
    for seq in range(4, 4 + other):
        assert course.hear(event_line(seq, "turn-start", 1, message="another")) is None
    with pytest.raises(StillWaits):
        course.hear(b'{"done":true}')
    assert course.following == 4 + other
    start = course.hear(event_line(4 + other, "turn-start", 2, message="k"))
    assert start is not None
    assert course.hear(event_line(5 + other, "turn-end", 2)) is not None
    assert course.is_over


def test_a_message_that_steers_is_heard_from_itself_to_the_turn_s_end():
    course = said()
    course.queued("4")
    assert course.hear(line(4, turn=3)) is None
    # An id of the model's own may be the same.
    assert course.hear(event_line(5, "message", 3, id="k", role="assistant")) is None
    assert course.hear(event_line(6, "message", 3, id="k", role="user")) is not None
    assert course.hear(line(7, turn=3)) is not None
    assert course.hear(line(8, "turn-end", 3)) is not None
    assert course.is_over


def test_of_a_message_that_was_withdrawn_nothing_else_comes():
    course = said()
    course.queued("4")
    assert course.hear(event_line(4, "withdrawn", 1, id="another")) is None
    assert not course.is_over
    assert course.hear(event_line(5, "withdrawn", 1, id="k")) is not None
    assert course.is_over


@pytest.mark.parametrize("start", [None, "", "x", "-1"])
def test_a_message_that_waits_nobody_knows_where_is_an_error(start):
    with pytest.raises(RemoteError, match="no Litro server"):
        said().queued(start)


def test_without_deltas_seqs_may_have_gaps_but_nothing_comes_twice():
    course = Course(start=1, deltas=False)
    heard = [course.hear(line(seq)) for seq in (2, 2, 5, 3, 9)]
    assert [event.seq for event in heard if event is not None] == [2, 5, 9]
    assert course.query == "from=10&deltas=false"


def test_a_limit_counts_what_was_heard_over_every_connection():
    course = Course(start=1, limit=3)
    course.hear(line(1))
    assert course.query == "from=2&limit=2"
    course.hear(line(1))
    course.hear(line(2))
    assert not course.is_over
    course.hear(line(3))
    assert course.is_over


@pytest.mark.parametrize(
    "broken", [b"<p>", b'{"seq":', b'{"seq":2}', line(9), encode_bye(5).rstrip()]
)
def test_a_line_that_cannot_follow_breaks_the_stream_and_changes_nothing(broken):
    course = Course(start=2)
    with pytest.raises(Broken):
        course.hear(broken)
    assert (course.following, course.is_over) == (2, False)


@pytest.mark.parametrize("skipped", [b"", b"{}", b'{"later":1}', b"[]", b"7", b'"done"'])
def test_a_heartbeat_and_a_line_of_a_later_version_are_skipped(skipped):
    course = Course(start=2)
    assert course.hear(skipped) is None
    assert (course.following, course.is_over) == (2, False)


@pytest.mark.parametrize("content", [b"null", b"7", b"[]", b"{}", b'{"type":1,"message":"m"}'])
def test_an_error_in_another_shape_is_an_error_all_the_same(content):
    with pytest.raises(RemoteError, match="stream failed"):
        Course(start=1).hear(b'{"err":%b}' % content)


@given(
    patience=st.floats(0.1, 1000),
    wait=st.floats(0.001, 10),
    asked=st.one_of(st.none(), st.floats(0, 100)),
)
def test_waits_grow_to_a_bound_and_an_outage_ends_in_time(patience, wait, asked):
    outage = Outage(Patience(silence=1, outage=patience, wait=wait))
    now = 0.0
    for attempt in range(10**7):
        pause = outage.wait(now, asked=asked)
        if pause is None:
            break
        assert min(wait * 2 ** min(attempt, 16), LONGEST_WAIT) / 2 <= pause
        assert pause <= max(wait, LONGEST_WAIT, asked or 0)
        now += pause
    assert now <= patience * (1 + 1e-9)


def test_after_a_sign_of_life_waits_are_short_again_and_time_counts_anew():
    outage = Outage(Patience(silence=1, outage=60, wait=0.25))
    waits = [outage.wait(now) for now in range(6)]
    assert all(waits)
    assert waits[5] > 2
    assert outage.wait(59.9) is None
    outage.end()
    assert outage.wait(59.9) <= 0.25
