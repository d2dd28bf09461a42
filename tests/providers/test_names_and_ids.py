"""Names and ids in the forms that servers insist on."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litro.discovery.scan import TOOL_NAME
from litro.providers.base import (
    AssistantMessage,
    CallMade,
    CallResult,
    ModelRequest,
    ResultsMessage,
    ToolCall,
    ToolSpec,
    UserMessage,
)
from litro.providers.call_ids import short_id
from litro.providers.chat_answer import ChatAnswer
from litro.providers.chat_request import chat_body
from litro.providers.messages_answer import MessagesAnswer
from litro.providers.messages_request import messages_body
from providers.reading import read
from providers.sse_fixtures import CHAT, MESSAGES

OPENAI_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
ANTHROPIC_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
ANTHROPIC_ID = re.compile(r"[a-zA-Z0-9_-]+")
MISTRAL_ID = re.compile(r"[A-Za-z0-9]{9}")

ours = st.builds(
    lambda turn, number: f"t{turn}c{number}",
    st.integers(0, 36**5 - 1),
    st.integers(0, 36**4 - 1),
)
few = st.builds(lambda turn, number: f"t{turn}c{number}", st.integers(0, 2), st.integers(0, 2))
anyones = st.one_of(
    ours,
    few,
    st.from_regex(r"t[0-9]{1,12}c[0-9]{1,12}", fullmatch=True),
    st.from_regex(r"x{0,3}[0-9a-z]{8,10}", fullmatch=True),
    few.map(short_id),
    few.map(lambda id_: "x" + short_id(id_)),
    st.text(),
)


def conversation(name: str, *ids: str) -> ModelRequest:
    made = tuple(CallMade(id=id_, name=name, input={}) for id_ in ids)
    ended = tuple(CallResult(id=id_, name=name, content=id_) for id_ in ids)
    return ModelRequest(
        system="",
        messages=(UserMessage("hi"), AssistantMessage(text="", calls=made), ResultsMessage(ended)),
        tools=(ToolSpec(name=name, description="", input_schema={"type": "object"}),),
    )


def bodies(request: ModelRequest) -> tuple[dict[str, Any], dict[str, Any]]:
    return (
        chat_body(request, model="m", options={}, extra={}),
        messages_body(request, model="m", options={}, extra={}),
    )


@given(st.from_regex(TOOL_NAME, fullmatch=True))
def test_every_legal_tool_name_is_one_that_both_apis_take_as_it_is(name: str) -> None:
    chat, messages = bodies(conversation(name, "t1c1"))

    assert OPENAI_NAME.fullmatch(name)
    assert ANTHROPIC_NAME.fullmatch(name)
    assert chat["tools"][0]["function"]["name"] == name
    assert chat["messages"][1]["tool_calls"][0]["function"]["name"] == name
    assert messages["tools"][0]["name"] == name
    assert messages["messages"][1]["content"][0]["name"] == name


@pytest.mark.parametrize(
    ("answer", "fixtures"), [(ChatAnswer("m"), CHAT), (MessagesAnswer("m"), MESSAGES)]
)
def test_the_name_that_comes_back_is_the_name_that_was_sent(answer: Any, fixtures: Any) -> None:
    stream = next(s for s in fixtures.values() if b"get-weather" in s.body)

    [call, *_] = read(answer, stream.body).all(ToolCall)

    assert call.name == "get-weather"


@given(ours)
def test_an_id_of_ours_is_nine_letters_and_digits(id_: str) -> None:
    assert MISTRAL_ID.fullmatch(short_id(id_))


@given(anyones, anyones)
def test_two_ids_never_become_one(one: str, other: str) -> None:
    assert (short_id(one) == short_id(other)) == (one == other)


@pytest.mark.parametrize(
    ("id_", "sent"),
    [
        ("t12c3", "0000c0003"),
        ("t0c0", "000000000"),
        ("t60466175c1679615", "zzzzzzzzz"),
        ("t60466176c1", "t60466176c1"),
        ("t1c1679616", "t1c1679616"),
        ("t01c3", "t01c3"),
        ("toolu_01ABC", "toolu_01ABC"),
        ("0000c0003", "x0000c0003"),
        ("x0000c0003", "xx0000c0003"),
    ],
)
def test_an_id_that_is_not_ours_stays_unless_it_could_be_mistaken(id_: str, sent: str) -> None:
    assert short_id(id_) == sent


@given(st.lists(ours, min_size=1, max_size=5, unique=True))
def test_a_call_and_its_result_share_an_id_in_every_request(ids: list[str]) -> None:
    chat, messages = bodies(conversation("x", *ids))

    made = [call["id"] for call in chat["messages"][1]["tool_calls"]]
    ended = {m["tool_call_id"]: m["content"] for m in chat["messages"][2:]}
    assert [ended[sent] for sent in made] == ids
    assert all(MISTRAL_ID.fullmatch(sent) for sent in made)
    used, results = (message["content"] for message in messages["messages"][1:])
    assert [b["id"] for b in used] == [b["tool_use_id"] for b in results] == ids
    assert all(ANTHROPIC_ID.fullmatch(id_) for id_ in ids)
