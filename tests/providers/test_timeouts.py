"""How long a server may take, over a real socket."""

import asyncio

import anyio
import pytest

from litro.errors import ProviderError
from litro.providers import Timeouts, anthropic, openai_compatible
from litro.providers.base import (
    Finished,
    ModelEvent,
    ModelRequest,
    Provider,
    TextDelta,
    UserMessage,
)
from providers.loopback import STREAMED, Answer, answers, chunked, serving, stays_silent, streams
from providers.sse_fixtures import BEGUN, STOP, chunk, said

REQUEST = ModelRequest(system="", messages=(UserMessage("hi"),))
SHORT = 0.05


async def failure(model: Provider) -> ProviderError:
    with anyio.fail_after(10), pytest.raises(ProviderError) as caught:
        async for _ in model.stream(REQUEST):
            pass
    await model.aclose()
    return caught.value


async def heard(model: Provider) -> list[ModelEvent]:
    with anyio.fail_after(5):
        events = [event async for event in model.stream(REQUEST)]
    await model.aclose()
    return events


def model_at(url: str, **timeouts: float | None) -> Provider:
    return openai_compatible(
        "m", base_url=url, api_key="", retries=0, timeouts=Timeouts(**timeouts)
    )


async def keeps_alive(writer: asyncio.StreamWriter) -> None:
    writer.write(STREAMED)
    while not writer.is_closing():
        writer.write(chunked(b": PROCESSING\n\n"))
        await writer.drain()
        await asyncio.sleep(0)


async def test_a_server_that_never_takes_the_connection_is_a_timeout() -> None:
    # It waits for a request where the client waits for its half of the TLS handshake.
    async with serving(stays_silent()) as server:
        url = server.url.replace("http:", "https:")
        error = await failure(model_at(url, connect=SHORT))

    assert (error.type, error.retryable) == ("timeout", True)
    assert "did not take the connection within 0.05 s" in str(error)


@pytest.mark.parametrize("answer", [stays_silent(), stays_silent(b": ok\n\n"), keeps_alive])
async def test_a_server_that_never_begins_its_answer_is_a_timeout(answer: Answer) -> None:
    async with serving(answer) as server:
        error = await failure(model_at(server.url, first_token=SHORT))

    assert (error.type, error.retryable) == ("timeout", True)
    assert "the first event of its answer within 0.05 s" in str(error)


@pytest.mark.parametrize("begun", [said("a"), chunk({"role": "assistant"})])
async def test_a_server_that_stops_in_its_answer_is_a_timeout(begun: bytes) -> None:
    async with serving(stays_silent(begun)) as server:
        error = await failure(model_at(server.url, between_tokens=SHORT))
        with anyio.fail_after(5):
            await server.left.wait()

    assert (error.type, error.retryable) == ("timeout", True)
    assert "the next event of its answer within 0.05 s" in str(error)


async def test_the_other_format_has_the_same_limits() -> None:
    limits = Timeouts(between_tokens=SHORT)
    async with serving(stays_silent(BEGUN)) as server:
        model = anthropic("m", base_url=server.url, api_key="k", retries=0, timeouts=limits)
        assert (await failure(model)).type == "timeout"


async def test_what_the_reader_takes_for_itself_is_not_the_servers_time() -> None:
    async with (
        serving(streams(said("a"), said("b") + STOP)) as server,
        serving(stays_silent()) as silent,
    ):
        model = model_at(server.url, between_tokens=SHORT)
        events = []
        async for event in model.stream(REQUEST):
            events.append(event)
            await failure(model_at(silent.url, first_token=SHORT * 2))
        await model.aclose()

    assert events == [TextDelta("a"), TextDelta("b"), Finished(stop="end")]


async def test_silence_after_the_terminal_signal_takes_nothing_away() -> None:
    async with serving(stays_silent(said("all", "stop"))) as server:
        model = model_at(server.url, between_tokens=SHORT)
        assert await heard(model) == [TextDelta("all"), Finished(stop="end")]


async def test_without_limits_an_answer_comes_all_the_same() -> None:
    none = dict.fromkeys(("connect", "first_token", "between_tokens"))
    async with serving(streams(said("a"), STOP)) as server:
        model = model_at(server.url, **none)
        assert await heard(model) == [TextDelta("a"), Finished(stop="end")]


async def test_an_error_is_no_timeout() -> None:
    async with serving(answers(400, b'{"detail":"no"}')) as server:
        assert (await failure(model_at(server.url))).type == "refused"


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
def test_a_limit_that_is_none_is_refused(seconds: float) -> None:
    with pytest.raises(ValueError, match=r"first_token is .*None for no limit"):
        Timeouts(first_token=seconds)
