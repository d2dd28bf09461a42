"""The rules of a turn, without a clock, a socket or a store."""

from hypothesis import given
from hypothesis import strategies as st

from litro.providers.base import Finished, ReasoningDelta, TextDelta, ToolCall, Usage
from litro.turn.machine import (
    Append,
    Ask,
    AskFailed,
    Begun,
    Broke,
    Called,
    Command,
    Flush,
    Machine,
    Progressed,
    Remember,
    Run,
    Steered,
    Stopped,
    StopWork,
    Withdrawn,
)

FAILURE = {"type": "overloaded", "message": "busy"}


def machine(*, max_rounds: int = 16, parallel: int = 8) -> Machine:
    turn = Machine(3, max_rounds=max_rounds, parallel=parallel)
    turn.feed(Begun(message="m1", text="Hi"))
    return turn


def kinds(commands: list[Command]) -> list[str]:
    return [c.event.kind if isinstance(c, Append) else type(c).__name__ for c in commands]


def payloads(commands: list[Command], kind: str) -> list[object]:
    return [c.event.payload for c in commands if isinstance(c, Append) and c.event.kind == kind]


def asking(*names: str, **options: int) -> tuple[Machine, list[Command]]:
    turn = machine(**options)
    for name in names:
        turn.feed(ToolCall(name, {}))
    return turn, turn.feed(Finished(stop="tools"))


def test_a_turn_begins_durably_before_the_model_is_asked():
    commands = Machine(1, max_rounds=1, parallel=1).feed(Begun(message="m1", text="Hi", by="u7"))
    assert kinds(commands) == ["turn-start", "message", "Flush", "Ask"]
    assert payloads(commands, "turn-start") == [{"trigger": "message", "message": "m1", "by": "u7"}]


def test_text_alone_completes_the_turn():
    turn = machine()
    assert kinds(turn.feed(TextDelta("Hel"))) == ["text-delta"]
    assert kinds(turn.feed(ReasoningDelta("hm"))) == ["reasoning-delta"]
    turn.feed(TextDelta("lo"))
    turn.feed(Usage(input_tokens=3, cached_tokens=0))
    commands = turn.feed(Finished(stop="length", replay={"sig": 1}))
    assert kinds(commands) == ["message", "Remember", "usage", "turn-end", "Flush"]
    assert payloads(commands, "message") == [
        {"id": "t3r1", "role": "assistant", "text": "Hello", "stop": "length"}
    ]
    assert payloads(commands, "usage") == [{"input_tokens": 3, "cached_tokens": 0}]
    assert commands[1] == Remember({"sig": 1})
    assert turn.status == "completed"


def test_tools_start_after_the_terminal_signal_and_after_their_start_is_durable():
    turn = machine()
    assert turn.feed(ToolCall("a", {"x": 1})) == []
    turn.feed(ToolCall("b", "not json"))
    commands = turn.feed(Finished(stop="tools"))
    assert kinds(commands) == [
        "message", "tool-call", "tool-call", "tool-start", "tool-start", "Flush", "Run", "Run",
    ]  # fmt: skip
    assert payloads(commands, "message")[0]["calls"] == ["t3c1", "t3c2"]
    assert commands[-1] == Run(call="t3c2", name="b", input="not json")


def test_the_next_round_waits_for_every_call_and_call_ids_go_on():
    turn, _ = asking("a", "b")
    assert kinds(turn.feed(Called("t3c2", "tool-result", 2))) == ["tool-result"]
    assert kinds(turn.feed(Called("t3c1", "ui", {"type": "ui"}))) == ["ui", "Ask"]
    turn.feed(ToolCall("c", {}))
    assert payloads(turn.feed(Finished(stop="tools")), "message")[0]["calls"] == ["t3c3"]


