"""Every fault that `llmock` can inject, in front of a real turn, on both wire formats."""

from typing import Any

import pytest

from litro.providers.timeouts import Timeouts
from zoo.keeping import FORMATS, LONG, WHERE, Llmock
from zoo.speaking import MakeTalk, Talk, Turn

pytestmark = pytest.mark.zoo

QUESTION = "What is the weather in Lisbon?"
IMPATIENT = Timeouts(first_token=0.4, between_tokens=0.4)
REFUSALS = dict.fromkeys((400, 401, 403, 404, 413, 422), "refused")
PASSING = {
    408: "refused",
    409: "refused",
    429: "rate-limited",
    500: "provider",
    502: "provider",
    503: "overloaded",
    504: "provider",
    529: "overloaded",
}
CUTS = ("disconnect", "truncate", "malformed")
SAYS = {"type": "reply", "text": LONG}
CALLS = {"type": "reply", "tool_calls": [WHERE]}

both = pytest.mark.parametrize("wire", FORMATS)


def fails(status: int, **more: Any) -> dict[str, Any]:
    return {"type": "fail", "status": status} | more


def breaks(kind: str, after: int, **more: Any) -> dict[str, Any]:
    return {"type": "stream_fault", "kind": kind, "after_chunks": after} | more


async def the_next_turn_works(talk: Talk, llmock: Llmock) -> None:
    llmock.reset()
    before = len(talk.asked_for)
    went_well(await talk.say(QUESTION), "get-weather")
    assert len(talk.asked_for) == before + 1


def went_well(turn: Turn, *calls: str) -> None:
    assert (turn.status, turn.error, turn.tool_errors) == ("completed", None, [])
    assert tuple(call["name"] for call in turn.all("tool-call")) == calls
    assert turn.text


@both
@pytest.mark.parametrize(("status", "error"), [*REFUSALS.items()])
async def test_a_refusal_fails_the_turn_and_is_not_sent_again(
    talk: MakeTalk, llmock: Llmock, wire: str, status: int, error: str
) -> None:
    one = talk(llmock.model(wire))
    llmock.misbehave(fails(status))

    turn = await one.say(QUESTION)

    assert (turn.status, turn.error, turn.text) == ("failed", error, "")
    assert llmock.requests() == 1
    await the_next_turn_works(one, llmock)


@both
@pytest.mark.parametrize(("status", "error"), [*PASSING.items()])
async def test_a_failure_that_stays_fails_the_turn_after_two_retries(
    talk: MakeTalk, llmock: Llmock, wire: str, status: int, error: str
) -> None:
    one = talk(llmock.model(wire))
    llmock.misbehave(fails(status))

    turn = await one.say(QUESTION)

    assert (turn.status, turn.error, turn.text) == ("failed", error, "")
    assert llmock.requests() == 3
    assert llmock.reproaches() == []
    await the_next_turn_works(one, llmock)


@both
@pytest.mark.parametrize("status", [*PASSING])
async def test_a_failure_that_passes_is_not_noticed(
    talk: MakeTalk, llmock: Llmock, wire: str, status: int
) -> None:
    one = talk(llmock.model(wire))
    llmock.misbehave(fails(status), times=1)

    went_well(await one.say(QUESTION), "get-weather")

    assert llmock.requests() == 3
    assert llmock.reproaches() == []


@both
@pytest.mark.parametrize("status", [429, 503, 529])
async def test_a_retry_waits_for_as_long_as_the_server_asks(
    talk: MakeTalk, llmock: Llmock, wire: str, status: int
) -> None:
    one = talk(llmock.model(wire))
    llmock.misbehave(fails(status, retry_after=1), times=1)

    went_well(await one.say(QUESTION), "get-weather")

    assert llmock.reproaches() == []


@both
@pytest.mark.parametrize("kind", CUTS)
async def test_text_that_breaks_off_is_kept_and_the_turn_fails(
    talk: MakeTalk, llmock: Llmock, wire: str, kind: str
) -> None:
    one = talk(llmock.model(wire))
    llmock.misbehave(SAYS, breaks(kind, after=6))

    turn = await one.say(QUESTION)

    assert (turn.status, turn.error) == ("failed", "stream-incomplete")
    assert LONG.startswith(turn.text)
    assert "" < turn.text < LONG
    assert llmock.requests() == 1
    await the_next_turn_works(one, llmock)


@both
@pytest.mark.parametrize("kind", CUTS)
@pytest.mark.parametrize("after", [0, 1, 2, 3])
async def test_half_a_call_never_runs(
    talk: MakeTalk, llmock: Llmock, wire: str, kind: str, after: int
) -> None:
    one = talk(llmock.model(wire))
    llmock.misbehave(CALLS, breaks(kind, after))

    turn = await one.say(QUESTION)

    assert (turn.status, turn.error) == ("failed", "stream-incomplete")
    assert turn.all("tool-call") == []
    assert one.asked_for == []
    await the_next_turn_works(one, llmock)


