"""The agent routes: start a turn, hear a session, cancel.

Raw ASGI, since streams are the hot path; Starlette serves where users meet a request. Everything that is true of any
surface is in `litro.turn.conversations`: here is what HTTP adds, which is gates, statuses and streams.
"""

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qs

from starlette.requests import Request

from litro.definitions import Access, Principal, owner_of
from litro.discovery.load import LoadedAgent
from litro.gates import GatePolicy, RequestHead, check, cors_headers
from litro.http import body
from litro.http.answers import (
    Answer,
    Receive,
    Refused,
    Scope,
    Send,
    failure,
    json_answer,
    of_error,
    of_refusal,
    of_stream,
)
from litro.http.streams import Stream, Streams
from litro.sessions.base import SessionKey, SessionMeta, is_caller_id
from litro.turn.conversations import Conversations, Message
from litro.turn.runner import Turn

# A session with a slash in it is no other route: it is refused as an id, by the gate for ids.
_ROUTE: Final = re.compile(
    r"/__litro/agent/(?P<agent>[^/]+)/(?P<session>.+?)(?P<cancel>/cancel)?", re.DOTALL
)
_KEY: Final = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]{0,198}[\x21-\x7e])?")
_METHODS: Final[Mapping[bool, tuple[str, ...]]] = {
    False: ("GET", "HEAD", "OPTIONS", "POST"),
    True: ("OPTIONS", "POST"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What the routes were configured with."""

    gates: GatePolicy
    access: Access | None
    """The guard of agents that have none of their own."""
    max_body: int
    development: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    """A request that has passed every gate."""

    key: SessionKey
    principal: Principal
    request: Request
    head: RequestHead
    headers: list[tuple[bytes, bytes]]
    receive: Receive
    send: Send

    @property
    def wants_sse(self) -> bool:
        return "text/event-stream" in self.head.headers.get("accept", "").lower()

    @property
    def query(self) -> dict[str, list[str]]:
        return parse_qs(self.request.url.query, keep_blank_values=True)


class AgentRoutes:
    """Serves `/__litro/agent/…`.

    Args:
        conversations: What is served.
        rules: How.
        streams: The app's open streams.
    """

    def __init__(self, conversations: Conversations, rules: Rules, streams: Streams) -> None:
        self._conversations = conversations
        self._rules = rules
        self._streams = streams

    async def __call__(self, path: str, scope: Scope, receive: Receive, send: Send) -> bool:
        """Answer a request for `path` below the mount. False where no route here has it."""
        route = _ROUTE.fullmatch(path)
        if route is None:
            return False
        head = RequestHead.from_scope(scope)
        cors = cors_headers(head, self._rules.gates)
        try:
            answer = await self._answer(route, head, cors, scope, receive, send)
        except Exception as error:  # noqa: BLE001 - the outermost edge: whatever it was, the client gets an answer
            answer = of_error(error, development=self._rules.development)
        if answer is not None:
            await answer.send(send, cors, with_body=head.method != "HEAD")
        return True

    async def _answer(
        self,
        route: "re.Match[str]",
        head: RequestHead,
        cors: list[tuple[bytes, bytes]],
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> Answer | None:
        methods = _METHODS[route["cancel"] is not None]
        allow = (b"allow", ", ".join(methods).encode())
        if head.method not in methods:
            message = f"{head.method} is not served here; {', '.join(methods)} are."
            return failure(405, "method-not-allowed", message, allow)
        refusal = check(head, self._rules.gates)
        if refusal is not None:
            return of_refusal(refusal)
        if head.method == "OPTIONS":
            return Answer(status=204, headers=(allow,))
        key = _session_key(route)
        agent = self._conversations.agent(key.agent)
        request = Request(scope)
        principal = await self._principal(agent, request)
        call = _Call(
            key=key,
            principal=principal,
            request=request,
            head=head,
            headers=cors,
            receive=receive,
            send=send,
        )
        if route["cancel"]:
            return await self._cancel(call)
        if head.method == "POST":
            return await self._post(call)
        return await self._get(call)

    async def _principal(self, agent: LoadedAgent, request: Request) -> Principal:
        guard = agent.agent.access or self._rules.access
        if guard is None:
            return None
        answer = guard(request)
        principal = await answer if inspect.isawaitable(answer) else answer
        owner_of(principal)
        return principal

    async def _post(self, call: _Call) -> Answer | None:
        await self._conversations.meta(call.key, call.principal)
        message = await self._message(call)
        turn = await self._conversations.begin(
            call.key, message, principal=call.principal, request=call.request
        )
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

    async def _get(self, call: _Call) -> Answer | None:
        meta = await self._conversations.meta(call.key, call.principal)
        start = _start(call, 0 if meta is None else meta.tail)
        follows = _follows(call)
        running = meta.running if meta is not None and follows else None
        if _is_up_to_date(call, meta, start):
            return Answer(status=204)
        stream = self._stream(call)
        if call.head.method == "HEAD":
            await stream.open_head(call.headers)
            return None
        await stream.open(call.headers)
        await stream.run(self._conversations.follow(call.key, start, turn=running), start)
        return None

    async def _cancel(self, call: _Call) -> Answer:
        await self._conversations.meta(call.key, call.principal)
        await body.read(call.receive, self._rules.max_body)
        if await self._conversations.cancel(call.key, principal=call.principal):
            return json_answer(202, {"cancelling": True})
        return json_answer(200, {"cancelling": False})

    async def _message(self, call: _Call) -> Message:
        content = await body.read_json_object(call.receive, self._rules.max_body)
        unknown = sorted(content.keys() - {"text"})
        if unknown:
            message = f"The body has the unknown keys {unknown!r}; `text` is the only one."
            raise Refused(failure(400, "invalid-body", message))
        text = content.get("text")
        if not isinstance(text, str) or not text.strip():
            message = f"`text` is {text!r:.80}, so a string that is not blank is required."
            raise Refused(failure(400, "invalid-body", message))
        return Message(text=text, id=_idempotency_key(call.head))

    def _stream(self, call: _Call) -> Stream:
        return Stream(call.receive, call.send, self._streams, sse=call.wants_sse, tell=self._tell)

    def _tell(self, error: BaseException) -> Any:
        return of_stream(error, development=self._rules.development)


def _session_key(route: "re.Match[str]") -> SessionKey:
    session = route["session"]
    if not is_caller_id(session):
        message = f"The session id {session[:80]!r} is not 1 to 64 of A-Z a-z 0-9 _ and -."
        raise Refused(failure(400, "invalid-session", message))
    return SessionKey(route["agent"], session)


def _idempotency_key(head: RequestHead) -> str | None:
    key = head.headers.get("idempotency-key")
    if key is not None and _KEY.fullmatch(key) is None:
        message = (
            f"Idempotency-Key is {key[:80]!r}, so 1 to 200 printable ASCII characters are required."
        )
        raise Refused(failure(400, "invalid-idempotency-key", message))
    return key


def _start(call: _Call, tail: int) -> int:
    """The seq to read from. `Last-Event-ID` wins: a browser that reconnects keeps the URL of its first request."""
    last = call.head.headers.get("last-event-id", "")
    if last:
        start = _whole(last, "Last-Event-ID") + 1
    else:
        start = _whole(call.query.get("from", ["0"])[-1], "from")
        if start < 0:
            start = max(tail + start + 1, 1)
    if start > tail + 1:
        message = f"The session's last event is {tail}, so it cannot be read from {start}."
        raise Refused(failure(416, "beyond-tail", message))
    return max(start, 1)


def _whole(text: str, what: str) -> int:
    if re.fullmatch(r"-?[0-9]{1,15}", text) is None:
        message = f"{what} is {text[:80]!r}, so a whole number is required."
        raise Refused(failure(400, "invalid-position", message))
    return int(text)


def _follows(call: _Call) -> bool:
    follow = call.query.get("follow", ["true"])[-1]
    if follow not in {"true", "false"}:
        message = f"follow is {follow[:80]!r}, so true or false is required."
        raise Refused(failure(400, "invalid-follow", message))
    return follow == "true"


def _is_up_to_date(call: _Call, meta: SessionMeta | None, start: int) -> bool:
    """Whether an EventSource that reconnects has heard everything: 204 tells it to stop."""
    return (
        call.wants_sse
        and "last-event-id" in call.head.headers
        and meta is not None
        and meta.running is None
        and start == meta.tail + 1
    )
