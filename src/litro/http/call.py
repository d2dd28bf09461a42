"""A request that has passed every gate, and how the routes were configured."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

from starlette.requests import Request

from litro.definitions import Access, Principal
from litro.gates import GatePolicy, RequestHead
from litro.http import body
from litro.http.answers import Receive, Refused, Send, failure
from litro.http.route import Route
from litro.sessions.base import SessionKey, is_caller_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What the routes were configured with."""

    gates: GatePolicy
    access: Access | None
    """The guard of agents that have none of their own."""
    max_body: int
    development: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request that has passed every gate."""

    route: Route
    principal: Principal
    request: Request
    head: RequestHead
    headers: list[tuple[bytes, bytes]]
    """What every answer to it says."""
    receive: Receive
    send: Send
    max_body: int

    @property
    def key(self) -> SessionKey:
        """The session that is asked for."""
        return SessionKey(self.route.agent, self.route.session)

    @property
    def wants_sse(self) -> bool:
        """Whether the client asked for Server-Sent Events."""
        return "text/event-stream" in self.head.headers.get("accept", "").lower()

    def parameter(self, name: str) -> str | None:
        """The query's parameter of this name, the last where there are several."""
        # Not by way of the URL, which fails where a byte of it is no UTF-8.
        query: bytes = self.request.scope["query_string"]
        return parse_qs(query.decode("latin-1"), keep_blank_values=True).get(name, [None])[-1]

    async def no_body(self) -> None:
        """Read whatever body there is, so that the connection can be used again.

        Raises:
            Refused: It is too large, or its end never came.
        """
        await body.read(self.receive, self.max_body)

    async def fields(self, *known: str, may_be_empty: bool = False) -> dict[str, Any]:
        """The body's fields.

        Args:
            known: The keys that it may have.
            may_be_empty: Whether no body is one without fields.

        Raises:
            Refused: It is no JSON object, or has other keys.
        """
        content = await body.read_json_object(
            self.receive, self.max_body, may_be_empty=may_be_empty
        )
        unknown = sorted(content.keys() - set(known))
        if unknown:
            others = (
                f"`{known[0]}` is the only one"
                if len(known) == 1
                else f"{', '.join(f'`{name}`' for name in known)} are those that there are"
            )
            message = f"The body has the unknown keys {unknown!r}; {others}."
            raise invalid_body(message)
        return content


def check_session(session: str) -> None:
    """Refuse an id that no caller may choose.

    Raises:
        Refused: 400.
    """
    if not is_caller_id(session):
        message = f"The session id {session[:80]!r} is not 1 to 64 of A-Z a-z 0-9 _ and -."
        raise Refused(failure(400, "invalid-session", message))


def invalid_body(message: str) -> Refused:
    """The refusal of a body."""
    return Refused(failure(400, "invalid-body", message))
