"""CPU per token of each adapter beside the vendor's own SDK, reading the same bytes: `.venv/bin/python bench/providers.py`.

One answer of many small deltas, one with a long tool call, for each wire format, from a loopback server in a thread of
its own. The readers take turns within each round, each as its users call it, and medians are told. The SDKs are read in
both of their ways: raw events, which leave the assembling to the caller, and the helper, which does what Litro does.
It measures reading. It is not a benchmark of latency: that is `bench/stream.py`.
"""

import argparse
import asyncio
import json
import statistics
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import anthropic as anthropic_sdk
import openai as openai_sdk

from litro import providers
from litro.providers.base import ModelRequest, Provider, UserMessage

Read = Callable[[], Awaitable[int]]

SEGMENT = 1460
"""Bytes of one write: a TCP segment."""


@dataclass(frozen=True)
class Case:
    """One stream, and its readers: litro's, the SDK's events as they come, the SDK's helper that accumulates."""

    name: str
    tokens: int
    readers: dict[str, Read]


def data(value: Any) -> bytes:
    return b"data: " + json.dumps(value).encode() + b"\n\n"


def chat_chunk(delta: Any, finish: str | None = None, **more: Any) -> bytes:
    """A chunk with the keys that OpenAI sends."""
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    chunk = {
        "id": "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT",
        "object": "chat.completion.chunk",
        "created": 1741569952,
        "model": "gpt-5",
        "service_tier": "default",
        "system_fingerprint": "fp_44709d6fcb",
        "choices": [choice],
    }
    return data(chunk | more)


def chat_text(tokens: int) -> bytes:
    usage = {"prompt_tokens": 9, "completion_tokens": tokens, "total_tokens": tokens + 9}
    return b"".join(
        [
            chat_chunk({"role": "assistant", "content": ""}),
            *(chat_chunk({"content": f" word{i % 10}"}) for i in range(tokens)),
            chat_chunk({}, "stop"),
            chat_chunk({}, choices=[], usage=usage),
            b"data: [DONE]\n\n",
        ]
    )


def chat_call(tokens: int) -> bytes:
    begun = {"index": 0, "id": "call_1", "type": "function"}
    begun |= {"function": {"name": "write", "arguments": '{"text":"'}}
    pieces = [*(f" word{i % 10}" for i in range(tokens - 2)), '"}']
    return b"".join(
        [
            chat_chunk({"role": "assistant", "content": None, "tool_calls": [begun]}),
            *(
                chat_chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]})
                for piece in pieces
            ),
            chat_chunk({}, "tool_calls"),
            b"data: [DONE]\n\n",
        ]
    )


def named(kind: str, **fields: Any) -> bytes:
    return f"event: {kind}\n".encode() + data({"type": kind, **fields})


def messages(block: dict[str, Any], deltas: list[dict[str, Any]], reason: str) -> bytes:
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude"}
    message |= {"content": [], "stop_reason": None, "stop_sequence": None}
    message |= {"usage": {"input_tokens": 9, "output_tokens": 1}}
    return b"".join(
        [
            named("message_start", message=message),
            named("content_block_start", index=0, content_block=block),
            *(named("content_block_delta", index=0, delta=delta) for delta in deltas),
            named("content_block_stop", index=0),
            named(
                "message_delta",
                delta={"stop_reason": reason, "stop_sequence": None},
                usage={"output_tokens": len(deltas)},
            ),
            named("message_stop"),
        ]
    )


def messages_text(tokens: int) -> bytes:
    deltas = [{"type": "text_delta", "text": f" word{i % 10}"} for i in range(tokens)]
    return messages({"type": "text", "text": ""}, deltas, "end_turn")


def messages_call(tokens: int) -> bytes:
    pieces = ['{"text":"', *(f" word{i % 10}" for i in range(tokens - 2)), '"}']
    deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
    block = {"type": "tool_use", "id": "toolu_1", "name": "write", "input": {}}
    return messages(block, deltas, "tool_use")


class Serving(BaseHTTPRequestHandler):
    """Answers every request with its server's bytes, a chunk for each segment, on a connection that stays open."""

    protocol_version = "HTTP/1.1"
    body = b""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for at in range(0, len(self.body), SEGMENT):
            piece = self.body[at : at + SEGMENT]
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
        """Nothing."""


def serve(body: bytes) -> str:
    """The address of a server of these bytes, in a thread: only the reader's own thread is measured."""
    handler = type("ServingThis", (Serving,), {"body": body})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def litro(model: Provider) -> dict[str, Read]:
    request = ModelRequest(system="", messages=(UserMessage("Hi"),))

    async def read() -> int:
        return len([None async for _ in model.stream(request)])

    return {"litro": read}


def openai(url: str) -> dict[str, Read]:
    client = openai_sdk.AsyncOpenAI(api_key="k", base_url=url)
    asked: Any = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}

    async def events() -> int:
        stream = await client.chat.completions.create(**asked, stream=True)
        return len([None async for _ in stream])

    async def helper() -> int:
        async with client.chat.completions.stream(**asked) as stream:
            return len([None async for _ in stream])

    return {"sdk, raw events": events, "sdk, helper": helper}


def anthropic(url: str) -> dict[str, Read]:
    client = anthropic_sdk.AsyncAnthropic(api_key="k", base_url=url)
    asked: Any = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "max_tokens": 9}

    async def events() -> int:
        stream = await client.messages.create(**asked, stream=True)
        return len([None async for _ in stream])

    async def helper() -> int:
        async with client.messages.stream(**asked) as stream:
            return len([None async for _ in stream])

    return {"sdk, raw events": events, "sdk, helper": helper}


def cases(tokens: int) -> list[Case]:
    made: list[Case] = []
    for name, write in (("text", chat_text), ("call", chat_call)):
        url = serve(write(tokens))
        model = providers.openai_compatible("m", base_url=url, api_key="k")
        made.append(Case(f"chat completions, {name}", tokens, litro(model) | openai(url)))
    for name, write in (("text", messages_text), ("call", messages_call)):
        url = serve(write(tokens))
        model = providers.anthropic("m", base_url=url, api_key="k")
        made.append(Case(f"messages, {name}", tokens, litro(model) | anthropic(url)))
    return made


async def measure(case: Case, rounds: int) -> dict[str, float]:
    """Median microseconds of CPU per token of each reader."""
    taken: dict[str, list[float]] = {name: [] for name in case.readers}
    for _ in range(rounds + 1):
        for name, read in case.readers.items():
            before = time.thread_time()
            await read()
            taken[name].append((time.thread_time() - before) / case.tokens * 1e6)
    # The first round warms imports and caches up.
    return {name: statistics.median(times[1:]) for name, times in taken.items()}


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--quick", action="store_true", help="a tenth of it")
    given = parser.parse_args()
    tokens = given.tokens // 10 if given.quick else given.tokens
    print(f"µs of CPU per token, medians of {given.rounds} rounds of {tokens} tokens")
    for case in cases(tokens):
        medians = await measure(case, given.rounds)
        ours = medians["litro"]
        told = [f"{name} {us:7.2f} ({us / ours:.1f}x)" for name, us in medians.items()]
        print(f"{case.name:24} " + "   ".join(told))


if __name__ == "__main__":
    asyncio.run(main())
