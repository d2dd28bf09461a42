"""The vendors' own SDKs, reading the same recorded streams from a socket, hear what Litro hears.

Where one hears something else, a table here says what and why. An entry whose stream the SDK comes to read as Litro does
fails its test, so the tables stay true.
"""

import json
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from typing import Any

import anthropic as anthropic_sdk
import openai as openai_sdk
import pytest

from litro.errors import ProviderError
from litro.providers import anthropic, openai_compatible
from litro.providers.base import (
    ModelRequest,
    TextDelta,
    ToolCall,
    Usage,
    UserMessage,
)
from providers.loopback import serving, streams
from providers.sse_fixtures import (
    CACHED,
    CHAT,
    DONE,
    MESSAGES,
    Stream,
    data,
    ended,
    event,
    said,
    text_block,
)

ASKED = ModelRequest(system="", messages=(UserMessage("Hi"),))
SAYS: Any = [{"role": "user", "content": "Hi"}]

COUNTED = {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}
CHAT_STREAMS: Mapping[str, Stream] = CHAT | {
    "usage after the finish reason": Stream(
        body=said("hi", "stop")
        + data({"id": "x", "object": "chat.completion.chunk", "choices": [], "usage": COUNTED})
        + DONE,
    ),
}
MESSAGES_STREAMS: Mapping[str, Stream] = MESSAGES | {
    "tokens from the cache, content named": Stream(
        body=event("message_start", message={"content": [], "usage": CACHED})
        + text_block(0, "ok")
        + ended("end_turn"),
    ),
}

FAILS: Mapping[str, str] = {
    "C08 no index, finish stop, keys that are wanted back": "needs an index on every call",
    "C08 keys that are wanted back, later": "needs an index on every call",
    "C09 arguments as an object": "expects arguments to be text, and pydantic warns",
    "C13 comments and keep-alives": "takes a named keep-alive whose data is no JSON for a chunk",
    "C17 no blank line at the end": "drops a last event without its blank line, so it saw no chunk",
    "C21 the limit after arguments": "fails on every finish_reason length, also beside whole calls",
    "C21 the limit inside text": "fails on every finish_reason length; its text is in the exception",
    "a filter that strikes": "fails on content_filter, where Litro ends the turn as a refusal",
    "tokens from the cache": "needs `content` in message_start",
}
"""Why an SDK fails where Litro reads an answer."""

DIFFERS: Mapping[str, str] = {
    "C01 two calls on one index": "joins the two calls of one index",
    "C01 two calls on one index, without ids": "joins the two calls of one index",
    "C01 two calls on one index, interleaved by id": "joins the two calls of one index",
    "C05 everything repeated and mirrored": "joins a name that every delta repeats",
    "C05 the older form alone": "leaves function_call where it is: no call among its tool_calls",
    "C11 chunks without usable choices": "skips chunks without `object`, and so this usage",
    "C12 an error as the finish reason": "takes finish_reason error for an end",
    "C16 a character in two escapes": "skips chunks without `object`, and so this text",
    "C16 half a character, and no more": "skips chunks without `object`, and so this text",
    "C17 a byte order mark, and no spaces": "loses the first event to the byte order mark",
    "C20 silence after text": "takes half an answer for a whole one",
    "C20 silence inside a frame": "takes half an answer for a whole one",
    "C20 silence inside arguments": "hands out the half call",
    "C20 the end inside arguments": "hands out the half call",
    "no message_stop": "hands out a call without the terminal signal",
    "the limit inside an input": "hands out the cut call, its input emptied",
    "the limit before an input": "hands out the cut call, its input empty",
    "an input that is not JSON": "empties the input; Litro hands it over as text, to be refused",
    "messages: a refusal": "hands out the calls of a refusal",
}
"""What an SDK reads otherwise."""


@dataclass(frozen=True)
class Answer:
    """What a reader took from a stream that it read to the end without an exception."""

    text: str
    calls: tuple[tuple[str, Any], ...] = ()
    tokens: int | None = None


