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
from typing import Any, Final, Literal, Self
from urllib.parse import quote, urlencode

import httpx2

from litro.client.connection import Ask, Connection
from litro.client.course import Broken, Course, Lines, Message, StillWaits
from litro.client.listing import (
    SessionFork,
    SessionPage,
    WaitingMessage,
    field_of,
    fork_of,
    page_of,
    queue_of,
)
from litro.client.outage import Outage, Patience
from litro.client.retrying import Reply, Retrying
from litro.events import Event, OnBusy

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
        self._connection = Connection(
            base_url, headers=headers or {}, transport=transport, silence=silence
        )
        self._server = Retrying(
            self._connection, Patience(silence=silence, outage=patience, wait=wait)
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
        return ClientSession(self._server, agent, id, headers or {})

    async def sessions(
        self,
        agent: str,
        *,
        cursor: str | None = None,
        limit: int = 50,
        headers: Mapping[str, str] | None = None,
    ) -> SessionPage:
        """A page of the sessions that whoever asks has with the agent, the last updated first.

        Args:
            agent: The agent's name.
            cursor: The `next` of the page before; None for the first.
            limit: How many, 1 to 200.
            headers: Sent with this request, such as the `authorization` of its user.

        Raises:
            RemoteError: The server refused, or could not be heard for too long.
        """
        query = urlencode({"limit": limit} | ({} if cursor is None else {"cursor": cursor}))
        url = f"{self._connection.url(agent)}?{query}"
        reply = await self._server.answer(Ask(method="GET", url=url, headers=headers or {}))
        return page_of(reply.content)


class ClientSession:
    """One agent's session, as `AgentClient.session(…)` answers it. The shape is that of a session in process."""

    def __init__(
        self, server: Retrying, agent: str, session: str, headers: Mapping[str, str]
    ) -> None:
        self.id = session
        self._server = server
        self._connection = server.connection
        self._url = server.connection.url(agent, session)
        self._headers = headers

    def __repr__(self) -> str:
        return f"<ClientSession {self._url}>"

    async def send(
        self,
        text: str,
        *,
        id: str | None = None,  # noqa: A002
        on_busy: OnBusy | None = None,
    ) -> AsyncGenerator[Event]:
        """Say something; the turn's events as they become durable, `turn-end` last.

        Where a turn runs already and the message may wait: the events of the turn that it waits for; where it joins the
        running one, those from there on; where it is withdrawn, `withdrawn` alone.
        Leaving the loop does not stop the turn: `cancel` does. Nor does it withdraw a message that waits: `withdraw` does.

        Args:
            text: What to say.
            id: The message's id, sent as `Idempotency-Key`. A message that was sent before under it is not sent
                again: its turn's events are answered. A random one unless given.
            on_busy: What becomes of it while a turn runs: `"reject"`, `"queue"` or `"steer"`; the agent's own way unless given.

        Raises:
            RemoteError: The server refused, the stream failed, or nothing could be heard for too long.
            ValueError: `id` cannot be a header.
        """
        key = token_hex(16) if id is None else id
        if _KEY.fullmatch(key) is None:
            msg = f"send: id is {key[:80]!r}, so 1 to 200 printable ASCII characters are required."
            raise ValueError(msg)
        message = Message(text=text, key=key, on_busy=on_busy)
        async with aclosing(self._hear(Course(message=message))) as events:
            async for event in events:
                yield event

    async def resume(
        self, start: int = 0, *, limit: int | None = None, deltas: bool = True
    ) -> AsyncGenerator[Event]:
        """The events from seq `start` on, and those of a turn in flight to its end.

        Args:
            start: The first seq; negative counts from the session's last event.
            limit: How many events at most. What follows is resumed from the seq behind the last of them.
            deltas: False leaves out the deltas of rounds that have their `message`, so that seqs have gaps. The round that
                is being said keeps them; its `message` may come without those that were missed.

        Raises:
            RemoteError: As `send`.
            ValueError: `limit` is less than 1.
        """
        if limit is not None and limit < 1:
            msg = f"resume: limit is {limit!r}, so a number of 1 or more is required."
            raise ValueError(msg)
        course = Course(start=start, limit=limit, deltas=deltas)
        async with aclosing(self._hear(course)) as events:
            async for event in events:
                yield event

    async def cancel(self) -> bool:
        """Cancel the running turn. False where none runs.

        Raises:
            RemoteError: As `send`.
        """
        return (await self._ask("POST", "/cancel", body={})).status == 202

    async def queue(self) -> tuple[WaitingMessage, ...]:
        """The messages that wait, in the order in which they will start.

        Raises:
            RemoteError: As `send`.
        """
        return queue_of((await self._ask("GET", "/queue")).content)

    async def withdraw(self, id: str) -> bool:  # noqa: A002
        """Take a message that waits out of the queue, so that it never starts. False where it has started, or none of this id waits.

        Raises:
            RemoteError: As `send`.
        """
        reply = await self._ask("DELETE", f"/queue/{quote(id, safe='')}")
        return reply.content is not None and field_of(reply.content, "withdrawn") is True

    async def rename(self, title: str) -> str:
        """Give the session a title, 1 to 120 characters; what it is now called.

        Raises:
            RemoteError: As `send`.
        """
        reply = await self._ask("PATCH", body={"title": title})
        return field_of(reply.content, "title")

    async def delete(self) -> None:
        """Delete the session for good.

        Raises:
            RemoteError: As `send`; `type` is `busy` while a turn runs.
        """
        await self._ask("DELETE")

    async def fork(self, *, at: int | None = None, id: str | None = None) -> SessionFork:  # noqa: A002
        """Make a session of this one's beginning. It is asked for once: after `unreachable`, nothing is known.

        Args:
            at: The seq to fork at, rounded down to a `turn-end`; the last one unless given.
            id: The new session's id; the server's choice unless given.

        Raises:
            RemoteError: As `send`; `type` is `no-turn-end` where no turn has ended there.
        """
        body: dict[str, Any] = {"at": at, "session": id}
        body = {name: value for name, value in body.items() if value is not None}
        return fork_of((await self._ask("POST", "/fork", body=body, is_once=True)).content)

    async def _ask(
        self,
        method: Literal["GET", "POST", "PATCH", "DELETE"],
        path: str = "",
        *,
        body: Mapping[str, Any] | None = None,
        is_once: bool = False,
    ) -> Reply:
        ask = Ask(method=method, url=f"{self._url}{path}", headers=self._headers, body=body)
        return await self._server.answer(ask, is_once=is_once)

    async def _hear(self, course: Course) -> AsyncGenerator[Event]:
        """Every event of the course, over as many connections as it takes."""
        outage = self._server.outage()
        is_repeated = False
        while not course.is_over:
            before = course.following
            try:
                async with aclosing(self._once(course, outage, is_repeated=is_repeated)) as events:
                    async for event in events:
                        yield event
            except StillWaits as broken:
                # A turn that ended is followed by the next at once; where nothing came, there is a reason to wait.
                if course.following == before:
                    await self._server.pause(outage, broken)
            except Broken as broken:
                await self._server.pause(outage, broken)
            is_repeated = True

    async def _once(
        self, course: Course, outage: Outage, *, is_repeated: bool
    ) -> AsyncGenerator[Event]:
        """The events that one connection brings."""
        async with (
            self._connection.ask(self._next(course), is_repeated=is_repeated) as answer,
            aclosing(answer.aiter_bytes()) as pieces,
        ):
            if course.has_to_say_it and answer.status_code == 202:
                course.queued(answer.headers.get("litro-from"))
                await _drain(pieces)
                return
            self._connection.check_stream(answer)
            if course.has_to_say_it:
                course.opened(answer.headers.get("litro-turn"), answer.headers.get("litro-from"))
            lines, heard = Lines(), 0
            async for chunk in pieces:
                for line in lines.feed(chunk):
                    heard += 1
                    before = course.following
                    event = course.hear(line)
                    # The first line comes whatever happens next, so it proves nothing.
                    if course.following != before or (not line and heard > 1):
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
            return Ask(method="POST", url=self._url, headers=headers, body=course.message.body)
        url = f"{self._url}?{course.query}"
        return Ask(method="GET", url=url, headers=self._headers)


async def _drain(pieces: AsyncGenerator[bytes]) -> None:
    try:
        async with asyncio.timeout(_DRAIN):
            async for _ in pieces:
                pass
    except (TimeoutError, httpx2.HTTPError):
        return
