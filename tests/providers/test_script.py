import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator

import pytest

from litro import providers
from litro.errors import ProviderError
from litro.providers import anthropic, call, pause, reasoning, resolve, scripted
from litro.providers.base import (
    Finished,
    ModelEvent,
    ModelRequest,
    Provider,
    ReasoningDelta,
    TextDelta,
    ToolCall,
    Usage,
    UserMessage,
)
from litro.providers.script import Script

REQUEST = ModelRequest(system="", messages=(UserMessage("hi"),))


async def heard(model: Provider) -> list[ModelEvent]:
    return [event async for event in model.stream(REQUEST)]


async def said(script: Script) -> list[ModelEvent]:
    return await heard(scripted(script))


async def test_strings_are_text_and_calls_are_calls() -> None:
    events = await said(
        lambda request, turn: ["Checking ", "", reasoning("hm"), call("get-weather", city="Lisbon")]
    )

    assert events == [
        TextDelta("Checking "),
        ReasoningDelta("hm"),
        ToolCall("get-weather", {"city": "Lisbon"}),
        Finished(stop="tools"),
    ]


async def test_a_script_without_calls_ends() -> None:
    assert await said(lambda request, turn: []) == [Finished(stop="end")]


async def test_a_string_alone_is_one_piece() -> None:
    assert await said(lambda request, turn: "Hello") == [TextDelta("Hello"), Finished(stop="end")]


async def test_a_script_may_be_written_in_any_of_four_ways() -> None:
    def generator(request: ModelRequest, turn: int) -> Iterator[str]:
        yield "a"

    async def coroutine(request: ModelRequest, turn: int) -> list[str]:
        return ["a"]

    async def async_generator(request: ModelRequest, turn: int) -> AsyncIterator[str]:
        yield "a"

    for script in (lambda request, turn: ["a"], generator, coroutine, async_generator):
        assert await said(script) == [TextDelta("a"), Finished(stop="end")]


async def test_a_script_sees_the_request_and_counts_from_one() -> None:
    model = scripted(lambda request, turn: [f"{request.messages[0].text} {turn}"])

    assert (await heard(model))[0] == TextDelta("hi 1")
    assert (await heard(model))[0] == TextDelta("hi 2")


async def test_events_pass_as_they_are_and_finished_is_the_last() -> None:
    usage, end = Usage(input_tokens=1), Finished(stop="length", replay={"a": 1})

    assert await said(lambda request, turn: [usage, end, "never"]) == [usage, end]


async def test_an_argument_may_be_called_name() -> None:
    assert call("greet", name="Ada") == ToolCall("greet", {"name": "Ada"})


async def test_a_provider_error_is_raised_where_it_stands() -> None:
    error = ProviderError("overloaded", "busy", retryable=True)
    stream = scripted(lambda request, turn: ["a", error]).stream(REQUEST)

    assert await anext(stream) == TextDelta("a")
    with pytest.raises(ProviderError) as caught:
        await anext(stream)
    assert caught.value is error


async def test_an_exception_of_the_scripts_own_is_its_own() -> None:
    def script(request: ModelRequest, turn: int) -> list[str]:
        raise KeyError(turn)

    with pytest.raises(KeyError):
        await said(script)


async def test_an_item_of_another_kind_is_told() -> None:
    with pytest.raises(TypeError, match=r"the script answered 5, .*\nUse a string, call"):
        await said(lambda request, turn: [5])


async def test_a_pause_lets_others_go_first() -> None:
    stream = scripted(lambda request, turn: [pause(0.001), "late"]).stream(REQUEST)
    late = asyncio.ensure_future(anext(stream))

    await asyncio.sleep(0)

    assert not late.done()
    assert await late == TextDelta("late")


async def test_a_burst_does_not_keep_others_waiting() -> None:
    count = 0

    async def other() -> None:
        nonlocal count
        while True:
            count += 1
            await asyncio.sleep(0)

    task = asyncio.create_task(other())
    await said(lambda request, turn: ["a"] * 320)
    task.cancel()

    assert count >= 20


async def test_closing_the_stream_ends_the_script() -> None:
    ended = asyncio.Event()

    async def script(request: ModelRequest, turn: int) -> AsyncIterator[str]:
        try:
            yield "a"
            yield "b"
        finally:
            ended.set()

    stream = scripted(script).stream(REQUEST)
    await anext(stream)
    await stream.aclose()

    assert ended.is_set()


def test_a_string_names_a_provider() -> None:
    assert repr(resolve("openai:gpt-5")) == "<openai_compatible 'gpt-5' at api.openai.com>"
    assert repr(resolve("anthropic:claude")) == "<anthropic 'claude' at api.anthropic.com>"
    assert resolve("openai:org/model:free").name == "openai"


def test_a_provider_is_its_own_answer() -> None:
    model = anthropic("m")

    assert resolve(model) is model
    assert isinstance(model, Provider)


@pytest.mark.parametrize("model", ["gpt-5", "mistral:large", "openai:", ":x", ""])
def test_another_string_is_an_error_that_lists_the_forms(model: str) -> None:
    with pytest.raises(ValueError, match='"openai:NAME" or "anthropic:NAME" is required'):
        resolve(model)


def test_the_package_offers_what_it_lists_and_no_more() -> None:
    assert all(hasattr(providers, name) for name in providers.__all__)
    with pytest.raises(AttributeError, match="no attribute 'gemini'"):
        _ = providers.gemini


def test_importing_litro_and_its_script_loads_no_http_client() -> None:
    code = "import sys, litro; from litro.providers import scripted; print('httpx2' in sys.modules)"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "False"
