"""A model server on a loopback socket that answers what a test says, byte for byte."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from litro.testing.requests import check_chat_request, check_messages_request

STREAMED = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
)


@dataclass
class Asked:
    """A request as it came."""

    line: str
    headers: dict[str, str]
    body: Any


@dataclass
class Loopback:
    """The server."""

    url: str
    asked: list[Asked] = field(default_factory=list)
    connections: int = 0
    refused: list[AssertionError] = field(default_factory=list)
    """What the real APIs would have refused."""
    left: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when a client has closed its connection."""


Answer = Callable[[asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def serving(answer: Answer, *, port: int = 0) -> AsyncIterator[Loopback]:
    """Serve `answer` to every request, on connections that stay open until it or the client closes them."""

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        loopback.connections += 1
        try:
            while (asked := await _read(reader)) is not None:
                loopback.asked.append(asked)
                _judge(asked, loopback)
                await answer(writer)
                await writer.drain()
        except ConnectionError:
            pass
        finally:
            loopback.left.set()
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", port)
    port = server.sockets[0].getsockname()[1]
    loopback = Loopback(f"http://127.0.0.1:{port}")
    async with server:
        yield loopback
    for refusal in loopback.refused:
        raise refusal


def _judge(asked: Asked, loopback: Loopback) -> None:
    check = check_messages_request if "/v1/messages " in asked.line else check_chat_request
    try:
        check(asked.body)
    except AssertionError as refusal:
        loopback.refused.append(refusal)


async def _read(reader: asyncio.StreamReader) -> Asked | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
    except asyncio.IncompleteReadError:
        return None
    line, *fields = head.strip().split("\r\n")
    headers = dict(field.lower().split(": ", 1) for field in fields)
    body = await reader.readexactly(int(headers["content-length"]))
    return Asked(line, headers, json.loads(body))


def streams(*pieces: bytes) -> Answer:
    """A whole stream, each piece a chunk and a write of its own."""

    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(STREAMED)
        for piece in pieces:
            writer.write(chunked(piece))
            await writer.drain()
        writer.write(b"0\r\n\r\n")

    return answer


def breaks_off(*pieces: bytes) -> Answer:
    """A stream that ends in the middle, its connection closed."""

    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(STREAMED + b"".join(map(chunked, pieces)))
        writer.close()

    return answer


def stays_silent(*pieces: bytes) -> Answer:
    """A stream that begins and never goes on."""

    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(b"".join([STREAMED, *map(chunked, pieces)] if pieces else []))

    return answer


def answers(status: int, body: bytes = b"", **headers: str) -> Answer:
    """An answer in one piece."""

    async def answer(writer: asyncio.StreamWriter) -> None:
        fields = {"content-type": "application/json", "content-length": str(len(body))}
        fields |= {name.replace("_", "-"): value for name, value in headers.items()}
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        writer.write(f"HTTP/1.1 {status} X\r\n{head}\r\n".encode() + body)

    return answer


def one_after_another(*several: Answer) -> Answer:
    """Each request gets the next answer, and the last one stays."""
    left = list(several)

    async def answer(writer: asyncio.StreamWriter) -> None:
        await (left.pop(0) if len(left) > 1 else left[0])(writer)

    return answer


def chunked(piece: bytes) -> bytes:
    return f"{len(piece):x}\r\n".encode() + piece + b"\r\n"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
