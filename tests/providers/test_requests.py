"""What each format's server is sent for a conversation. The properties at the end refuse what real servers refuse."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litro.encoding import encode_value
from litro.providers.base import (
    AssistantMessage,
    CallMade,
    CallResult,
    Finished,
    Message,
    ModelRequest,
    ResultsMessage,
    ToolSpec,
    UserMessage,
)
from litro.providers.chat_answer import ChatAnswer
from litro.providers.chat_request import chat_body
from litro.providers.messages_answer import MessagesAnswer
from litro.providers.messages_request import messages_body
from litro.testing.requests import check_chat_request, check_messages_request
from providers.reading import Heard, read
from providers.sse_fixtures import CHAT, MESSAGES, SIGNED

ROME = CallMade(id="c1", name="get-weather", input={"city": "Rome"})
OSLO = CallMade(id="c2", name="get-weather", input={"city": "Oslo"})
SPEC = ToolSpec(name="get-weather", description="Weather.", input_schema={"type": "object"})


def results(*calls: CallMade, content: str = "sunny", failed: bool = False) -> ResultsMessage:
    return ResultsMessage(
        tuple(CallResult(id=c.id, name=c.name, content=content, failed=failed) for c in calls)
    )


def chat(*messages: Message, **fields: Any) -> dict[str, Any]:
    request = ModelRequest(**{"system": "Be brief.", "messages": messages} | fields)
    body = chat_body(request, model="m", options={}, extra={})
    check_chat_request(json.loads(encode_value(body)))
    return body


def messages_of(*messages: Message, **fields: Any) -> dict[str, Any]:
    request = ModelRequest(**{"system": "Be brief.", "messages": messages} | fields)
    body = messages_body(request, model="m", options={"max_tokens": 9}, extra={})
    check_messages_request(json.loads(encode_value(body)))
    return body


CONVERSATION = (
    UserMessage("weather?"),
    AssistantMessage(text="Checking.", calls=(ROME, OSLO)),
    results(ROME, OSLO),
    AssistantMessage(text="Sunny."),
    UserMessage("thanks"),
)


def test_a_conversation_in_chat_completions() -> None:
    body = chat(*CONVERSATION, tools=(SPEC,))

    def called(id: str, city: str) -> dict[str, Any]:  # noqa: A002
        function = {"name": "get-weather", "arguments": f'{{"city":"{city}"}}'}
        return {"id": id, "type": "function", "function": function}

    assert body == {
        "model": "m",
        "stream": True,
        "stream_options": {"include_usage": True},
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "weather?"},
            {
                "role": "assistant",
                "content": "Checking.",
                "tool_calls": [called("c1", "Rome"), called("c2", "Oslo")],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "sunny"},
            {"role": "tool", "tool_call_id": "c2", "content": "sunny"},
            {"role": "assistant", "content": "Sunny."},
            {"role": "user", "content": "thanks"},
        ],
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "get-weather",
                    "description": "Weather.",
                    "parameters": {"type": "object"},
                },
            }
        ],
    }


def test_a_conversation_in_messages() -> None:
    body = messages_of(*CONVERSATION, tools=(SPEC,))

    def used(id: str, city: str) -> dict[str, Any]:  # noqa: A002
        return {"type": "tool_use", "id": id, "name": "get-weather", "input": {"city": city}}

    assert body == {
        "model": "m",
        "stream": True,
        "system": "Be brief.",
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "weather?"}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "Checking."},
                    used("c1", "Rome"),
                    used("c2", "Oslo"),
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "c1", "content": "sunny"},
                    {"type": "tool_result", "tool_use_id": "c2", "content": "sunny"},
                ],
            },
            {"role": "assistant", "content": [{"type": "text", "text": "Sunny."}]},
            {"role": "user", "content": [{"type": "text", "text": "thanks"}]},
        ],
        "tools": [
            {"name": "get-weather", "description": "Weather.", "input_schema": {"type": "object"}}
        ],
        "max_tokens": 9,
    }


@pytest.mark.parametrize("body", [chat, messages_of])
def test_neither_tools_nor_system_are_sent_where_there_are_none(body: Any) -> None:
    sent = body(UserMessage("hi"), system=" ")

    assert "tools" not in sent
    assert "system" not in json.dumps(sent)


@pytest.mark.parametrize("body", [chat_body, messages_body])
def test_the_users_own_keys_win_and_none_takes_a_key_away(body: Any) -> None:
    sent = body(
        ModelRequest(system="", messages=(UserMessage("hi"),)),
        model="m",
        options={"temperature": 0, "max_tokens": None},
        extra={"temperature": 1, "top_k": 3, "stream_options": None, "model": "n"},
    )

    assert {"max_tokens", "stream_options"}.isdisjoint(sent)
    assert (sent["temperature"], sent["top_k"], sent["model"]) == (1, 3, "n")


@pytest.mark.parametrize("body", [chat, messages_of])
def test_tools_are_sorted_so_that_equal_requests_have_equal_bytes(body: Any) -> None:
    specs = [ToolSpec(name=name, description="", input_schema={"type": "object"}) for name in "bca"]

    one = body(UserMessage("hi"), tools=tuple(specs))

    assert encode_value(one) == encode_value(body(UserMessage("hi"), tools=tuple(reversed(specs))))


@pytest.mark.parametrize(
    ("input_", "arguments"),
    [
        ({}, {}),
        (None, {}),
        ("", {}),
        ('{"city":', {"invalid_arguments": '{"city":'}),
        ([1], {"invalid_arguments": [1]}),
    ],
)
def test_arguments_in_history_are_always_an_object(input_: Any, arguments: Any) -> None:
    call = CallMade(id="c1", name="x", input=input_)
    history = (UserMessage("hi"), AssistantMessage(text="", calls=(call,)), results(call))

    sent = chat(*history)["messages"][2]
    assert sent["content"] is None
    assert json.loads(sent["tool_calls"][0]["function"]["arguments"]) == arguments
    assert messages_of(*history)["messages"][1]["content"][0]["input"] == arguments


def test_an_empty_result_and_an_empty_question_say_so() -> None:
    history = (
        UserMessage(" "),
        AssistantMessage(text="", calls=(ROME,)),
        results(ROME, content=""),
    )

    assert [m["content"] for m in chat(*history)["messages"][1:]] == ["(empty)", None, "(empty)"]
    question, _, result = messages_of(*history)["messages"]
    assert question["content"] == [{"type": "text", "text": "(empty)"}]
    assert result["content"][0]["content"] == "(empty)"


def test_a_failed_call_is_marked_where_the_format_has_a_mark() -> None:
    sent = messages_of(
        UserMessage("hi"), AssistantMessage(text="", calls=(ROME,)), results(ROME, failed=True)
    )

    assert sent["messages"][2]["content"][0]["is_error"] is True


def test_what_the_user_adds_comes_after_the_results_in_one_message() -> None:
    sent = messages_of(
        UserMessage("a"),
        UserMessage("b"),
        AssistantMessage(text="", calls=(ROME, OSLO)),
        results(ROME, OSLO),
        UserMessage("c"),
    )["messages"]

    kinds = [[block["type"] for block in message["content"]] for message in sent]
    assert kinds == [["text", "text"], ["tool_use"] * 2, ["tool_result", "tool_result", "text"]]


def finished(heard: Heard) -> Any:
    assert isinstance(heard.events[-1], Finished)
    return heard.events[-1].replay


def test_thinking_goes_back_byte_for_byte_and_first() -> None:
    replay = finished(read(MessagesAnswer("m"), MESSAGES["C33 thinking with its signature"].body))
    spoken = AssistantMessage(text="So: ", calls=(ROME,), replay=replay)

    sent = messages_of(UserMessage("hi"), spoken, results(ROME))["messages"][1]["content"]

    assert encode_value(sent[:2]) == (
        b'[{"type":"thinking","thinking":"hm","signature":"SIG=="},'
        b'{"type":"redacted_thinking","data":"ENC"}]'
    )
    assert [block["type"] for block in sent[2:]] == ["text", "tool_use"]
    assert sent[3]["id"] == "c1"


def test_keys_of_a_call_that_the_server_wants_back_go_back() -> None:
    replay = finished(read(ChatAnswer("m"), CHAT["C08 keys that are wanted back, later"].body))
    spoken = AssistantMessage(text="", calls=(ROME, OSLO), replay=replay)

    sent = chat(UserMessage("hi"), spoken, results(ROME, OSLO))["messages"][2]["tool_calls"]

    assert [call.get("extra_content") for call in sent] == [SIGNED, None]
    assert [call["id"] for call in sent] == ["c1", "c2"]


def test_reasoning_goes_back_within_its_turn_only() -> None:
    replay = finished(read(ChatAnswer("m"), CHAT["C23 reasoning before a call"].body))
    history = (
        UserMessage("hi"),
        AssistantMessage(text="", calls=(ROME,), replay=replay),
        results(ROME),
    )

    assert chat(*history)["messages"][2]["reasoning_content"] == "hm"
    later = chat(*history, AssistantMessage(text="Sunny."), UserMessage("thanks"))
    assert "reasoning_content" not in json.dumps(later)


def test_state_of_another_model_stays_home() -> None:
    for stream, answer, body in (
        (MESSAGES["C33 thinking with its signature"], MessagesAnswer("other"), messages_of),
        (CHAT["C23 reasoning before a call"], ChatAnswer("other"), chat),
    ):
        spoken = AssistantMessage(
            text="", calls=(ROME,), replay=finished(read(answer, stream.body))
        )
        sent = json.dumps(body(UserMessage("hi"), spoken, results(ROME)))
        assert "hm" not in sent
        assert "get-weather" in sent


texts = st.sampled_from(["", " ", "a", "\ud83d"])
replays = st.sampled_from(
    [
        None,
        {},
        [],
        {"model": "m"},
        {"model": "m", "calls": [{}], "content": [{"call": True}]},
        {"model": "m", "calls": [{"extra_content": 1}] * 2, "reasoning": {"reasoning": "r"}},
    ]
)


@st.composite
def conversations(draw: st.DrawFn) -> tuple[Message, ...]:
    """Every conversation that the port allows."""
    messages: list[Message] = [UserMessage(draw(texts))]
    for turn in range(draw(st.integers(0, 5))):
        if draw(st.booleans()):
            messages.append(UserMessage(draw(texts)))
            continue
        inputs = draw(st.lists(st.sampled_from([{}, {"a": 1}, "{", "", None, [1]]), max_size=2))
        calls = tuple(CallMade(id=f"c{turn}{i}", name="t", input=x) for i, x in enumerate(inputs))
        text = draw(texts) if calls else "a"
        messages.append(AssistantMessage(text=text, calls=calls, replay=draw(replays)))
        if calls:
            messages.append(results(*calls, content=draw(texts)))
    return tuple(messages)


@settings(deadline=None)
@given(messages=conversations())
def test_no_server_has_a_reason_to_refuse_a_conversation_in_chat_completions(
    messages: tuple[Message, ...],
) -> None:
    sent = json.loads(encode_value(chat(*messages)))["messages"]

    open_calls: list[str] = []
    for before, message in zip([None, *sent], sent, strict=False):
        if message["role"] == "tool":
            assert message["tool_call_id"] == open_calls.pop(0)
        else:
            assert open_calls == []
            assert before is None or message["role"] != "user" or before["role"] != "user"
        assert message.get("tool_calls") or message["content"].strip()
        for call in message.get("tool_calls", []):
            assert isinstance(json.loads(call["function"]["arguments"]), dict)
            open_calls.append(call["id"])
    assert open_calls == []


@settings(deadline=None)
@given(messages=conversations())
def test_no_server_has_a_reason_to_refuse_a_conversation_in_messages(
    messages: tuple[Message, ...],
) -> None:
    sent = json.loads(encode_value(messages_of(*messages)))["messages"]

    assert [m["role"] for m in sent] == [["user", "assistant"][i % 2] for i in range(len(sent))]
    used: list[str] = []
    for message in sent:
        blocks = message["content"]
        assert blocks
        assert all(b["type"] != "text" or b["text"].strip() for b in blocks)
        assert [b["tool_use_id"] for b in blocks if b["type"] == "tool_result"] == used
        assert all(b["type"] == "tool_result" for b in blocks[: len(used)])
        used = [b["id"] for b in blocks if b["type"] == "tool_use"]
        assert all(isinstance(b["input"], dict) for b in blocks if b["type"] == "tool_use")
    assert used == []
