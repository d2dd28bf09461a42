"""The answer to one MCP message over HTTP: one JSON body, or a stream of Server-Sent Events that ends with it.

It is JSON until something is to be said before the end. It knows bytes and statuses, and nothing of JSON-RPC.
"""

import asyncio
import contextlib
from typing import Final

from litro.gates import Headers
from litro.http import streams as streaming
from litro.http.answers import Answer, Send

_JSON: Final = (
    (b"content-type", b"application/json"),
    (b"x-content-type-options", b"nosniff"),
)
_HEARTBEAT: Final = b": heartbeat\n\n"


class Reply:
    """An answer on its way.

    Args:
        send: Of the request.
        headers: What every answer says.
        streams: Whether the client can read a stream, and may have one.
        json: Whether it can read a single JSON body.
        heartbeat: Seconds of silence after which a stream begins, or shows that it lives. None: as for other streams.
    """

    def __init__(
        self,
        send: Send,
        headers: Headers,
        *,
        streams: bool,
        json: bool = True,
        heartbeat: float | None = None,
    ) -> None:
        self._send = send
        self._headers = headers
        self._streams = streams
        self._json = json
        self._heartbeat = streaming.HEARTBEAT_SECONDS if heartbeat is None else heartbeat
        # A second frame must not overtake the first while the client is slow to read.
        self._turn = asyncio.Lock()
        self._timer: asyncio.TimerHandle | None = None
        self._beating: asyncio.Task[None] | None = None
        self.is_begun: bool = False
        self.is_over: bool = False

    def begin(self) -> None:
        """From now on, silence is filled."""
        if self._streams and not self.is_over:
            self._timer = asyncio.get_running_loop().call_later(self._heartbeat, self._beat)

    async def notify(self, message: bytes) -> None:
        """Say something before the end. It is dropped where there is no stream."""
        if self._streams:
            await self._frame(_event(message))

    async def finish(self, status: int, message: bytes) -> None:
        """The end.

        Args:
            status: Of the response, unless a stream has begun.
            message: The JSON.
        """
        self.stop()
        async with self._turn:
            if self.is_over:
                return
            self.is_over = True
            if self.is_begun or not self._json:
                await self._begin_stream()
                await self._write(_event(message), more=False)
            else:
                self.is_begun = True
                answer = Answer(status=status, body=message, headers=_JSON)
                await answer.send(self._send, self._headers)

    async def accept(self) -> None:
        """202: nothing is going to be said."""
        self.is_begun = self.is_over = True
        await Answer(status=202).send(self._send, self._headers)

    async def break_off(self) -> None:
        """End without the end of the message: the client is gone, or the server is going."""
        self.stop()
        async with self._turn:
            if self.is_over:
                return
            self.is_over = True
            if self.is_begun:
                await self._write(b"", more=False)
            else:
                self.is_begun = True
                await Answer(status=204).send(self._send, self._headers)

    def stop(self) -> None:
        """Fill no more silence."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _beat(self) -> None:
        if self._beating is None or self._beating.done():
            # The task is kept, since the loop alone would let it be collected.
            self._beating = asyncio.create_task(self._frame(_HEARTBEAT))
        self.begin()

    async def _frame(self, frame: bytes) -> None:
        async with self._turn:
            # That the client is gone is noticed elsewhere; whoever reports progress must not fail of it.
            with contextlib.suppress(OSError):
                if not self.is_over:
                    await self._begin_stream()
                    await self._write(frame, more=True)

    async def _begin_stream(self) -> None:
        if self.is_begun:
            return
        self.is_begun = True
        headers = [(b"content-type", b"text/event-stream"), *streaming.NEVER_BUFFER, *self._headers]
        await self._send({"type": "http.response.start", "status": 200, "headers": headers})

    async def _write(self, data: bytes, *, more: bool) -> None:
        await self._send({"type": "http.response.body", "body": data, "more_body": more})


def _event(message: bytes) -> bytes:
    return b"event: message\ndata: " + message + b"\n\n"
