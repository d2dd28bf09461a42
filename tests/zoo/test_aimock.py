"""`@copilotkit/aimock` in front of a real turn, on both wire formats: its answers, and its faults."""

import pytest

from zoo.keeping import FORMATS, LONG, Aimock
from zoo.speaking import MakeTalk, Talk

pytestmark = pytest.mark.zoo

FAILURES = {
    "too fast": "rate-limited",
    "overload": "overloaded",
    "who are you": "refused",
    "war and peace": "context-too-long",
    "drop": "provider",
    "garble": "provider",
    "hang up": "unreachable",
    "call then break": "stream-incomplete",
}

both = pytest.mark.parametrize("wire", FORMATS)


async def the_next_turn_works(talk: Talk) -> None:
    turn = await talk.say("And now?")
    assert (turn.status, turn.text) == ("completed", "All is well.")


@both
async def test_two_calls_of_one_round_run_and_their_results_are_answered(
    talk: MakeTalk, aimock: Aimock, wire: str
) -> None:
    one = talk(aimock.model(wire))

    turn = await one.say("two cities")

    assert (turn.status, turn.text) == ("completed", "Looking. 21 degrees in both ☀️.")
    assert sorted(one.asked_for) == ["Lisbon", "Oslo"]
    await the_next_turn_works(one)


@both
async def test_reasoning_is_a_channel_of_its_own(talk: MakeTalk, aimock: Aimock, wire: str) -> None:
    one = talk(aimock.model(wire))

    turn = await one.say("think")

    assert (turn.status, turn.text) == ("completed", "Thought.")
    assert "".join(d["text"] for d in turn.all("reasoning-delta")) == "Hm, let me see."
    await the_next_turn_works(one)


@both
@pytest.mark.parametrize(("question", "error"), [*FAILURES.items()])
async def test_a_fault_fails_the_turn_with_its_type_and_runs_nothing(
    talk: MakeTalk, aimock: Aimock, wire: str, question: str, error: str
) -> None:
    one = talk(aimock.model(wire))

    turn = await one.say(question)

    assert (turn.status, turn.error, turn.text) == ("failed", error, "")
    assert one.asked_for == []
    await the_next_turn_works(one)


@both
@pytest.mark.parametrize("question", ["count then break", "count then vanish"])
async def test_text_that_breaks_off_is_kept(
    talk: MakeTalk, aimock: Aimock, wire: str, question: str
) -> None:
    one = talk(aimock.model(wire))

    turn = await one.say(question)

    assert (turn.status, turn.error) == ("failed", "stream-incomplete")
    assert "" < turn.text < LONG
    assert LONG.startswith(turn.text)
    await the_next_turn_works(one)