def test_no_more_calls_run_at_once_than_may():
    turn, commands = asking("a", "b", "c", parallel=2)
    assert [c.call for c in commands if isinstance(c, Run)] == ["t3c1", "t3c2"]
    assert kinds(turn.feed(Called("t3c2", "tool-result", 1))) == [
        "tool-result",
        "tool-start",
        "Flush",
        "Run",
    ]
    assert kinds(turn.feed(Called("t3c1", "tool-result", 1))) == ["tool-result"]
    assert kinds(turn.feed(Called("t3c3", "tool-result", 1))) == ["tool-result", "Ask"]


def test_the_round_limit_fails_the_turn_and_starts_no_tool():
    turn, commands = asking("a", max_rounds=1)
    assert kinds(commands) == [
        "message",
        "tool-call",
        "StopWork",
        "tool-error",
        "error",
        "turn-end",
        "Flush",
    ]
    assert payloads(commands, "tool-error")[0]["type"] == "not-started"
    assert payloads(commands, "error")[0]["type"] == "max-rounds"
    assert turn.status == "failed"


def test_cancelling_tells_of_each_call_whether_it_was_started():
    turn, _ = asking("a", "b", "c", parallel=2)
    commands = turn.feed(Stopped("cancelled"))
    assert kinds(commands) == [
        "StopWork",
        "tool-error",
        "tool-error",
        "tool-error",
        "turn-end",
        "Flush",
    ]
    assert [p["type"] for p in payloads(commands, "tool-error")] == [
        "cancelled",
        "cancelled",
        "not-started",
    ]
    assert payloads(commands, "turn-end") == [{"status": "cancelled"}]


def test_a_failed_model_ends_the_turn_and_keeps_what_was_said():
    turn = machine()
    turn.feed(TextDelta("half"))
    commands = turn.feed(AskFailed(FAILURE))
    assert kinds(commands) == ["StopWork", "error", "turn-end", "Flush"]
    assert payloads(commands, "turn-end") == [{"status": "failed"}]


def test_a_turn_that_breaks_closes_its_running_calls():
    turn, _ = asking("a")
    commands = turn.feed(Broke({"type": "internal", "message": "x"}))
    assert kinds(commands) == ["StopWork", "tool-error", "error", "turn-end", "Flush"]
    assert payloads(commands, "tool-error")[0]["type"] == "interrupted"


def test_half_a_character_waits_for_its_other_half():
    turn = machine()
    assert payloads(turn.feed(TextDelta("a\ud83d")), "text-delta") == [{"text": "a"}]
    assert turn.feed(TextDelta("")) == []
    assert payloads(turn.feed(TextDelta("\ude00b")), "text-delta") == [{"text": "😀b"}]
    turn.feed(TextDelta("\ud83d"))
    commands = turn.feed(Finished(stop="end"))
    assert payloads(commands, "text-delta") == [{"text": "�"}]
    assert payloads(commands, "message")[0]["text"] == "a😀b�"


def test_what_comes_after_the_terminal_signal_is_dropped():
    turn, _ = asking("a", "b", parallel=1)
    for late in (TextDelta("x"), ToolCall("c", {}), Finished(stop="end"), AskFailed(FAILURE)):
        assert turn.feed(late) == []
    assert kinds(turn.feed(Called("t3c1", "tool-result", 1)))[:2] == ["tool-result", "tool-start"]


def test_progress_of_a_call_that_has_ended_is_dropped():
    turn, _ = asking("a", "b")
    assert kinds(turn.feed(Progressed("t3c1", 1))) == ["tool-progress"]
    turn.feed(Called("t3c1", "tool-result", 1))
    assert turn.feed(Progressed("t3c1", 2)) == []
    assert turn.feed(Called("t3c1", "tool-result", 1)) == []


def test_a_message_that_steers_joins_when_the_calls_of_the_round_have_ended():
    turn, _ = asking("a", "b")
    assert turn.feed(Steered(message="s1", text="Hurry\ud83d")) == []
    assert kinds(turn.feed(Called("t3c1", "tool-result", 1))) == ["tool-result"]
    commands = turn.feed(Called("t3c2", "tool-result", 1))
    assert kinds(commands) == ["tool-result", "message", "Ask"]
    assert payloads(commands, "message") == [{"id": "s1", "role": "user", "text": "Hurry�"}]
    assert [c.event.round for c in commands if isinstance(c, Append)] == [1, 2]


