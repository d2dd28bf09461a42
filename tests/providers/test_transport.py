"""The way to a server and back, over a real socket."""

import asyncio
import logging
from contextlib import aclosing

import anyio
import pytest

from litro.errors import ProviderError
from litro.providers import anthropic, openai_compatible
from litro.providers.base import (
    Finished,
    ModelEvent,
    ModelRequest,
    Provider,
    TextDelta,
    UserMessage,
)
from providers.loopback import (
    Answer,
    Loopback,
    answers,
    breaks_off,
    chunked,
    free_port,
    serving,
    stays_silent,
    streams,
)
from providers.sse_fixtures import BEGUN, DONE, STOP, chunk, ended, said, text_block

REQUEST = ModelRequest(system="", messages=(UserMessage("hi"),))


async def heard(model: Provider) -> list[ModelEvent]:
    try:
        return [event async for event in model.stream(REQUEST)]
    finally:
        await model.aclose()


async def failure(model: Provider) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        await heard(model)
    return caught.value


def model_at(server: Loopback, **options) -> Provider:
    return openai_compatible("m", base_url=server.url, **{"api_key": "", "retries": 0, **options})


async def failure_of(answer: Answer) -> ProviderError:
    async with serving(answer) as server:
        return await failure(model_at(server))


async def test_an_answer_comes_whole_however_the_network_cuts_it() -> None:
    body = said("☀️") + said("日本") + STOP
    async with serving(streams(*(bytes([byte]) for byte in body))) as server:
        events = await heard(model_at(server))

    assert events == [TextDelta("☀️"), TextDelta("日本"), Finished(stop="end")]


async def test_a_request_says_who_asks_and_what() -> None:
    async with serving(streams(STOP)) as server:
        await heard(
            openai_compatible(
                "m", base_url=f"{server.url}/v1/", api_key="k1", headers={"X-Team": "a"}
            )
        )

    [asked] = server.asked
    assert asked.line == "POST /v1/chat/completions HTTP/1.1"
    assert asked.headers["authorization"] == "bearer k1"
    assert asked.headers["x-team"] == "a"
    assert asked.headers["accept-encoding"] == "identity"
    assert asked.body["messages"] == [{"role": "user", "content": "hi"}]


async def test_a_request_in_the_other_format_says_the_same() -> None:
    async with serving(streams(BEGUN + text_block(0, "ok") + ended("end_turn"))) as server:
        events = await heard(anthropic("m", base_url=server.url, api_key="k1"))

    [asked] = server.asked
    assert asked.line == "POST /v1/messages HTTP/1.1"
    assert asked.headers["x-api-key"] == "k1"
    assert asked.headers["anthropic-version"] == "2023-06-01"
    assert asked.body["max_tokens"] == 4096
    assert TextDelta("ok") in events


async def test_a_header_of_the_users_wins() -> None:
    async with serving(streams(STOP)) as server:
        await heard(model_at(server, api_key="k1", headers={"Authorization": "Basic x"}))

    assert server.asked[0].headers["authorization"] == "basic x"


async def test_without_a_key_no_key_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    async with serving(streams(STOP)) as server:
        await heard(model_at(server, api_key=None))

    assert "authorization" not in server.asked[0].headers


async def test_the_environments_key_is_read_at_the_first_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with serving(streams(STOP)) as server:
        model = model_at(server, api_key=None)
        monkeypatch.setenv("OPENAI_API_KEY", "late")
        await heard(model)

    assert server.asked[0].headers["authorization"] == "bearer late"


@pytest.mark.parametrize(
    ("model", "variable"),
    [
        (openai_compatible("m"), "OPENAI_API_KEY"),
        (anthropic("m"), "ANTHROPIC_API_KEY"),
    ],
)
async def test_a_missing_key_is_told_before_anything_is_sent(
    model: Provider, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(variable, raising=False)

    error = await failure(model)

    assert error.type == "refused"
    assert not error.retryable
    assert f"Set {variable} in the environment" in str(error)


def test_a_repr_shows_no_secret() -> None:
    for make in (openai_compatible, anthropic):
        model = make(
            "m", base_url="https://u:pass@h.example/v1", api_key="sk-1", headers={"x": "sk-2"}
        )
        assert "sk-" not in repr(model)
        assert "pass" not in repr(model)
        assert "'m' at h.example" in repr(model)


async def test_a_key_that_no_header_may_hold_is_refused_without_being_quoted() -> None:
    async with serving(streams(STOP)) as server:
        for key in ("sk-1\nsk-2", "sk-…"):
            error = await failure(model_at(server, api_key=key))
            assert error.type == "refused"
            assert "sk-" not in str(error)


@pytest.mark.parametrize("url", ["localhost:11434/v1", "", "ftp://h/v1", "https:///v1"])
def test_a_base_url_that_is_none_is_refused_at_once(url: str) -> None:
    with pytest.raises(ValueError, match=r"base_url is .*an address such as"):
        openai_compatible("m", base_url=url)


def test_a_provider_is_named_after_its_server() -> None:
    assert openai_compatible("m").name == "openai"
    assert openai_compatible("m", base_url="http://localhost:11434/v1").name == "localhost:11434"
    assert openai_compatible("m", name="ollama").name == "ollama"
    assert anthropic("m").name == "anthropic"
    assert anthropic("m", base_url="https://gate.example").name == "gate.example"


async def test_a_status_becomes_a_typed_failure() -> None:
    error = await failure_of(answers(429, b'{"error":{"message":"slow down"}}', retry_after="7"))

    assert (error.type, error.status, error.retry_after) == ("rate-limited", 429, 7.0)
    assert error.retryable
    assert "slow down" in str(error)


async def test_a_redirect_is_not_followed() -> None:
    async with serving(answers(307, location="http://127.0.0.1:9/elsewhere")) as server:
        error = await failure(model_at(server, api_key="k1"))

    assert (error.type, error.status) == ("refused", 307)
    assert "elsewhere" in str(error)
    assert len(server.asked) == 1


async def test_an_error_body_that_breaks_off_keeps_its_status() -> None:
    async def cut(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 503 X\r\ncontent-length: 99\r\n\r\nbusy")
        writer.close()

    error = await failure_of(cut)

    assert (error.type, error.status) == ("overloaded", 503)


async def test_an_endless_error_body_is_read_in_part() -> None:
    async def endless(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 X\r\ntransfer-encoding: chunked\r\n\r\n")
        while True:
            writer.write(chunked(b"x" * 4096))
            await writer.drain()

    assert len(str(await failure_of(endless))) < 1000


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"error":{"message":"no such model"}}', "no such model"),
        (b'{"choices":[]}', "in one piece"),
        (b"[]", "in one piece"),
        (b"<html>", "in one piece"),
    ],
)
async def test_an_answer_that_is_no_stream_is_a_failure(body: bytes, words: str) -> None:
    error = await failure_of(answers(200, body))

    assert error.type == "provider"
    assert words in str(error)


