"""What is asked again, when, and how often: the rule first, then over a real socket."""

import asyncio
from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from litro.errors import ProviderError
from litro.providers import Retries, Timeouts, anthropic, openai_compatible
from litro.providers.base import Finished, ModelEvent, ModelRequest, Provider, UserMessage
from litro.providers.failures import failure_of_answer
from litro.providers.retries import with_retries
from providers.loopback import (
    Answer,
    Loopback,
    answers,
    breaks_off,
    free_port,
    one_after_another,
    serving,
    stays_silent,
    streams,
)
from providers.sse_fixtures import BEGUN, STOP, ended, said, text_block

REQUEST = ModelRequest(system="", messages=(UserMessage("hi"),))
AT_ONCE = Retries(first_wait=0, longest_wait=0)
OVERLOADED = b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n'
QUOTA = b'{"error":{"message":"pay","type":"insufficient_quota","code":"insufficient_quota"}}'
BUSY = ProviderError("overloaded", "busy", retryable=True)


async def hang_up(writer: asyncio.StreamWriter) -> None:
    writer.close()


def model_at(server: Loopback, **options) -> Provider:
    return openai_compatible(
        "m", base_url=server.url, **{"api_key": "", "retries": AT_ONCE, **options}
    )


async def heard(model: Provider) -> list[ModelEvent]:
    try:
        with anyio.fail_after(10):
            return [event async for event in model.stream(REQUEST)]
    finally:
        await model.aclose()


@given(failed=st.integers(0, 5000), chance=st.floats(0, 1))
def test_waits_grow_are_random_and_have_an_end(failed: int, chance: float) -> None:
    retries = Retries(count=10_000)

    wait = retries.wait(BUSY, failed, chance=lambda: chance)

    assert wait == min(30, 0.5 * 2 ** min(failed, 32) * chance)
    assert failed > 0 or wait <= 0.5


@pytest.mark.parametrize(("asked", "waited"), [(0, 0), (7, 7), (30, 30), (3600, None)])
def test_the_servers_own_wait_wins_and_one_beyond_the_longest_is_not_waited_for(
    asked: float, waited: float | None
) -> None:
    error = ProviderError("rate-limited", "slow down", retryable=True, retry_after=asked)

    assert Retries().wait(error, 0) == waited


def test_the_servers_own_wait_may_be_a_date() -> None:
    now = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
    headers = {"retry-after": format_datetime(now + timedelta(seconds=9), usegmt=True)}

    error = failure_of_answer(503, headers, b"", server="h", now=now)

    assert Retries().wait(error, 0) == 9


def test_there_is_no_wait_where_there_is_no_retry() -> None:
    assert Retries(count=1).wait(BUSY, 0) is not None
    assert Retries(count=1).wait(BUSY, 1) is None
    assert Retries(count=0).wait(BUSY, 0) is None
    assert Retries().wait(ProviderError("refused", "no"), 0) is None


@pytest.mark.parametrize("wrong", [-1, Retries])
def test_a_number_below_0_is_refused(wrong) -> None:
    with pytest.raises(ValueError, match="numbers from 0 up are required"):
        openai_compatible("m", retries=wrong if wrong == -1 else wrong(first_wait=-1))


@pytest.mark.parametrize(
    "fault",
    [
        *(answers(status) for status in (408, 409, 429, 500, 502, 503, 504, 529)),
        answers(429, retry_after="0"),
        hang_up,
        breaks_off(),
        streams(OVERLOADED),
        streams(b'data: {"error":{"message":"busy","code":503}}\n\n'),
        answers(200, b'{"error":{"message":"busy","type":"overloaded_error"}}'),
    ],
)
async def test_what_may_pass_is_asked_again(fault: Answer) -> None:
    async with serving(one_after_another(fault, fault, streams(said("a"), STOP))) as server:
        events = await heard(model_at(server))

    assert events[-1] == Finished(stop="end")
    assert len(server.asked) == 3
    assert server.asked[0].body == server.asked[1].body == server.asked[2].body


async def test_the_other_format_is_asked_again_too() -> None:
    well = streams(BEGUN + text_block(0, "ok") + ended("end_turn"))
    async with serving(
        one_after_another(streams(OVERLOADED), streams(BEGUN, OVERLOADED), well)
    ) as server:
        events = await heard(anthropic("m", base_url=server.url, api_key="k", retries=AT_ONCE))

    assert events[-1] == Finished(stop="end")
    assert len(server.asked) == 3


async def test_silence_before_the_first_event_is_asked_again() -> None:
    async with serving(one_after_another(stays_silent(), streams(said("a"), STOP))) as server:
        events = await heard(model_at(server, timeouts=Timeouts(first_token=0.6)))

    assert len(events) == 2
    assert len(server.asked) == 2


@pytest.mark.parametrize(
    "fault",
    [
        *(answers(status) for status in (307, 400, 401, 403, 404, 413, 422)),
        answers(429, QUOTA),
        streams(b"data: " + QUOTA + b"\n\n"),
        answers(400, b'{"error":{"message":"maximum context length is 5"}}'),
        answers(200, b"[]"),
    ],
)
async def test_what_will_not_pass_is_asked_once(fault: Answer) -> None:
    async with serving(fault) as server:
        with pytest.raises(ProviderError) as caught:
            await heard(model_at(server))

    assert not caught.value.retryable
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    "fault", [breaks_off(said("half")), streams(said("half"), OVERLOADED), streams(said("half"))]
)
async def test_an_answer_that_has_begun_is_never_asked_for_again(fault: Answer) -> None:
    async with serving(fault) as server:
        with pytest.raises(ProviderError) as caught:
            await heard(model_at(server))

    assert caught.value.retryable
    assert len(server.asked) == 1


@pytest.mark.parametrize(("retries", "asked"), [(0, 1), (AT_ONCE, 3)])
async def test_the_last_failure_is_the_one_that_is_told(retries: int | Retries, asked: int) -> None:
    async with serving(answers(529, b'{"detail":"busy"}')) as server:
        with pytest.raises(ProviderError, match="busy") as caught:
            await heard(model_at(server, retries=retries))

    assert caught.value.type == "overloaded"
    assert len(server.asked) == asked


async def test_a_server_that_comes_up_meanwhile_is_reached() -> None:
    port = free_port()
    model = openai_compatible(
        "m",
        base_url=f"http://127.0.0.1:{port}",
        api_key="",
        retries=Retries(count=100, first_wait=0.05),
    )
    reading = asyncio.create_task(heard(model))
    await asyncio.sleep(0)
    async with serving(streams(said("a"), STOP), port=port):
        assert len(await reading) == 2


async def test_cancelling_ends_a_wait_at_once() -> None:
    asked = asyncio.Event()

    async def fails() -> AsyncGenerator[ModelEvent]:
        asked.set()
        raise ProviderError("overloaded", "busy", retryable=True, retry_after=30)
        yield

    async def read() -> None:
        async for _ in with_retries(fails, Retries()):
            pass

    with anyio.fail_after(5):
        reading = asyncio.create_task(read())
        await asked.wait()
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
