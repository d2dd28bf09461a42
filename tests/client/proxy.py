"""A TCP proxy that behaves badly on purpose, one plan a connection."""

import asyncio
import contextlib
import socket
from collections import deque
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What happens to one connection."""

    after: int | None = None
    """Bytes of the response that pass before `how`, when there is one; None lets everything pass."""
    how: str = "fin"
    """`fin` closes, `rst` resets, `stall` goes on without a byte."""
    request_after: int | None = None
    """Bytes of the request that pass before it is cut off, on both sides."""
    piece: int = 65536
    """The longest piece of the response that is sent at once."""
    every: float = 0.0
    """Seconds between two pieces."""
    says: bytes = b""
    """An answer of the proxy's own: the server is never asked."""
    refuse: float = 0.0
    """Seconds without a listener after this connection has ended."""


PASS = Plan()


class Proxy:
    """Listens on a port and forwards to another; connections take the plans in turn, then `PASS`.

    Attributes:
        target: The port that is forwarded to; new connections go where it says then.
        requests: What each connection asked, as far as it came.
        responses: What each connection got from the server, as far as it was read.
    """

    def __init__(self, target: int, plans: Iterable[Plan] = ()) -> None:
        self.plans = deque(plans)
        self.requests: list[bytearray] = []
        self.responses: list[bytearray] = []
        self.target = target
        self._tasks: set[asyncio.Task[None]] = set()
        self._count = asyncio.Condition()
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        await self._stop_listening()
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def connections(self, number: int) -> None:
        """Wait until as many connections have asked something."""
        async with self._count:
            await self._count.wait_for(lambda: len(self.requests) >= number)

    async def idle(self) -> None:
        """Wait until no connection is open."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def _stop_listening(self) -> None:
        # A connection that was accepted a moment ago needs a few turns of the loop and a server that is open.
        for listener in self._server.sockets:
            asyncio.get_running_loop().remove_reader(listener.fileno())
        for _ in range(5):
            await asyncio.sleep(0)
        self._server.close()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._connection(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        # Also where it was cancelled before it began.
        task.add_done_callback(lambda _: writer.close())

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked = await reader.read(65536)
        # Browsers open connections ahead of need: one that asks nothing is none, and takes no plan.
        if not asked:
            return
        plan = self.plans.popleft() if self.plans else PASS
        request, response = bytearray(asked), bytearray()
        self.requests.append(request)
        self.responses.append(response)
        with contextlib.suppress(ConnectionError):
            async with self._count:
                self._count.notify_all()
            if plan.says:
                writer.write(plan.says)
                await writer.drain()
            else:
                await self._forward(plan, reader, writer, request, response)
        if plan.refuse:
            await self._stop_listening()
        end(writer, reset=plan.how == "rst")
        if plan.refuse:
            await asyncio.sleep(plan.refuse)
            await self.start()

    async def _forward(
        self,
        plan: Plan,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        request: bytearray,
        response: bytearray,
    ) -> None:
        upstream, out = await asyncio.open_connection("127.0.0.1", self.target)
        up = asyncio.create_task(self._up(plan, reader, out, request))
        down = asyncio.create_task(self._down(plan, upstream, writer, response))
        try:
            await asyncio.wait({up, down}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            up.cancel()
            down.cancel()
            end(out, reset=plan.request_after is not None and plan.how == "rst")
            await asyncio.wait({up, down})

    async def _up(
        self,
        plan: Plan,
        reader: asyncio.StreamReader,
        out: asyncio.StreamWriter,
        request: bytearray,
    ) -> None:
        passed = 0
        chunk = bytes(request)
        with contextlib.suppress(ConnectionError):
            while chunk:
                if plan.request_after is not None:
                    chunk = chunk[: plan.request_after - passed]
                out.write(chunk)
                await out.drain()
                passed += len(chunk)
                if passed == plan.request_after:
                    return
                chunk = await reader.read(65536)
                request += chunk

    async def _down(
        self,
        plan: Plan,
        upstream: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        response: bytearray,
    ) -> None:
        with contextlib.suppress(ConnectionError):
            async for piece in pieces(upstream, plan):
                left = len(piece) if plan.after is None else max(plan.after - len(response), 0)
                response += piece
                writer.write(piece[:left])
                await writer.drain()
                if plan.after is not None and len(response) >= plan.after:
                    if plan.how == "stall":
                        await asyncio.Event().wait()
                    return
                if plan.every:
                    await asyncio.sleep(plan.every)


async def pieces(upstream: asyncio.StreamReader, plan: Plan) -> AsyncIterator[bytes]:
    while chunk := await upstream.read(65536):
        for start in range(0, len(chunk), plan.piece):
            yield chunk[start : start + plan.piece]


def end(writer: asyncio.StreamWriter, *, reset: bool) -> None:
    """Close a connection, or reset it as a machine does that lost power and came back."""
    if reset:
        raw = writer.get_extra_info("socket")
        # The other side may have been faster.
        with contextlib.suppress(OSError):
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        writer.transport.abort()
    else:
        writer.close()