async def test_a_server_that_is_not_there_is_unreachable() -> None:
    url = f"http://127.0.0.1:{free_port()}"

    error = await failure(openai_compatible("m", base_url=url, api_key="", retries=0))

    assert error.type == "unreachable"
    assert error.retryable


async def test_a_server_that_hangs_up_at_once_is_unreachable() -> None:
    async def hang_up(writer: asyncio.StreamWriter) -> None:
        writer.close()

    assert (await failure_of(hang_up)).type == "unreachable"


async def test_a_connection_that_breaks_is_an_incomplete_answer() -> None:
    async with serving(breaks_off(said("half"))) as server:
        model = model_at(server)
        async with aclosing(model.stream(REQUEST)) as events:
            assert await anext(events) == TextDelta("half")
            with pytest.raises(ProviderError) as caught:
                await anext(events)
        await model.aclose()

    assert caught.value.type == "stream-incomplete"
    assert caught.value.retryable


async def test_a_connection_that_breaks_after_the_terminal_signal_breaks_nothing() -> None:
    async with serving(breaks_off(said("all", "stop"))) as server:
        assert await heard(model_at(server)) == [TextDelta("all"), Finished(stop="end")]


async def test_an_event_without_end_is_a_failure_of_the_server() -> None:
    error = await failure_of(streams(*[b"data: " + b"x" * 2**20] * 17))

    assert error.type == "provider"
    assert "is the limit" in str(error)


async def test_closing_the_stream_early_closes_the_connection() -> None:
    async with serving(stays_silent(said("a"))) as server:
        model = model_at(server)
        async with aclosing(model.stream(REQUEST)) as events:
            assert await anext(events) == TextDelta("a")
        with anyio.fail_after(5):
            await server.left.wait()
        await model.aclose()


async def test_cancelling_the_reader_closes_the_connection() -> None:
    async with serving(stays_silent(said("a"))) as server:
        model = model_at(server)
        began = asyncio.Event()

        async def read() -> None:
            async with aclosing(model.stream(REQUEST)) as events:
                async for _ in events:
                    began.set()

        task = asyncio.create_task(read())
        with anyio.fail_after(5):
            await began.wait()
            task.cancel()
            await server.left.wait()
        with pytest.raises(asyncio.CancelledError):
            await task
        await model.aclose()


async def test_a_finished_answer_leaves_its_connection_for_the_next() -> None:
    async with serving(streams(said("a"), STOP)) as server:
        model = model_at(server)
        for _ in range(3):
            assert [event async for event in model.stream(REQUEST)]
        await model.aclose()

    assert len(server.asked) == 3
    assert server.connections == 1


async def test_a_server_that_never_hangs_up_after_its_end_is_not_waited_for() -> None:
    async with serving(stays_silent(said("a"), chunk({}, "stop") + DONE)) as server:
        with anyio.fail_after(5):
            assert await heard(model_at(server)) == [TextDelta("a"), Finished(stop="end")]


async def test_many_answers_at_once_do_not_wait_for_each_other() -> None:
    everybody = asyncio.Barrier(120)

    async def together(writer: asyncio.StreamWriter) -> None:
        await everybody.wait()
        await streams(STOP)(writer)

    async with serving(together) as server:
        model = model_at(server)

        async def one() -> None:
            assert [event async for event in model.stream(REQUEST)]

        with anyio.fail_after(20):
            async with asyncio.TaskGroup() as group:
                for _ in range(120):
                    group.create_task(one())
        await model.aclose()


def test_a_provider_serves_one_event_loop_after_another() -> None:
    port = free_port()
    model = openai_compatible("m", base_url=f"http://127.0.0.1:{port}", api_key="")

    async def once() -> list[ModelEvent]:
        async with serving(streams(said("a"), STOP), port=port):
            return await heard(model)

    assert asyncio.run(once()) == asyncio.run(once()) != []


async def test_a_log_of_the_client_shows_no_key(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        async with serving(streams(STOP)) as server:
            await heard(model_at(server, api_key="sk-secret"))

    assert "sk-secret" not in caplog.text
