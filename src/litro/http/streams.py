"""Streams of events to a client: NDJSON or Server-Sent Events, raw ASGI.

A stream is a tail of the log. It owns no turn: a client that leaves ends its stream and nothing else. Heartbeats of all
streams share one timer, and when the server goes away each stream says from where to resume.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Final

from litro import wire
from litro.events import ErrorPayload
from litro.gates import Headers
from litro.http.answers import Receive, Send

HEARTBEAT_SECONDS: Final = 10.0
_FAREWELL: Final = 1.0
"""Seconds for a last line to a client that may not be reading."""

NEVER_BUFFER: Final = (
    (b"cache-control", b"no-store, no-transform"),
    (b"x-accel-buffering", b"no"),
    # Compressing middleware holds events back until it has enough of them; this says that the body is encoded already.
    (b"content-encoding", b"identity"),
    (b"x-content-type-options", b"nosniff"),
)


class Streams:
    """The open streams of an app."""

    def __init__(self) -> None:
        self._open: set[Stream] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._beats: set[asyncio.Task[None]] = set()
        self.is_leaving: bool = False

    def add(self, stream: "Stream") -> None:
        """Give the stream heartbeats, and a goodbye."""
        self._open.add(stream)
        if self.is_leaving:
            stream.leave()
        if self._timer is None:
            self._schedule()

    def remove(self, stream: "Stream") -> None:
        """The stream has ended."""
        self._open.discard(stream)
        if not self._open and self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def leave(self) -> None:
        """The server is going away: end every stream with where to resume from."""
        self.is_leaving = True
        for stream in list(self._open):
            stream.leave()

    def _schedule(self) -> None:
        # Twice an interval: a stream that spoke right after one look is silent for almost two when it is found so.
        self._timer = asyncio.get_running_loop().call_later(HEARTBEAT_SECONDS / 2, self._beat)

    def _beat(self) -> None:
        for stream in self._open:
            if stream.is_silent():
                task = asyncio.create_task(self._beat_of(stream))
                self._beats.add(task)
                task.add_done_callback(self._beats.discard)
        self._schedule()

    async def _beat_of(self, stream: "Stream") -> None:
        # It may have ended since the timer found it silent, and nothing may follow an end.
        if stream in self._open:
            await stream.beat()


class Stream:
    """One response of events.

    Args:
        receive: Of the request.
        send: Of the request.
        streams: The app's open streams.
        sse: Whether the client asked for Server-Sent Events.
        tell: Words for an error that ends the stream.
    """

    def __init__(
        self,
        receive: Receive,
        send: Send,
        streams: Streams,
        *,
        sse: bool,
        tell: Callable[[BaseException], ErrorPayload],
    ) -> None:
        self._receive = receive
        self._send = send
        self._streams = streams
        self._sse = sse
        self._tell = tell
        self._following = 1
        self._spoke = True
        self._beating = False
        self._pump: asyncio.Task[None] | None = None

    async def open(self, headers: Headers) -> None:
        """Send the status, the headers and a first byte, before there is any event.

        Proxies and some servers hold headers back until a byte of the body follows.
        """
        await self._start(headers)
        await self._write(wire.SSE_HEARTBEAT if self._sse else wire.HEARTBEAT)

    async def open_head(self, headers: Headers) -> None:
        """Answer a HEAD request: what `open` sends, without a body."""
        await self._start(headers)
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def run(self, blocks: AsyncIterator[bytes], start: int) -> None:
        """Send the blocks of events, the first of them from seq `start`, and the line that tells how it ended."""
        self._following = start
        pump = self._pump = asyncio.create_task(self._copy(blocks))
        gone = asyncio.create_task(self._disconnected())
        self._streams.add(self)
        try:
            await asyncio.wait({pump, gone}, return_when=asyncio.FIRST_COMPLETED)
            # Nothing may follow the last line, a heartbeat neither.
            self._streams.remove(self)
            if pump.done() and not gone.done():
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._finish(pump), _FAREWELL)
        finally:
            self._streams.remove(self)
            for task in (pump, gone):
                task.cancel()
            await asyncio.wait({pump, gone})
            if not pump.cancelled():
                # Told on the wire where somebody still listens; retrieved so that nothing warns of it.
                pump.exception()

    def leave(self) -> None:
        """End the stream: the server is going away."""
        if self._pump is not None:
            self._pump.cancel()

    def is_silent(self) -> bool:
        """Whether nothing was sent since this was last asked."""
        spoke, self._spoke = self._spoke, False
        return not spoke and not self._beating

    async def beat(self) -> None:
        """Send a heartbeat."""
        self._beating = True
        try:
            await self._write(wire.SSE_HEARTBEAT if self._sse else wire.HEARTBEAT)
        finally:
            self._beating = False

    async def _start(self, headers: Headers) -> None:
        kind = b"text/event-stream" if self._sse else b"application/x-ndjson"
        all_headers = [(b"content-type", kind + b"; charset=utf-8"), *NEVER_BUFFER, *headers]
        await self._send({"type": "http.response.start", "status": 200, "headers": all_headers})

    async def _copy(self, blocks: AsyncIterator[bytes]) -> None:
        async for block in blocks:
            await self._write(wire.to_sse(block) if self._sse else block)
            last = wire.last_seq(block)
            if last is not None:
                self._following = last + 1

    async def _finish(self, pump: "asyncio.Task[None]") -> None:
        if pump.cancelled():
            line = wire.encode_bye(self._following)
        elif (error := pump.exception()) is not None:
            line = wire.encode_err(self._tell(error))
        else:
            line = wire.DONE
        if self._sse:
            line = wire.control_to_sse(line)
        await self._send({"type": "http.response.body", "body": line, "more_body": False})

    async def _write(self, data: bytes) -> None:
        self._spoke = True
        await self._send({"type": "http.response.body", "body": data, "more_body": True})

    async def _disconnected(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
