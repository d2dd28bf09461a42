"""The MCP route: from `/__litro/mcp/{agent}` to that agent's tools, by way of the gates and the agent's guard.

Stateless: no session is given or asked for, so the next request may reach another process. It imports no SDK: what answers
a message does.
"""

import re
from collections.abc import Awaitable, Callable
from typing import Any, Final

from starlette.requests import Request

from litro.discovery.load import LoadedAgent
from litro.errors import UnknownAgent
from litro.gates import Headers, RequestHead
from litro.gates.checks import check_content_type
from litro.http import body
from litro.http.answers import (
    Answer,
    Receive,
    Refused,
    Scope,
    Send,
    failure,
    of_error,
    of_refusal,
)
from litro.http.call import Rules
from litro.http.guard import principal_of
from litro.mcp.agent import McpAgent
from litro.mcp.calls import EXCHANGE, Calls, Message
from litro.mcp.gates import METHODS, McpPolicy, check, check_token, cors_headers
from litro.mcp.reply import Reply
from litro.mcp.sdk import McpMissing, load
from litro.turn.conversations import Conversations

_PATH: Final = re.compile(r"/__litro/mcp/(?P<agent>[^/]+)")
_ALLOW: Final = (b"allow", METHODS.encode())
_OFF: Final = (
    "MCP is not served here. To turn it on, set LITRO_MCP_TOKEN to a secret, or LITRO_MCP_LOCAL=1 where this server is "
    "reachable from this machine alone, and start it again. `litro dev` on loopback serves it as it is."
)
_WANTED: Final = "Accept: the client takes neither application/json nor text/event-stream, so it could not read an answer."


def require_sdk() -> None:
    """Import the SDK, which takes a second.

    Raises:
        McpMissing: It cannot be imported. The message says what to do.
    """
    load(EXCHANGE)


class McpRoutes:
    """Serves `/__litro/mcp/…`.

    Args:
        conversations: Whose agents are served.
        rules: As for the agent routes.
        policy: Who is served. None where the route is off.
        made: Makes of an agent what hosts see of it.
        state: What `Config(lifespan=…)` yielded.
        is_json: Whether every answer is one JSON body.
        retired: Called when a call to an agent that is not served any more has ended.
        settled: Waits until what `made` looks at is there for the first time.

    Attributes:
        notices: What whoever runs the server should know at its start.

    Raises:
        McpMissing: It is on, not in development, and the SDK is missing.
    """

    def __init__(
        self,
        conversations: Conversations,
        rules: Rules,
        policy: McpPolicy | None,
        made: Callable[[LoadedAgent], McpAgent],
        *,
        state: Any,
        is_json: bool,
        retired: Callable[[], None],
        settled: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._conversations = conversations
        self._rules = rules
        self._policy = policy
        self._is_json = is_json
        self._calls = Calls(
            conversations,
            made,
            state=state,
            retired=retired,
            development=rules.development,
            settled=settled,
        )
        self.notices: list[str] = []
        if policy is not None and not rules.development:
            # In development nobody may have asked for it, so neither a second nor a missing SDK is in anybody's way.
            who = (
                "without a token, for this machine alone"
                if policy.token is None
                else "with a token"
            )
            self.notices = [f"MCP is served at /__litro/mcp/AGENT, {who}.", *self._calls.prepare()]

    async def __call__(self, path: str, scope: Scope, receive: Receive, send: Send) -> bool:
        """Answer a request for `path` below the mount. False where it is no MCP route."""
        match = _PATH.fullmatch(path)
        if match is None:
            return False
        head = RequestHead.from_scope(scope)
        cors = [] if self._policy is None else cors_headers(head, self._policy)
        try:
            answer = await self._answer(match["agent"], head, cors, scope, receive, send)
        except McpMissing as error:
            answer = failure(503, "mcp-missing", str(error))
        except Exception as error:  # noqa: BLE001 - the outermost edge: whatever it was, the client gets an answer
            answer = of_error(error, development=self._rules.development)
        if answer is not None:
            await answer.send(send, cors, with_body=head.method != "HEAD")
        return True

    @property
    def in_use(self) -> list[LoadedAgent]:
        """The agents that are being called."""
        return self._calls.in_use

    def renew(self) -> None:
        """From the next message on, answer with agents that are made anew: what they are made of has changed."""
        self._calls.renew()

    async def leave(self, grace: float) -> None:
        """Take no more calls. Those that run get their grace, and are cancelled then.

        Args:
            grace: Seconds.
        """
        await self._calls.leave(grace)

    async def _answer(
        self,
        name: str,
        head: RequestHead,
        cors: Headers,
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> Answer | None:
        early = self._judged(head)
        if early is not None:
            return early
        agent = self._agent(name)
        request = Request(scope)
        principal = await principal_of(agent, request, self._rules.access)
        refusal = check_content_type(head)
        if refusal is not None:
            return of_refusal(refusal)
        reply = self._reply(head, send, cors)
        message = Message(
            agent=agent,
            body=await body.read(receive, self._rules.max_body),
            request=request,
            principal=principal,
        )
        await self._calls.answer(message, reply, receive)
        return None

    def _judged(self, head: RequestHead) -> Answer | None:
        """What is answered whichever agent is asked for, or None where the request goes on."""
        if self._policy is None:
            return failure(404, "mcp-off", _OFF)
        refusal = check(head, self._policy)
        if refusal is not None:
            return of_refusal(refusal)
        if head.method == "OPTIONS":
            # A browser sends no token with a preflight.
            return Answer(status=204, headers=(_ALLOW,))
        if head.method != "POST":
            message = f"{head.method} is not served here; {METHODS} are."
            return failure(405, "method-not-allowed", message, _ALLOW)
        refusal = check_token(head, self._policy)
        return None if refusal is None else of_refusal(refusal)

    def _agent(self, name: str) -> LoadedAgent:
        """The agent in its newest generation.

        Raises:
            Refused, BrokenAgent: There is none, or its files are wrong.
        """
        try:
            return self._conversations.agent(name)
        except UnknownAgent:
            known = ", ".join(sorted(self._conversations.agents)) or "none"
            message = f"Unknown agent: {name!r:.80}. The agents are: {known:.1000}."
            raise Refused(failure(404, "unknown-agent", message)) from None

    def _reply(self, head: RequestHead, send: Send, cors: Headers) -> Reply:
        """How the client is answered.

        Raises:
            Refused: It takes no answer that there is.
        """
        accepted = head.headers.get("accept", "*/*").lower()
        json = any(kind in accepted for kind in ("application/json", "application/*", "*/*"))
        sse = any(kind in accepted for kind in ("text/event-stream", "text/*", "*/*"))
        if not json and (self._is_json or not sse):
            raise Refused(failure(406, "not-acceptable", _WANTED))
        return Reply(send, cors, streams=sse and not self._is_json, json=json)
