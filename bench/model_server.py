"""A model server that speaks chat completions, refuses at times, and breaks off: what the agent `wire` of the campaign asks.

It follows the same orders as the agent `script`, and begins each answer with the same words. It is no model of any vendor's faults:
`tests/zoo` has those.
"""

import asyncio
import contextlib
import re
import zlib
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import orjson

PIECE = 0.002


class ModelServer:
    """Answers orders: `words N`, `one N` (a call), `moody N` (two refusals first), `broken N` (the connection ends in the middle)."""

    def __init__(self) -> None:
        self.port = 0
        self._asked: Counter[str] = Counter()
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        """What agents are given."""
        return f"http://127.0.0.1:{self.port}/v1"

    async def start(self) -> None:
        """Listen, on a port of its own."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Listen no more, and hang up on everybody."""
        assert self._server is not None
        self._server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # A task of our own: asyncio's complains where it is cancelled.
        task = asyncio.create_task(self._serve(reader, writer))
        self._open.add(task)
        task.add_done_callback(self._open.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError):
                while await self._answer(reader, writer):
                    pass
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request. Whether the connection lives on."""
        head = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: *(\d+)", head, re.IGNORECASE)
        body = orjson.loads(await reader.readexactly(int(length[1]) if length else 0))
        said = [m["content"] for m in body["messages"] if m["role"] == "user"]
        kind, count, nonce = said[-1].split()[-3:]
        self._asked[nonce] += 1
        if kind == "moody" and self._asked[nonce] < 3:
            writer.write(b"HTTP/1.1 503 Busy\r\ncontent-length: 0\r\n\r\n")
            await writer.drain()
            return True
        writer.write(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
        )
        async for piece in self._pieces(body["messages"], said, kind, int(count)):
            data = b"data: %b\n\n" % orjson.dumps({"choices": [{"index": 0, **piece}]})
            writer.write(b"%x\r\n%b\r\n" % (len(data), data))
            await writer.drain()
            await asyncio.sleep(PIECE)
        if kind == "broken":
            return False
        writer.write(b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n")
        await writer.drain()
        return True

    async def _pieces(
        self, messages: list[Any], said: list[str], kind: str, count: int
    ) -> AsyncIterator[dict[str, Any]]:
        nonces = re.findall(r"#(\w+)", " ".join(said))
        tag = f"[{len(nonces)} {zlib.crc32(' '.join(nonces).encode())}] "
        yield {"delta": {"role": "assistant", "content": tag}}
        if kind == "one" and messages[-1]["role"] == "user":
            call = {"name": "echo", "arguments": orjson.dumps({"text": "é" * count}).decode()}
            calls = [{"index": 0, "id": "c1", "type": "function", "function": call}]
            yield {"delta": {"tool_calls": calls}}
            yield {"delta": {}, "finish_reason": "tool_calls"}
            return
        for number in range(count):
            yield {"delta": {"content": f"piece {number} "}}
        if kind != "broken":
            yield {"delta": {}, "finish_reason": "stop"}
