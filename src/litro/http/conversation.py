"""Conversation over HTTP: say something, hear a session, cancel its turn, and what waits in its queue."""

import re
from typing import Any, Final, get_args

from litro.events import OnBusy
from litro.gates import RequestHead
from litro.http.answers import Answer, Refused, failure, json_answer, of_stream
from litro.http.call import Call, invalid_body
from litro.http.excerpt import excerpt_of
from litro.http.sieve import at_most, without_deltas
from litro.http.streams import Stream, Streams
from litro.sessions.base import SessionMeta
from litro.turn.conversations import Conversations, Message, Queued
from litro.turn.runner import Turn

_KEY: Final = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]{0,198}[\x21-\x7e])?")


class Conversation:
    """What is said and heard.

    Args:
        conversations: Whom it is said to.
        streams: The app's open streams.
        development: Whether failures are told in full.
    """

    def __init__(
        self, conversations: Conversations, streams: Streams, *, development: bool
    ) -> None:
        self._conversations = conversations
        self._streams = streams
        self._development = development

    async def say(self, call: Call) -> Answer | None:
        """Start a turn and stream it, or put the message into the queue."""
        await self._conversations.meta(call.key, call.principal)
        message = await _message(call)
        turn = await self._conversations.begin(
            call.key, message, principal=call.principal, request=call.request
        )
        if isinstance(turn, Queued):
            return _waits(turn)
        stream = self._stream(call)
        try:
            await stream.open(
                [
                    (b"litro-turn", str(turn.number).encode()),
                    (b"litro-from", str(turn.start).encode()),
                    *call.headers,
                ]
            )
        finally:
            # It was accepted, so it runs, whether or not its client is still there.
            if isinstance(turn, Turn):
                self._conversations.run(turn)
        events = self._conversations.follow(call.key, turn.start, turn=turn.number)
        await stream.run(events, turn.start)
        return None

    async def hear(self, call: Call) -> Answer | None:
        """Stream the session's events, and those of a turn in flight to its end."""
        meta = await self._conversations.meta(call.key, call.principal)
        tail = 0 if meta is None else meta.tail
        excerpt = excerpt_of(call, tail)
        if _is_up_to_date(call, meta, excerpt.start):
            return Answer(status=204)
        stream = self._stream(call)
        if call.head.method == "HEAD":
            await stream.open_head(call.headers)
            return None
        await stream.open(call.headers)
        running = meta.running if meta is not None and excerpt.follows else None
        events = self._conversations.follow(call.key, excerpt.start, turn=running)
        if not excerpt.deltas:
            events = without_deltas(events, tail)
        if excerpt.limit is not None:
            events = at_most(events, excerpt.limit)
        await stream.run(events, excerpt.start)
        return None

    async def cancel(self, call: Call) -> Answer:
        """Cancel the running turn."""
        await self._conversations.meta(call.key, call.principal)
        await call.no_body()
        if await self._conversations.cancel(call.key, principal=call.principal):
            return json_answer(202, {"cancelling": True})
        return json_answer(200, {"cancelling": False})

    async def queue(self, call: Call) -> Answer:
        """Tell which messages wait."""
        await self._conversations.meta(call.key, call.principal)
        waiting = await self._conversations.queue(call.key, principal=call.principal)
        told: list[dict[str, Any]] = []
        for message in waiting:
            fields = {"id": message.id, "text": message.text, "mode": message.mode}
            told.append(fields if message.by is None else {**fields, "by": message.by})
        return json_answer(200, {"queue": told})

    async def withdraw(self, call: Call) -> Answer:
        """Take a message that waits out of the queue."""
        await self._conversations.meta(call.key, call.principal)
        await call.no_body()
        withdrawn = await self._conversations.withdraw(
            call.key, call.route.message, principal=call.principal
        )
        return json_answer(200, {"withdrawn": withdrawn})

    def _stream(self, call: Call) -> Stream:
        return Stream(call.receive, call.send, self._streams, sse=call.wants_sse, tell=self._tell)

    def _tell(self, error: BaseException) -> Any:
        return of_stream(error, development=self._development)


async def _message(call: Call) -> Message:
    content = await call.fields("text", "on_busy")
    text = content.get("text")
    if not isinstance(text, str) or not text.strip():
        message = f"`text` is {text!r:.80}, so a string that is not blank is required."
        raise invalid_body(message)
    on_busy = content.get("on_busy")
    if "on_busy" in content and on_busy not in get_args(OnBusy):
        message = (
            f"`on_busy` is {on_busy!r:.80}, so one of {', '.join(get_args(OnBusy))} is required."
        )
        raise invalid_body(message)
    return Message(text=text, id=_idempotency_key(call.head), on_busy=on_busy)


def _idempotency_key(head: RequestHead) -> str | None:
    key = head.headers.get("idempotency-key")
    if key is not None and _KEY.fullmatch(key) is None:
        message = (
            f"Idempotency-Key is {key[:80]!r}, so 1 to 200 printable ASCII characters are required."
        )
        raise Refused(failure(400, "invalid-idempotency-key", message))
    return key


def _waits(queued: Queued) -> Answer:
    content = {"id": queued.id, "mode": queued.mode, "turn": queued.turn}
    return json_answer(202, {"queued": content}, (b"litro-from", str(queued.start).encode()))


def _is_up_to_date(call: Call, meta: SessionMeta | None, start: int) -> bool:
    """Whether an EventSource that reconnects has heard everything: 204 tells it to stop."""
    return (
        call.wants_sse
        and "last-event-id" in call.head.headers
        and meta is not None
        and meta.running is None
        and start == meta.tail + 1
    )
