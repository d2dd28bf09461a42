"""What the model reads, rebuilt from logs of every kind of past."""

import orjson
from hypothesis import given
from hypothesis import strategies as st

from litro.events import Event
from litro.providers.base import (
    AssistantMessage,
    CallMade,
    CallResult,
    ResultsMessage,
    UserMessage,
)
from litro.turn.transcript import Transcript
from litro.wire import encode_event

HTML = "<b>for people</b>"


def transcript(*events: tuple[str, object, str | None] | tuple[str, object]) -> Transcript:
    made = Transcript()
    turn = 0
    for seq, (kind, payload, *call) in enumerate(events, 1):
        turn += kind == "turn-start"
        made.feed(Event(kind=kind, payload=payload, turn=turn, call=call[0] if call else None), seq)
    return made


def said(text: str, message: str = "m1") -> list[tuple[str, object]]:
    start = ("turn-start", {"trigger": "message", "message": message})
    return [start, ("message", {"id": message, "role": "user", "text": text})]


def answered(text: str) -> tuple[str, object]:
    return ("message", {"id": "x", "role": "assistant", "text": text, "stop": "end"})


END = ("turn-end", {"status": "completed"})
CALL_A = ("tool-call", {"name": "a", "input": {"x": 1}}, "c1")
CALL_B = ("tool-call", {"name": "b", "input": {}}, "c2")


def test_results_stand_in_call_order_whatever_order_they_came_in():
    made = transcript(
        *said("go"), answered("Looking."), CALL_A, CALL_B,
        ("tool-start", {}, "c1"), ("tool-start", {}, "c2"),
        ("tool-result", {"n": 2}, "c2"),
        ("ui", {"type": "ui", "html": HTML, "data": {"n": 1}}, "c1"),
        answered("Done."), END,
    )  # fmt: skip
    calls = (CallMade(id="c1", name="a", input={"x": 1}), CallMade(id="c2", name="b", input={}))
    assert made.messages("any") == (
        UserMessage("go"),
        AssistantMessage(text="Looking.", calls=calls),
        ResultsMessage(
            (
                CallResult(id="c1", name="a", content='{"n":1}'),
                CallResult(id="c2", name="b", content='{"n":2}'),
            )
        ),
        AssistantMessage(text="Done."),
    )
    assert HTML not in repr(made.messages("any"))


def test_a_string_is_text_and_an_error_says_its_type():
    made = transcript(
        *said("go"), answered(""), CALL_A, CALL_B,
        ("tool-result", "21 degrees", "c1"),
        ("tool-error", {"type": "failed", "message": "No."}, "c2"),
    )  # fmt: skip
    results = made.messages("any")[-1].results
    assert results[0].content == "21 degrees"
    assert orjson.loads(results[1].content) == {"error": {"type": "failed", "message": "No."}}
    assert results[1].failed


def test_a_call_that_a_crash_left_open_has_a_result_all_the_same():
    made = transcript(*said("go"), answered(""), CALL_A, CALL_B, ("tool-start", {}, "c1"))
    kinds = [orjson.loads(r.content)["error"]["type"] for r in made.messages("any")[-1].results]
    assert kinds == ["interrupted", "not-started"]


def test_repairs_close_what_a_crash_left_open_once():
    made = transcript(*said("go"), answered(""), CALL_A, CALL_B, ("tool-start", {}, "c1"))
    repairs = made.repairs()
    assert [(e.kind, e.call, e.payload.get("type")) for e in repairs] == [
        ("tool-error", "c1", "interrupted"),
        ("tool-error", "c2", "not-started"),
        ("turn-end", None, None),
    ]
    assert repairs[-1].payload == {"status": "interrupted"}
    for event in repairs:
        made.feed(event, made.tail + 1)
    assert made.repairs() == []


def test_what_was_said_of_an_unfinished_round_stays_said():
    made = transcript(
        *said("go"), ("text-delta", {"text": "Half an "}), ("text-delta", {"text": "ans"}),
        ("turn-end", {"status": "cancelled"}), *said("again", "m2"),
    )  # fmt: skip
    assert made.messages("any") == (
        UserMessage("go"),
        AssistantMessage(text="Half an ans"),
        UserMessage("again"),
    )


def test_no_message_is_empty():
    made = transcript(*said("go"), answered(" \n"), END)
    assert made.messages("any") == (UserMessage("go"),)


def test_replay_state_goes_back_to_the_provider_that_left_it():
    made = transcript(*said("go"), answered("Hm."))
    made.remember({"sig": "S"}, of=made.tail, provider="anthropic")
    assert made.messages("anthropic")[-1] == AssistantMessage(text="Hm.", replay={"sig": "S"})
    assert made.messages("openai")[-1] == AssistantMessage(text="Hm.")


