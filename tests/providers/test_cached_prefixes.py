"""Requests that servers can answer from their prompt caches: each begins with the bytes of the one before."""

import os
import subprocess
import sys
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litro.encoding import encode_value
from litro.providers import anthropic
from litro.providers.base import (
    AssistantMessage,
    CallMade,
    CallResult,
    Message,
    ModelRequest,
    ResultsMessage,
    ToolSpec,
    UserMessage,
)
from litro.providers.chat_request import chat_body
from litro.providers.messages_request import messages_body
from litro.testing.requests import check_messages_request
from providers.loopback import serving, streams
from providers.sse_fixtures import BEGUN, ended

MARK = {"type": "ephemeral"}
TOOLS = tuple(
    ToolSpec(name=name, description="", input_schema={"type": "object"}) for name in ("b", "a")
)
THINKING = {"type": "thinking", "thinking": "hm", "signature": "S"}
THOUGHT = {"model": "m", "content": [THINKING, {"call": True}]}


def request(*messages: Message, system: str = "Be brief.") -> ModelRequest:
    return ModelRequest(system=system, messages=messages, tools=TOOLS)


def chat(asked: ModelRequest) -> bytes:
    return encode_value(chat_body(asked, model="m", options={"temperature": 0}, extra={"seed": 1}))


def messages(asked: ModelRequest, **options: Any) -> dict[str, Any]:
    options = {"cache": True} | options
    body = messages_body(asked, model="m", options={"max_tokens": 9}, extra={}, **options)
    check_messages_request(body)
    return body


@st.composite
def rounds(draw: st.DrawFn) -> list[ModelRequest]:
    """The requests of a session, one for each round."""
    said: list[Message] = [UserMessage("hi")]
    requests = [request(*said)]
    for n in range(draw(st.integers(1, 6))):
        names = draw(st.lists(st.sampled_from("ab"), max_size=3))
        calls = tuple(
            CallMade(
                id=f"t1c{n}{i}", name=name, input=draw(st.sampled_from([{}, {"z": 1, "a": 2}]))
            )
            for i, name in enumerate(names)
        )
        replay = THOUGHT if len(calls) == 1 and draw(st.booleans()) else None
        said.append(AssistantMessage(text="So.", calls=calls, replay=replay))
        ended = tuple(CallResult(id=c.id, name=c.name, content="x") for c in calls)
        said.append(ResultsMessage(ended) if calls else UserMessage("and?"))
        requests.append(request(*said))
    return requests


def counted(body: dict[str, Any]) -> tuple[bytes, bytes]:
    """Tools and instructions, and then the conversation's blocks one by one: what the API compares, marks aside."""

    def plain(block: dict[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in block.items() if key != "cache_control"}

    head = [*map(plain, body["tools"]), *map(plain, body["system"])]
    blocks = [(m["role"], plain(block)) for m in body["messages"] for block in m["content"]]
    return encode_value(head), encode_value(blocks)[:-1]


@settings(deadline=None)
@given(rounds())
def test_a_round_in_chat_completions_only_adds_bytes_to_the_one_before(
    requests: list[ModelRequest],
) -> None:
    sent = [chat(asked) for asked in requests]

    for before, after in pairwise(sent):
        assert before.endswith(b"]}")
        assert after.startswith(before[:-2] + b",")


@settings(deadline=None)
@given(rounds())
def test_a_round_in_messages_only_adds_blocks_to_the_one_before(
    requests: list[ModelRequest],
) -> None:
    sent = [counted(messages(asked)) for asked in requests]

    for before, after in pairwise(sent):
        assert after[0] == before[0]
        assert after[1].startswith(before[1] + b",")


@settings(deadline=None)
@given(rounds())
def test_marks_stand_after_tools_instructions_and_the_last_message_only(
    requests: list[ModelRequest],
) -> None:
    for asked in requests:
        body = messages(asked)
        assert body["tools"][-1]["cache_control"] == MARK
        assert body["system"][-1]["cache_control"] == MARK
        assert body["messages"][-1]["content"][-1]["cache_control"] == MARK
        assert encode_value(body).count(b"cache_control") == 3


def test_a_block_of_a_kind_that_is_not_known_gets_no_mark() -> None:
    mystery = {"type": "mystery"}
    spoken = AssistantMessage(text="", replay={"model": "m", "content": [mystery]})

    body = messages(request(UserMessage("hi"), spoken))

    assert body["messages"][-1]["content"] == [mystery]


def test_marks_change_nothing_that_the_session_holds() -> None:
    said = {"type": "text", "text": "So."}
    spoken = AssistantMessage(text="So.", replay={"model": "m", "content": [said]})

    body = messages(request(UserMessage("hi"), spoken))

    assert body["messages"][-1]["content"] == [{**said, "cache_control": MARK}]
    assert said == {"type": "text", "text": "So."}


async def test_marks_are_made_unless_they_are_switched_off() -> None:
    async with serving(streams(BEGUN + ended("end_turn"))) as server:
        for options in ({}, {"cache": False}):
            model = anthropic("m", base_url=server.url, api_key="k", **options)
            async for _ in model.stream(request(UserMessage("hi"))):
                pass
            await model.aclose()

    marked, plain = (asked.body for asked in server.asked)
    assert marked["system"] == [{"type": "text", "text": "Be brief.", "cache_control": MARK}]
    assert b"cache_control" not in encode_value(plain)
    assert plain["system"] == "Be brief."


def test_where_there_is_nothing_to_mark_nothing_is_marked() -> None:
    asked = ModelRequest(system="", messages=(UserMessage("hi"),))

    body = messages(asked)

    assert {"tools", "system"}.isdisjoint(body)
    assert encode_value(body).count(b"cache_control") == 1


PROGRAM = """
import sys
from litro.providers.base import ModelRequest, ToolSpec, UserMessage
from litro.providers.chat_request import chat_body
from litro.providers.messages_request import messages_body
from litro.encoding import encode_value

schema = {"type": "object", "properties": {"z": {}, "a": {}}, "required": ["z", "a"]}
tools = [ToolSpec(name=n, description="", input_schema=schema) for n in {"c", "a", "b"}]
asked = ModelRequest(system="s", messages=(UserMessage("hi"),), tools=tuple(tools))
for body in (chat_body, messages_body):
    sys.stdout.buffer.write(encode_value(body(asked, model="m", options={}, extra={"y": 1, "b": 2})))
"""


def test_equal_requests_of_two_processes_have_equal_bytes() -> None:
    def sent(seed: str) -> bytes:
        return subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout

    one = sent("1")
    assert one == sent("2")
    assert one.index(b'"z"') < one.index(b'"a":{}')


@pytest.mark.parametrize("body", [chat_body, messages_body])
def test_the_messages_come_last_also_after_the_users_own_keys(body: Any) -> None:
    sent = body(request(UserMessage("hi")), model="m", options={}, extra={"top_k": 3, "model": "n"})

    assert list(sent)[-1] == "messages"
    own = body(request(UserMessage("hi")), model="m", options={}, extra={"messages": []})
    assert own["messages"] == []
