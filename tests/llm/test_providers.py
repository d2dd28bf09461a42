"""Both wire formats against a real model. What it calls is asserted, never how it talks."""

import pytest

from litro.providers import anthropic, openai_compatible
from litro.providers.base import (
    AssistantMessage,
    CallMade,
    CallResult,
    Finished,
    ModelEvent,
    ModelRequest,
    Provider,
    ResultsMessage,
    TextDelta,
    ToolCall,
    ToolSpec,
    Usage,
    UserMessage,
)

pytestmark = [pytest.mark.llm, pytest.mark.timeout(300)]

QUESTION = UserMessage("What is the weather in Lisbon?")
GET_WEATHER = ToolSpec(
    name="get-weather",
    description="Get the current weather for a city.",
    input_schema={
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
    },
)
CALLED = AssistantMessage(
    text="", calls=(CallMade(id="c1", name="get-weather", input={"city": "Lisbon"}),)
)
RESULT = ResultsMessage(
    (CallResult(id="c1", name="get-weather", content='{"city":"Lisbon","temp_c":21}'),)
)


@pytest.fixture(params=["chat completions", "messages"])
def model(request: pytest.FixtureRequest, llm_url: str) -> Provider:
    if request.param == "messages":
        return anthropic("smollm2", base_url=llm_url, api_key="none", max_tokens=60, temperature=0)
    return openai_compatible(
        "smollm2", base_url=f"{llm_url}/v1", api_key="", max_tokens=60, temperature=0
    )


async def answer(model: Provider, *messages: UserMessage | AssistantMessage | ResultsMessage):
    request = ModelRequest(
        system="Use get-weather for weather questions.", messages=messages, tools=(GET_WEATHER,)
    )
    events: list[ModelEvent] = [event async for event in model.stream(request)]
    await model.aclose()
    return events


async def test_a_real_model_calls_the_tool_with_the_city(model: Provider) -> None:
    events = await answer(model, QUESTION)

    assert [event for event in events if isinstance(event, ToolCall)] == [
        ToolCall("get-weather", {"city": "Lisbon"})
    ]
    assert events[-1] == Finished(stop="tools")
    assert any(isinstance(event, Usage) and event.input_tokens for event in events)


async def test_a_real_model_reads_the_result_of_its_call(model: Provider) -> None:
    events = await answer(model, QUESTION, CALLED, RESULT)

    assert isinstance(events[-1], Finished)
    assert any(isinstance(event, TextDelta | ToolCall) for event in events)