def test_feeding_a_log_twice_is_feeding_it_once():
    block = (
        b'{"litro":1,"agent":"a","session":"s","owner":null}\n'
        b'{"seq":1,"ts":1,"turn":1,"kind":"turn-start","payload":{"trigger":"message","message":"m"}}\n'
        b'{"seq":2,"ts":1,"turn":1,"kind":"message","payload":{"id":"m","role":"user","text":"go"}}\n'
        b'{"seq":3,"ts":1,"turn":1,"round":1,"kind":"message","payload":{"id":"x","role":"assistant","text":"Hm."}}\n'
        b'{"replay":[1],"of":3,"provider":"p"}\n'
    )
    made = Transcript()
    made.feed_block(block)
    made.feed_block(block)
    assert made.messages("p") == (UserMessage("go"), AssistantMessage(text="Hm.", replay=[1]))
    assert (made.tail, made.turn, made.is_open) == (3, 1, True)
    assert made.started["m"].start == 1


def test_a_replay_line_that_comes_with_the_next_block_is_not_lost():
    made = transcript(*said("go"), answered("Hm."))
    made.feed_block(b'{"replay":[1],"of":3,"provider":"p"}\n')
    assert made.messages("p")[-1].replay == [1]


QUEUED = ("queued", {"id": "q1", "text": "later", "mode": "queue", "by": "u7"})


def test_what_waits_is_known_until_it_starts_joins_or_is_withdrawn():
    made = transcript(*said("go"), QUEUED)
    assert [m.id for m in made.queue] == ["q1"]
    assert [m.id for m in transcript(*said("go"), QUEUED, END, *said("later", "q1")).queue] == []
    joined = transcript(
        *said("go"), QUEUED, ("message", {"id": "q1", "role": "user", "text": "later"})
    )
    assert len(joined.queue) == 0
    assert (joined.started["q1"].number, joined.started["q1"].start) == (1, 4)
    assert joined.messages("any") == (UserMessage("go"), UserMessage("later"))
    withdrawn = transcript(*said("go"), QUEUED, ("withdrawn", {"id": "q1"}))
    assert (len(withdrawn.queue), withdrawn.queue.withdrawn) == (0, {"q1"})


def test_a_start_that_alone_outlived_a_crash_is_completed_so_that_the_message_has_its_end():
    start = ("turn-start", {"trigger": "message", "message": "q1"})
    made = transcript(*said("go"), QUEUED, END, start)
    repairs = made.repairs()
    assert [(e.kind, e.payload) for e in repairs] == [
        ("message", {"id": "q1", "role": "user", "text": "later"}),
        ("turn-end", {"status": "interrupted"}),
    ]
    for event in repairs:
        made.feed(event, made.tail + 1)
    assert len(made.queue) == 0
    assert made.started["q1"].number == 2


def line(seq: int, kind: str, payload: object, turn: int = 1) -> bytes:
    return encode_event(Event(kind=kind, payload=payload, turn=turn, round=1), seq, 1)


def test_deltas_are_read_only_where_no_message_repeats_them():
    tricky = {"text": '"kind":"message" \n{"seq":9'}
    lines = [
        line(1, *said("go")[0]),
        line(2, *said("go")[1]),
        line(3, "reasoning-delta", tricky),
        line(4, "text-delta", {"text": "Hm."}),
        line(5, *answered("Hm.")),
        line(6, "tool-progress", {"kind": "text-delta", "payload": {"text": "no"}}),
        line(7, "text-delta", tricky),
        b'{"inbox":7}\n',
        line(8, "text-delta", {"text": "end"}),
        line(9, *END),
    ]
    for cut in range(len(lines)):
        made = Transcript()
        made.feed_block(b"".join(lines[: cut + 1]))
        made.feed_block(b"".join(lines[cut:]))
        assert made.tail == 9
        assert made.messages("any")[1:] == (
            AssistantMessage(text="Hm."),
            AssistantMessage(text=tricky["text"] + "end"),
        )


KINDS = st.lists(
    st.sampled_from(
        [
            *said("text"),
            answered("text"),
            answered(""),
            CALL_A,
            CALL_B,
            ("tool-start", {}, "c1"),
            ("tool-result", 1, "c1"),
            ("tool-error", {"type": "failed", "message": ""}, "c2"),
            ("text-delta", {"text": "x"}),
            ("tool-progress", 1, "c1"),
            ("usage", {}),
            ("error", {"type": "internal", "message": ""}),
            ("a-kind-of-tomorrow", {}),
            ("text-like-kind-of-tomorrow", 1),
            QUEUED,
            ("withdrawn", {"id": "q1"}),
            ("title", {"text": "T"}),
            ("message", {"id": "q1", "role": "user", "text": "later"}),
            END,
        ]
    ),
    max_size=30,
)


@given(KINDS)
def test_any_log_gives_a_history_that_every_provider_accepts(events):
    messages = transcript(*events).messages("any")
    for message, after in zip(messages, [*messages, None][1:], strict=True):
        if isinstance(message, AssistantMessage):
            assert message.text or message.calls
            assert bool(message.calls) == isinstance(after, ResultsMessage)
        if isinstance(after, ResultsMessage):
            assert isinstance(message, AssistantMessage)
            assert [r.id for r in after.results] == [c.id for c in message.calls]
