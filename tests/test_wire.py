"""Lines: one encoding for the log, the stream and the replay."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from litro import wire
from litro.events import Event, Private

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.text(alphabet=st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.text(max_size=5, alphabet=st.characters(exclude_categories=["Cs"])),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)
EVENTS = st.builds(
    Event,
    kind=st.sampled_from(["text-delta", "turn-end", "a-kind-of-tomorrow"]),
    payload=JSON,
    turn=st.integers(1, 3),
    round=st.none() | st.integers(1, 9),
    call=st.none() | st.just("t1c1"),
    seq=st.integers(1, 10**9),
    ts=st.integers(0, 2**43),
)


def line(event: Event) -> bytes:
    return wire.encode_event(event, event.seq, event.ts)


@given(EVENTS)
def test_an_event_is_one_line_and_comes_back_as_it_was(event):
    encoded = line(event)
    assert encoded.startswith(wire.EVENT_PREFIX)
    assert encoded.count(b"\n") == 1
    assert wire.decode_event(encoded) == event
    assert wire.seq_of(encoded) == event.seq


def test_the_line_has_the_fields_in_the_order_of_the_design():
    event = Event(kind="ui", payload={}, turn=2, round=1, call="c1", seq=7, ts=1795000000000)
    assert line(event) == (
        b'{"seq":7,"ts":1795000000000,"turn":2,"round":1,"kind":"ui","call":"c1","payload":{}}\n'
    )


@given(st.lists(EVENTS | st.just(Private({"replay": {"seq": 1}, "of": 1}))))
def test_private_lines_never_pass(items):
    block = b"".join(
        line(item) if isinstance(item, Event) else wire.encode_private(item) for item in items
    )
    events = [item for item in items if isinstance(item, Event)]
    assert wire.public(block) == b"".join(map(line, events))
    assert list(wire.events_of(block)) == events
    assert wire.last_seq(block) == (events[-1].seq if events else None)


def test_only_the_end_of_the_very_turn_ends_a_block():
    inside = Event(
        kind="tool-result", payload={"a": 1, "kind": "turn-end", "turn": 2}, turn=2, seq=1
    )
    other = Event(kind="turn-end", payload={"status": "completed"}, turn=1, seq=2)
    own = Event(kind="turn-end", payload={"status": "completed"}, turn=2, seq=3)
    after = Event(kind="turn-start", payload={}, turn=3, seq=4)
    block = b"".join(map(line, [inside, other, own, after]))
    assert wire.through_turn_end(block, 2) == (b"".join(map(line, [inside, other, own])), True)
    assert wire.through_turn_end(line(inside) + line(other), 2) == (
        line(inside) + line(other),
        False,
    )


@given(st.lists(EVENTS, min_size=1))
def test_sse_carries_the_same_lines_with_their_seqs(events):
    sent = wire.to_sse(b"".join(map(line, events)))
    messages = sent.removesuffix(b"\n\n").split(b"\n\n")
    assert [m.split(b"\n")[0] for m in messages] == [b"id: %d" % e.seq for e in events]
    assert [m.split(b"\n")[1] for m in messages] == [b"data: " + line(e).rstrip() for e in events]


@pytest.mark.parametrize(
    ("control", "name"),
    [
        (wire.DONE, "done"),
        (wire.encode_bye(7), "bye"),
        (wire.encode_err({"type": "store", "message": "x"}), "err"),
    ],
)
def test_control_lines_are_no_events_and_are_named_in_sse(control, name):
    assert wire.decode_event(control) is None
    assert (
        wire.control_to_sse(control)
        == f"event: {name}\ndata: ".encode() + control.rstrip() + b"\n\n"
    )


def test_bye_says_from_where_to_resume():
    assert orjson.loads(wire.encode_bye(12)) == {"bye": {"next": 12}}


def test_a_line_that_lacks_a_field_is_an_error_that_names_it():
    with pytest.raises(ValueError, match="'kind' is missing"):
        wire.decode_event(b'{"seq":1,"ts":1,"turn":1,"payload":{}}\n')