def test_messages_that_steer_make_another_round_where_the_model_has_finished():
    turn = machine()
    for n in (1, 2):
        turn.feed(Steered(message=f"s{n}", text="and"))
    commands = turn.feed(Finished(stop="end"))
    assert kinds(commands) == ["message", "message", "message", "Ask"]
    assert [p["id"] for p in payloads(commands, "message")] == ["t3r1", "s1", "s2"]
    assert kinds(turn.feed(Finished(stop="end"))) == ["message", "turn-end", "Flush"]


def test_the_round_limit_leaves_a_message_that_steers_to_the_next_turn():
    turn = machine(max_rounds=1)
    turn.feed(Steered(message="s1", text="and"))
    assert kinds(turn.feed(Finished(stop="end"))) == ["message", "turn-end", "Flush"]


def test_a_message_that_was_withdrawn_does_not_join():
    turn = machine()
    turn.feed(Steered(message="s1", text="and"))
    turn.feed(Withdrawn("s1"))
    turn.feed(Withdrawn("nobody"))
    assert kinds(turn.feed(Finished(stop="end"))) == ["message", "turn-end", "Flush"]


def test_nothing_joins_a_turn_that_has_ended():
    turn = machine()
    turn.feed(Stopped("cancelled"))
    assert turn.feed(Steered(message="s1", text="and")) == []
    assert turn.feed(Finished(stop="end")) == []


CALLS = st.sampled_from([f"t3c{n}" for n in range(1, 7)])
HAPPENINGS = st.lists(
    st.one_of(
        st.builds(TextDelta, st.text(alphabet=st.characters(codec=None), max_size=4)),
        st.builds(ReasoningDelta, st.text(max_size=3)),
        st.builds(ToolCall, st.just("a"), st.just({})),
        st.builds(Usage),
        st.builds(Finished, stop=st.sampled_from(["end", "tools", "length", "refusal"])),
        st.builds(AskFailed, st.just(FAILURE)),
        st.builds(Progressed, CALLS, st.integers()),
        st.builds(Called, CALLS, st.sampled_from(["tool-result", "ui", "tool-error"]), st.just({})),
        st.builds(Stopped, st.sampled_from(["cancelled", "interrupted"])),
        st.builds(Broke, st.just(FAILURE)),
        st.builds(Steered, message=st.sampled_from(["s1", "s2"]), text=st.text(max_size=2)),
        st.builds(Withdrawn, st.sampled_from(["s1", "s2"])),
    ),
    max_size=40,
)


@given(HAPPENINGS, st.integers(1, 4), st.integers(1, 3))
def test_whatever_happens_each_call_and_the_turn_end_once(happenings, max_rounds, parallel):
    turn = machine(max_rounds=max_rounds, parallel=parallel)
    commands = [c for happened in [*happenings, Stopped("cancelled")] for c in turn.feed(happened)]
    events = [c.event for c in commands if isinstance(c, Append)]
    assert [e.kind for e in events].count("turn-end") == 1
    assert events[-1].kind == "turn-end"
    assert commands[-1] == Flush()
    called = [e.call for e in events if e.kind == "tool-call"]
    started = [e.call for e in events if e.kind == "tool-start"]
    ended = [e.call for e in events if e.kind in {"tool-result", "ui", "tool-error"}]
    assert sorted(ended) == sorted(called)
    assert len(set(called)) == len(called)
    assert set(started) <= set(called)
    assert sum(isinstance(c, Ask) for c in commands) < max_rounds
    assert sum(isinstance(c, StopWork) for c in commands) <= 1


@given(HAPPENINGS)
def test_a_delta_answers_with_appends_alone(happenings):
    turn = machine()
    for happened in happenings:
        commands = turn.feed(happened)
        if isinstance(happened, TextDelta | ReasoningDelta):
            assert all(isinstance(command, Append) for command in commands)