@both
@pytest.mark.parametrize("kind", CUTS)
async def test_half_a_call_is_asked_for_again_and_then_runs_once(
    talk: MakeTalk, llmock: Llmock, wire: str, kind: str
) -> None:
    one = talk(llmock.model(wire))
    llmock.misbehave(CALLS, breaks(kind, after=3), times=1)

    went_well(await one.say(QUESTION), "get-weather")

    assert len(one.asked_for) == 1


@both
async def test_a_stall_inside_text_is_a_timeout_with_the_text_kept(
    talk: MakeTalk, llmock: Llmock, wire: str
) -> None:
    one = talk(llmock.model(wire, timeouts=IMPATIENT))
    llmock.misbehave(SAYS, breaks("stall", after=6, stall_seconds=30))

    turn = await one.say(QUESTION)

    assert (turn.status, turn.error) == ("failed", "timeout")
    assert "" < turn.text < LONG
    await the_next_turn_works(one, llmock)


@both
@pytest.mark.parametrize(
    "fault",
    [
        {"type": "delay", "seconds": 30},
        {"type": "slow_first_token", "seconds": 30},
        breaks("stall", after=0, stall_seconds=30),
    ],
    ids=lambda fault: fault.get("kind", fault["type"]),
)
async def test_silence_before_the_first_token_is_waited_for_and_asked_again(
    talk: MakeTalk, llmock: Llmock, wire: str, fault: dict[str, Any]
) -> None:
    one = talk(llmock.model(wire, timeouts=IMPATIENT))
    llmock.misbehave(fault, times=1)

    went_well(await one.say(QUESTION), "get-weather")

    llmock.misbehave(fault)
    turn = await one.say(QUESTION)
    assert (turn.status, turn.error) == ("failed", "timeout")
    await the_next_turn_works(one, llmock)


@both
@pytest.mark.parametrize(
    "fault",
    [
        {"type": "delay", "seconds": 0.2},
        {"type": "slow_first_token", "seconds": 0.2},
        *(breaks("stall", after, stall_seconds=0.2) for after in range(6)),
    ],
    ids=lambda fault: "-".join(str(value) for value in fault.values()),
)
async def test_a_slow_answer_is_an_answer(
    talk: MakeTalk, llmock: Llmock, wire: str, fault: dict[str, Any]
) -> None:
    one = talk(llmock.model(wire))
    llmock.misbehave(fault, times=1)

    went_well(await one.say(QUESTION), "get-weather")

    assert llmock.requests() == 2


@both
@pytest.mark.parametrize(
    ("kind", "error"),
    [("malformed_arguments", "invalid-input"), ("unknown_tool", "unknown-tool")],
)
async def test_a_call_that_cannot_run_is_the_models_to_mend(
    talk: MakeTalk, llmock: Llmock, wire: str, kind: str, error: str
) -> None:
    one = talk(llmock.model(wire))
    llmock.misbehave({"type": "tool_fault", "kind": kind}, times=1)

    turn = await one.say(QUESTION)

    assert (turn.status, turn.tool_errors) == ("completed", [error])
    assert one.asked_for == []
    await the_next_turn_works(one, llmock)


@both
@pytest.mark.parametrize("quota", [("--rpm", "2"), ("--tpm", "9000")])
async def test_a_spent_quota_fails_the_turn_until_there_is_some_again(
    talk: MakeTalk, serve_llmock: Any, wire: str, quota: tuple[str, str]
) -> None:
    with serve_llmock(*quota) as llmock:
        # Each of the two rounds is charged for the tokens that it may make.
        one = talk(llmock.model(wire, retries=0, max_tokens=4096))
        went_well(await one.say(QUESTION), "get-weather")

        turn = await one.say(QUESTION)

        assert (turn.status, turn.error) == ("failed", "rate-limited")
        await the_next_turn_works(one, llmock)


@both
async def test_too_long_a_conversation_is_told_apart_from_other_refusals(
    talk: MakeTalk, serve_llmock: Any, wire: str
) -> None:
    with serve_llmock("--context-window", "60") as llmock:
        one = talk(llmock.model(wire))

        turn = await one.say("word " * 100)

        assert (turn.status, turn.error) == ("failed", "context-too-long")
        assert llmock.requests() == 1
        # The text is in this session's history, so another one goes on.
        went_well(await one.say(QUESTION, session="s2"), "get-weather")
