"""What a round is told beside the conversation: whether to call a tool, and where to stop."""

from typing import Any

import pytest

from litro.errors import ProviderError
from litro.providers import anthropic, openai_compatible
from litro.providers.base import (
    AssistantMessage,
    CallMade,
    CallResult,
    Finished,
    Message,
    ModelRequest,
    ResultsMessage,
    TextDelta,
    ToolSpec,
    UserMessage,
)
from providers.loopback import serving, streams
from providers.sse_fixtures import BEGUN, STOP, ended, text_block

TOOLS = tuple(
    ToolSpec(name=name, description="", input_schema={"type": "object"}) for name in ("add", "sub")
)
ASKED = (UserMessage("1 + 1?"),)
ANSWERED = (
    *ASKED,
    AssistantMessage(text="", calls=(CallMade(id="t1c1", name="add", input={}),)),
    ResultsMessage((CallResult(id="t1c1", name="add", content="2"),)),
)


async def sent(
    make: Any,
    *,
    messages: tuple[Message, ...] = ASKED,
    tools: tuple[ToolSpec, ...] = TOOLS,
    **options: Any,
) -> dict[str, Any]:
    answer = STOP if make is openai_compatible else BEGUN + ended("end_turn")
    async with serving(streams(answer)) as server:
        model = make("m", base_url=server.url, api_key="k", **options)
        async for _ in model.stream(ModelRequest(system="", messages=messages, tools=tools)):
            pass
        await model.aclose()
    return server.asked[0].body


@pytest.mark.parametrize(
    ("choice", "chat", "messages"),
    [
        ("auto", "auto", {"type": "auto"}),
        ("required", "required", {"type": "any"}),
        ("none", "none", {"type": "none"}),
        (
            "add",
            {"type": "function", "function": {"name": "add"}},
            {"type": "tool", "name": "add"},
        ),
    ],
)
async def test_a_choice_is_said_in_each_formats_words(
    choice: str, chat: Any, messages: Any
) -> None:
    assert (await sent(openai_compatible, tool_choice=choice))["tool_choice"] == chat
    assert (await sent(anthropic, tool_choice=choice))["tool_choice"] == messages


@pytest.mark.parametrize("make", [openai_compatible, anthropic])
async def test_nothing_is_said_where_nothing_was_chosen_or_there_is_no_tool(make: Any) -> None:
    assert "tool_choice" not in await sent(make)
    assert "tool_choice" not in await sent(make, tool_choice="required", tools=())


@pytest.mark.parametrize("choice", ["required", "add"])
async def test_a_call_is_demanded_once_a_turn(choice: str) -> None:
    for make, free in ((openai_compatible, "auto"), (anthropic, {"type": "auto"})):
        body = await sent(make, tool_choice=choice, messages=ANSWERED)
        assert body["tool_choice"] == free
        again = await sent(make, tool_choice=choice, messages=(*ANSWERED, UserMessage("2 + 2?")))
        assert again["tool_choice"] != free


async def test_no_calls_stay_no_calls_after_results() -> None:
    body = await sent(openai_compatible, tool_choice="none", messages=ANSWERED)

    assert body["tool_choice"] == "none"


@pytest.mark.parametrize("make", [openai_compatible, anthropic])
async def test_a_choice_that_names_no_tool_is_refused_before_anything_is_sent(make: Any) -> None:
    with pytest.raises(
        ProviderError, match=r"tool_choice is 'ad', .*the agent has add, sub"
    ) as caught:
        await sent(make, tool_choice="ad")

    assert not caught.value.retryable


@pytest.mark.parametrize(
    ("stop", "texts"), [("END", ["END"]), (["a", "b"], ["a", "b"]), (("a",), ["a"])]
)
async def test_texts_to_stop_at_are_said_in_each_formats_words(stop: Any, texts: Any) -> None:
    assert (await sent(openai_compatible, stop=stop))["stop"] == texts
    assert (await sent(anthropic, stop=stop))["stop_sequences"] == texts


@pytest.mark.parametrize("stop", [None, []])
async def test_no_texts_are_not_said(stop: Any) -> None:
    assert "stop" not in await sent(openai_compatible, stop=stop)
    assert "stop_sequences" not in await sent(anthropic, stop=stop)


async def test_a_text_to_stop_at_that_the_api_would_refuse_is_refused_at_once() -> None:
    for make, stop in ((openai_compatible, ["a", ""]), (anthropic, ""), (anthropic, ["\n"])):
        with pytest.raises(ValueError, match=r"stop is .*texts that are not empty"):
            make("m", stop=stop)
    assert (await sent(openai_compatible, stop="\n"))["stop"] == ["\n"]


async def test_an_answer_that_stopped_at_a_text_is_complete() -> None:
    body = BEGUN + text_block(0, "ok") + ended("stop_sequence")
    async with serving(streams(body)) as server:
        model = anthropic("m", base_url=server.url, api_key="k", stop="END")
        events = [e async for e in model.stream(ModelRequest(system="", messages=ASKED))]
        await model.aclose()

    assert TextDelta("ok") in events
    assert events[-1] == Finished(stop="end")
