"""The inspector's addresses, `/__litro/inspector/…`: who may ask, and what answers.

Whoever asks has to sit at this machine: guards are not asked, so another machine's word would open every session. No other
site's page may ask either, also where `allowed_origins` lets it talk to agents.
"""

import dataclasses
from collections.abc import Awaitable, Callable, Mapping
from ipaddress import IPv6Address, ip_address
from typing import Any, Final

import orjson
from starlette.requests import Request

from litro.dev.inspector.agents import Known
from litro.dev.inspector.calling import Calling
from litro.dev.inspector.files import file_of
from litro.dev.inspector.place import Place, Resource, place_of
from litro.dev.inspector.rebuilding import Rebuilding
from litro.dev.inspector.recorder import Recorder
from litro.dev.inspector.resending import Resending
from litro.dev.inspector.sessions import agents_asked, events_of, page_of
from litro.dev.inspector.turns import known
from litro.discovery.load import LoadedAgent
from litro.errors import UnknownAgent
from litro.events import ErrorPayload
from litro.gates import GatePolicy, RequestHead, check
from litro.http.answers import (
    Answer,
    Receive,
    Scope,
    Send,
    failure,
    json_answer,
    of_error,
    of_refusal,
    of_stream,
)
from litro.http.assets import refusal_of
from litro.http.call import Call
from litro.http.excerpt import excerpt_of, limit_of
from litro.http.route import Route
from litro.http.streams import Stream, Streams
from litro.turn.catalogue import MAX_PAGE
from litro.turn.closing import closing
from litro.turn.conversations import Conversations
from litro.turn.runner import Surroundings

PATH: Final = "/__litro/inspector"
"""Where it is, below the mount."""

_API: Final = "/api"
_PAGE: Final = 50

Endpoint = Callable[[Call, Place], Awaitable[Answer | None]]


