"""The client's two nouns: a server, and one session there.

Every event comes once and in order, however often the network breaks. It is not a queue: what was sent while the
process was away is heard by `resume`.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from secrets import token_hex
from types import TracebackType
from typing import Final, Self

import httpx2

from litro.client.connection import Ask, Connection
from litro.client.course import Broken, Course, Lines, Message
from litro.client.outage import Outage, Patience
from litro.errors import RemoteError
from litro.events import Event

_KEY: Final = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]{0,198}[\x21-\x7e])?")
_DRAIN: Final = 0.1
"""Seconds for the rest of a stream whose events were all heard, so that its connection can be used again."""


class AgentClient:
    """A Litro server. An async context manager, or closed by `aclose`.

    Args:
        base_url: Where the app is, with its mount: `https://example.com/ai`.
        headers: Sent with every request, such as `authorization`.
        transport: Another way to the server than the network, such as `httpx2.ASGITransport(app)`.
        silence: Seconds without a byte, heartbeats included, after which a connection counts as broken.
        patience: Seconds without a working connection, after which it gives up.
        wait: Seconds before the first new attempt; each further wait is twice as long, to 5 s.

    Raises:
        ValueError: `base_url` is not an http address.
    """

    def __init__(
        self,
        base_url: str,
        *,
        headers: Mapping[str, str] | None = None,
        transport: httpx2.AsyncBaseTransport | None = None,
        silence: float = 25.0,
        patience: float = 60.0,
        wait: float = 0.25,
    ) -> None:
        self._patience = Patience(silence=silence, outage=patience, wait=wait)
        self._connection = Connection(
            base_url, headers=headers or {}, transport=transport, silence=silence
        )

    def __repr__(self) -> str:
        return f"<AgentClient of {self._connection.host}>"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close every connection. Turns go on."""
        await self._connection.aclose()

    def session(
        self,
        agent: str,
        id: str,  # noqa: A002 - the log's own name for it
        *,
        headers: Mapping[str, str] | None = None,
    ) -> "ClientSession":
        """A session of an agent; nothing is asked before it is used.

        Args:
            agent: The agent's name.
            id: The session's id.
            headers: Sent with this session's requests, such as the `authorization` of its user.
        """
        return ClientSession(
            self._connection, self._connection.url(agent, id), headers or {}, self._patience
        )


class ClientSession:
    """One agent's session, as `AgentClient.session(…)` answers it. The shape is that of a session in process."""

    def __init__(
        self, connection: Connection, url: str, headers: Mapping[str, str], patience: Patience
    ) -> None:
        self._connection = connection
        self._url = url
        self._headers = headers
        self._patience = patience

    def __repr__(self) -> str:
        return f"<ClientSession {self._url}>"

    async def send(self, text: str, *, id: str | None = None) -> AsyncGenerator[Event]:  # noqa: A002
        """Say something; the turn's events as they become durable, `turn-end` last.

        Leaving the loop does not stop the turn: `cancel` does.

        Args:
            text: What to say.
            id: The message's id, sent as `Idempotency-Key`. A message that was sent before under it is not sent
                again: its turn's events are answered. A random one unless given.

        Raises:
            RemoteError: The server refused, the stream failed, or nothing could be heard for too long.
            ValueError: `id` cannot be a header.
        """
        key = token_hex(16) if id is None else id
        if _KEY.fullmatch(key) is None:
            msg = f"send: id is {key[:80]!r}, so 1 to 200 printable ASCII characters are required."
            raise ValueError(msg)
        async with aclosing(self._hear(Course(message=Message(text=text, key=key)))) as events:
            async for event in events:
                yield event

    async def resume(self, start: int = 0) -> AsyncGenerator[Event]:
        """The events from seq `start` on, and those of a turn in flight to its end.

        Args:
            start: The first seq; negative counts from the session's last event.

        Raises:
            RemoteError: As `send`.
        """
        async with aclosing(self._hear(Course(start=start))) as events:
            async for event in events:
                yield event

    async def cancel(self) -> bool:
        """Cancel the running turn. False where none runs.

        Raises:
            RemoteError: As `send`.
        """
        outage = Outage(self._patience)
        ask = Ask(method="POST", url=f"{self._url}/cancel", headers=self._headers, body={})
        is_repeated = False
        while True:
            try:
                async with self._connection.ask(ask, is_repeated=is_repeated) as answer:
                    return answer.status_code == 202
            except Broken as broken:
                await self._pause(outage, broken)
                is_repeated = True

    async def _hear(self, course: Course) -> AsyncGenerator[Event]:
        """Every event of the course, over as many connections as it takes."""
        outage = Outage(self._patience)
        is_repeated = False
        while not course.is_over:
            try:
                async with aclosing(self._once(course, outage, is_repeated=is_repeated)) as events:
                    async for event in events:
                        yield event
            except Broken as broken:
                await self._pause(outage, broken)
            is_repeated = True

    async def _once(
        self, course: Course, outage: Outage, *, is_repeated: bool
    ) -> AsyncGenerator[Event]:
        """The events that one connection brings."""
        async with (
            self._connection.ask(self._next(course), is_repeated=is_repeated) as answer,
            aclosing(answer.aiter_bytes()) as pieces,
        ):
            self._connection.check_stream(answer)
            if course.has_to_say_it:
                course.opened(answer.headers.get("litro-turn"), answer.headers.get("litro-from"))
            lines, heard = Lines(), 0
            async for chunk in pieces:
                for line in lines.feed(chunk):
                    heard += 1
                    event = course.hear(line)
                    # The first line comes whatever happens next, so it proves nothing.
                    if event is not None or (not line and heard > 1):
                        outage.end()
                    if event is not None:
                        yield event
                    if course.is_over:
                        await _drain(pieces)
                        return
        msg = "the stream ended before its last line"
        raise Broken(msg)

    def _next(self, course: Course) -> Ask:
        if course.message is not None and course.has_to_say_it:
            headers = {**self._headers, "idempotency-key": course.message.key}
            body = {"text": course.message.text}
            return Ask(method="POST", url=self._url, headers=headers, body=body)
        url = f"{self._url}?from={course.following}"
        return Ask(method="GET", url=url, headers=self._headers)

    async def _pause(self, outage: Outage, broken: Broken) -> None:
        refusal = broken.refusal
        asked = None if refusal is None else refusal.retry_after
        wait = outage.wait(asyncio.get_running_loop().time(), asked=asked)
        if wait is not None:
            await asyncio.sleep(wait)
            return
        if refusal is not None:
            raise refusal
        message = (
            f"{self._connection.host} could not be heard for {self._patience.outage:g} s: {broken}.\n"
            "See that it runs and that base_url is its address; what it has recorded can be resumed."
        )
        raise RemoteError("unreachable", message) from broken


async def _drain(pieces: AsyncGenerator[bytes]) -> None:
    try:
        async with asyncio.timeout(_DRAIN):
            async for _ in pieces:
                pass
    except (TimeoutError, httpx2.HTTPError):
        return
