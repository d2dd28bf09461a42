"""The agent routes: from a path to what answers it, by way of the gates and the agent's guard.

Raw ASGI, since streams are the hot path; Starlette serves where users meet a request. Everything that is true of any
surface is in `litro.turn`: here is what HTTP adds.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from starlette.requests import Request

from litro.gates import RequestHead, check, cors_headers, scheme_of
from litro.http.answers import Answer, Receive, Scope, Send, failure, of_error, of_refusal
from litro.http.call import Call, Rules, check_session
from litro.http.conversation import Conversation
from litro.http.guard import principal_of
from litro.http.listing import Listing
from litro.http.route import Resource, Route, route_of
from litro.http.streams import Streams
from litro.http.visitor import with_jar
from litro.turn.catalogue import Catalogue
from litro.turn.conversations import Conversations

__all__ = ["AgentRoutes", "Rules"]

Endpoint = Callable[[Call], Awaitable[Answer | None]]


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
        spoken = Conversation(conversations, streams, development=rules.development)
        listed = Listing(Catalogue(conversations.store))
        self._endpoints: Final[Mapping[tuple[Resource, str], Endpoint]] = {
            ("sessions", "GET"): listed.page,
            ("session", "GET"): spoken.hear,
            ("session", "POST"): spoken.say,
            ("session", "PATCH"): listed.rename,
            ("session", "DELETE"): listed.delete,
            ("cancel", "POST"): spoken.cancel,
            ("fork", "POST"): listed.fork,
            ("queue", "GET"): spoken.queue,
            ("queued", "DELETE"): spoken.withdraw,
        }

    async def __call__(self, path: str, scope: Scope, receive: Receive, send: Send) -> bool:
        """Answer a request for `path` below the mount. False where no route here has it."""
        route = route_of(path)
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
        route: Route,
        head: RequestHead,
        cors: list[tuple[bytes, bytes]],
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> Answer | None:
        methods = ", ".join(route.methods)
        allow = (b"allow", methods.encode())
        if head.method not in route.methods:
            message = f"{head.method} is not served here; {methods} are."
            return failure(405, "method-not-allowed", message, allow)
        refusal = check(head, self._rules.gates)
        if refusal is not None:
            return of_refusal(refusal)
        if head.method == "OPTIONS":
            return Answer(status=204, headers=(allow,))
        if route.resource != "sessions":
            check_session(route.session)
        request = Request(scope)
        jar = with_jar(request, scheme_of(head, self._rules.gates))
        principal = await principal_of(
            self._conversations.agent(route.agent), request, self._rules.access
        )
        # A page asks for its list and its session at once: two cookies would come, and one of them would be lost.
        if route.resource != "sessions":
            cors += jar.headers(head.method)
        call = Call(
            route=route,
            principal=principal,
            request=request,
            head=head,
            headers=cors,
            receive=receive,
            send=send,
            max_body=self._rules.max_body,
        )
        method = "GET" if head.method == "HEAD" else head.method
        return await self._endpoints[route.resource, method](call)