class Inspector:
    """Serves the inspector.

    Args:
        known: What is known of the project.
        conversations: Its conversations.
        surroundings: What its turns share. Requests to models are recorded from now on.
        gates: Who may ask agents.
        streams: The app's open streams.
        max_body: Bytes of a request's body.
        retired: Called when a call to an agent that is not served any more has ended.
    """

    def __init__(
        self,
        known: Known,
        conversations: Conversations,
        surroundings: Surroundings,
        *,
        gates: GatePolicy,
        streams: Streams,
        max_body: int,
        retired: Callable[[], None],
    ) -> None:
        recorder = Recorder()
        surroundings.asked = recorder.record
        self._known = known
        self._store = conversations.store
        self._gates = dataclasses.replace(gates, loopback_only=True, allowed_origins=())
        self._streams = streams
        self._max_body = max_body
        self._calling = Calling(conversations, surroundings, retired)
        self._rebuilding = Rebuilding(conversations, surroundings, recorder)
        self._resending = Resending(conversations)
        self._endpoints: Final[Mapping[Resource, Endpoint]] = {
            "agents": self._agents,
            "sessions": self._sessions,
            "events": self._events,
            "requests": self._requests,
            "resend": self._resend,
            "call": self._call,
        }

    @property
    def in_use(self) -> list[LoadedAgent]:
        """The agents whose tools are being called by hand."""
        return self._calling.in_use

    async def __call__(self, path: str, scope: Scope, receive: Receive, send: Send) -> bool:
        """Answer a request for `path` below the mount. False where it is another's."""
        if path != PATH and not path.startswith(f"{PATH}/"):
            return False
        head = RequestHead.from_scope(scope)
        try:
            answer = await self._answer(path.removeprefix(PATH), head, scope, receive, send)
        except Exception as error:  # noqa: BLE001 - the outermost edge: whatever it was, the page gets an answer
            answer = of_error(error, development=True)
        if answer is not None:
            await answer.send(send, [], with_body=head.method != "HEAD")
        return True

    async def _answer(
        self, path: str, head: RequestHead, scope: Scope, receive: Receive, send: Send
    ) -> Answer | None:
        if not path.startswith(f"{_API}/"):
            return refusal_of(head, self._gates) or _elsewhere(head) or file_of(path)
        refusal = check(head, self._gates)
        if refusal is not None:
            return of_refusal(refusal)
        if (answer := _elsewhere(head)) is not None:
            return answer
        place = place_of(path.removeprefix(_API))
        if place is None:
            return failure(404, "not-found", f"The inspector has nothing at {path[:200]!r}.")
        if head.method not in place.methods:
            methods = ", ".join(place.methods)
            message = f"{head.method} is not served here; {methods} is."
            return failure(405, "method-not-allowed", message, (b"allow", methods.encode()))
        call = Call(
            route=Route(resource="session", agent=place.agent, session=place.session),
            principal=None,
            request=Request(scope),
            head=head,
            headers=[],
            receive=receive,
            send=send,
            max_body=self._max_body,
        )
        return await self._endpoints[place.resource](call, place)

    async def _agents(self, call: Call, place: Place) -> Answer:  # noqa: ARG002 - an endpoint
        return json_answer(200, self._known.told())

    async def _sessions(self, call: Call, place: Place) -> Answer:  # noqa: ARG002 - an endpoint
        names = self._known.names()
        asked = agents_asked(call, names)
        for name in asked:
            if name not in names:
                msg = f"Unknown agent: {name[:200]!r}."
                raise UnknownAgent(msg)
        limit = limit_of(call, MAX_PAGE) or _PAGE
        page = await page_of(self._store, asked, cursor=call.parameter("cursor"), limit=limit)
        return json_answer(200, page)

    async def _events(self, call: Call, place: Place) -> None:  # noqa: ARG002 - an endpoint
        session = await known(self._store, call.key)
        excerpt = excerpt_of(call, session.tail)
        stream = self._stream(call)
        if call.head.method == "HEAD":
            await stream.open_head([])
            return
        await stream.open([])
        async with closing(events_of(self._store, session, excerpt)) as blocks:
            await stream.run(blocks, excerpt.start)

    async def _requests(self, call: Call, place: Place) -> Answer:
        found = await self._rebuilding.requests(call.key, place.turn)
        told: dict[str, Any] = {
            "agent": place.agent,
            "session": place.session,
            "turn": place.turn,
            "rounds": [orjson.Fragment(line) for line in found.rounds.values()],
            "notes": found.notes,
        }
        return json_answer(200, told)

    async def _resend(self, call: Call, place: Place) -> Answer:
        content = await call.fields("text", may_be_empty=True)
        turn = await self._resending.resend(call.key, place.turn, content)
        return json_answer(201, {"session": turn.key.session, "turn": turn.number})

    async def _call(self, call: Call, place: Place) -> None:
        content = await call.fields("input", "principal")
        by_hand = self._calling.by_hand(place.agent, place.tool, content, call.request)
        stream = self._stream(call)
        await stream.open([])
        async with closing(self._calling.lines(by_hand)) as lines:
            await stream.run(lines, 1)

    def _stream(self, call: Call) -> Stream:
        return Stream(call.receive, call.send, self._streams, sse=call.wants_sse, tell=_tell)


def _elsewhere(head: RequestHead) -> Answer | None:
    """The refusal of who asks from another machine. A Unix socket, which has no address, is this one's."""
    if head.client is None:
        return None
    if _is_loopback(head.client):
        return None
    message = (
        f"The inspector shows every session, so it answers this machine alone, and {head.client} is another. Open it on the "
        "machine that `litro dev` runs on, or forward its port there: `ssh -L 8000:localhost:8000 MACHINE`."
    )
    return failure(403, "not-this-machine", message)


def _is_loopback(client: str) -> bool:
    try:
        address = ip_address(client)
    except ValueError:
        return False
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return address.is_loopback


def _tell(error: BaseException) -> ErrorPayload:
    return of_stream(error, development=True)
