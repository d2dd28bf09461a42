"""An answer on its way: one body or a stream, whole frames in order, and nothing behind the end."""

import asyncio
from typing import Any

import pytest

from litro.mcp.reply import Reply


class Wire:
    """Takes what is sent, as soon as the client reads."""

    def __init__(self) -> None:
        self.sent: list[Any] = []
        self.reads = asyncio.Event()
        self.reads.set()

    async def send(self, message: Any) -> None:
        await self.reads.wait()
        self.sent.append(message)

    @property
    def kinds(self) -> list[str]:
        return [message["type"].removeprefix("http.response.") for message in self.sent]

    @property
    def body(self) -> bytes:
        return b"".join(message.get("body", b"") for message in self.sent)

    @property
    def is_ended(self) -> bool:
        return not self.sent[-1].get("more_body", False)


@pytest.fixture
async def wire() -> Wire:
    return Wire()


async def test_an_answer_without_anything_before_it_is_one_body_with_its_status(wire: Wire):
    reply = Reply(wire.send, [(b"vary", b"Origin")], streams=True)
    await reply.finish(404, b"{}")
    assert wire.sent[0]["status"] == 404
    assert (b"vary", b"Origin") in wire.sent[0]["headers"]
    assert (wire.kinds, wire.body, wire.is_ended) == (["start", "body"], b"{}", True)


async def test_what_is_said_before_the_end_makes_it_a_stream(wire: Wire):
    reply = Reply(wire.send, [], streams=True)
    await reply.notify(b"1")
    await reply.notify(b"2")
    await reply.finish(404, b"3")
    assert wire.sent[0]["status"] == 200
    assert wire.body == b"".join(b"event: message\ndata: %d\n\n" % n for n in (1, 2, 3))
    assert (wire.kinds, wire.is_ended) == (["start", "body", "body", "body"], True)


async def test_without_a_stream_what_is_said_before_the_end_is_dropped(wire: Wire):
    reply = Reply(wire.send, [], streams=False)
    reply.begin()
    await reply.notify(b"1")
    await reply.finish(200, b"2")
    assert wire.body == b"2"


async def test_nothing_follows_the_end(wire: Wire):
    for end in ("finish", "accept", "break_off"):
        reply = Reply(wire.send, [], streams=True)
        reply.begin()
        await getattr(reply, end)(*((200, b"1") if end == "finish" else ()))
        reply.stop()
        count = len(wire.sent)
        await reply.notify(b"2")
        await reply.finish(200, b"3")
        await reply.break_off()
        assert len(wire.sent) == count


async def test_no_frame_overtakes_another_while_the_client_is_slow(wire: Wire):
    reply = Reply(wire.send, [], streams=True)
    wire.reads.clear()
    told = [asyncio.create_task(reply.notify(b"%d" % number)) for number in range(3)]
    await asyncio.sleep(0)
    end = asyncio.create_task(reply.finish(200, b"3"))
    await asyncio.sleep(0)
    wire.reads.set()
    await asyncio.gather(*told, end)
    assert wire.kinds == ["start", "body", "body", "body", "body"]
    assert [line[6:] for line in wire.body.splitlines() if line[:5] == b"data:"] == [
        b"0",
        b"1",
        b"2",
        b"3",
    ]


async def test_a_stream_that_is_broken_off_ends_without_a_message(wire: Wire):
    reply = Reply(wire.send, [], streams=True)
    await reply.notify(b"1")
    await reply.break_off()
    assert (wire.body, wire.is_ended) == (b"event: message\ndata: 1\n\n", True)


async def test_silence_is_filled_until_the_end(wire: Wire):
    reply = Reply(wire.send, [], streams=True, heartbeat=0)
    reply.begin()
    while wire.body.count(b": heartbeat\n\n") < 3:
        await asyncio.sleep(0)
    await reply.finish(200, b"1")
    assert wire.body.endswith(b": heartbeat\n\nevent: message\ndata: 1\n\n")
    assert wire.is_ended


async def test_whoever_reports_does_not_fail_when_the_client_is_gone():
    async def send(message: Any) -> None:
        raise OSError("gone")

    await Reply(send, [], streams=True).notify(b"1")