async def heard_by_litro(model: Any) -> Answer | None:
    """The answer, or None where reading it failed."""
    text, calls, tokens = "", [], None
    try:
        async for event in model.stream(ASKED):
            match event:
                case TextDelta():
                    text += event.text
                case ToolCall():
                    calls.append((event.name, event.input))
                case Usage():
                    tokens = (event.input_tokens or 0) + (event.output_tokens or 0)
                case _:
                    pass
    except ProviderError:
        return None
    finally:
        await model.aclose()
    return Answer(text, tuple(calls), tokens)


async def heard_by_openai(url: str) -> Answer:
    client = openai_sdk.AsyncOpenAI(base_url=url, api_key="k", max_retries=0)
    async with client, client.chat.completions.stream(model="m", messages=SAYS) as stream:
        completion = await stream.get_final_completion()
    message, usage = completion.choices[0].message, completion.usage
    calls = [call.function for call in message.tool_calls or []]
    return Answer(
        text=message.content or message.refusal or "",
        calls=tuple((call.name, arguments(call.arguments)) for call in calls),
        tokens=usage and usage.prompt_tokens + usage.completion_tokens,
    )


async def heard_by_anthropic(url: str) -> Answer:
    client = anthropic_sdk.AsyncAnthropic(base_url=url, api_key="k", max_retries=0)
    async with (
        client,
        client.messages.stream(model="m", max_tokens=9, messages=SAYS) as stream,
    ):
        message = await stream.get_final_message()
    usage = message.usage
    cached = (usage.cache_read_input_tokens or 0) + (usage.cache_creation_input_tokens or 0)
    return Answer(
        text="".join(block.text for block in message.content if block.type == "text"),
        calls=tuple((b.name, b.input) for b in message.content if b.type == "tool_use"),
        tokens=usage.input_tokens + usage.output_tokens + cached,
    )


def arguments(text: str) -> Any:
    try:
        return json.loads(text or "{}")
    except ValueError:
        return text


async def heard_by_sdk(read: Awaitable[Answer]) -> Answer | None:
    try:
        return await read
    except Exception:  # noqa: BLE001 - the SDKs let the exceptions of their parts through
        return None


def compare(name: str, ours: Answer | None, theirs: Answer | None) -> None:
    if name in FAILS:
        assert (ours is None, theirs is None) == (False, True), FAILS[name]
    elif name in DIFFERS:
        assert theirs is not None, DIFFERS[name]
        assert ours != theirs, DIFFERS[name]
    else:
        assert ours == theirs


@pytest.mark.parametrize(("name", "stream"), [*CHAT_STREAMS.items()], ids=[*CHAT_STREAMS])
async def test_litro_hears_what_the_openai_sdk_hears(name: str, stream: Stream) -> None:
    async with serving(streams(stream.body)) as server:
        ours = await heard_by_litro(openai_compatible("m", base_url=server.url, api_key="k"))
        theirs = await heard_by_sdk(heard_by_openai(server.url))

    compare(name, ours, theirs)


@pytest.mark.parametrize(("name", "stream"), [*MESSAGES_STREAMS.items()], ids=[*MESSAGES_STREAMS])
async def test_litro_hears_what_the_anthropic_sdk_hears(name: str, stream: Stream) -> None:
    async with serving(streams(stream.body)) as server:
        ours = await heard_by_litro(anthropic("m", base_url=server.url, api_key="k"))
        theirs = await heard_by_sdk(heard_by_anthropic(server.url))

    compare(f"messages: {name}" if name in CHAT_STREAMS else name, ours, theirs)


def test_every_entry_of_the_tables_is_about_a_stream() -> None:
    names = {*CHAT_STREAMS, *(f"messages: {name}" for name in MESSAGES_STREAMS), *MESSAGES_STREAMS}

    assert (FAILS | DIFFERS).keys() <= names
    assert FAILS.keys().isdisjoint(DIFFERS)
