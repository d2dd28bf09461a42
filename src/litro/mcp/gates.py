"""The MCP route's gates: may this request reach an agent's tools, judged by its head alone.

Hosts are no browsers, so the route asks for no header of ours: `Host` (against DNS rebinding), `Origin`, then a token. They
are not an agent's `access`, which is asked after them; they read no body and know no route.
"""

import functools
import hashlib
import hmac
from dataclasses import dataclass, field
from typing import Final

from litro.gates import GatePolicy, Headers, Refusal, RequestHead
from litro.gates.checks import check_host, target_of
from litro.gates.names import DEFAULT_PORTS, Origin, is_loopback, parse_allowed_origin, parse_origin

METHODS: Final = "POST, OPTIONS"

_PREFLIGHT: Final = (
    (b"access-control-allow-methods", METHODS.encode()),
    (
        b"access-control-allow-headers",
        b"authorization, content-type, accept, mcp-session-id, mcp-protocol-version, last-event-id, mcp-method, mcp-name",
    ),
    (b"access-control-max-age", b"600"),
)
_READABLE: Final = ((b"access-control-expose-headers", b"mcp-session-id, mcp-protocol-version"),)


@dataclass(frozen=True, kw_only=True)
class McpPolicy:
    """Whom the MCP route serves.

    Attributes:
        gates: Which hosts are answered.
        token: What a host has to send as a bearer token, if anything.
        is_local: Whether the route is reachable from this machine alone.
        allowed_origins: Exact origins of pages that may call. Empty: those of this machine where the route is local,
            else none.

    Raises:
        ValueError: An entry is no origin.
    """

    gates: GatePolicy
    token: str | None = field(default=None, repr=False)
    is_local: bool = False
    allowed_origins: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        # Parsed now, so that a wrong entry stops the start and never a request.
        _ = self.origins

    @functools.cached_property
    def origins(self) -> frozenset[Origin]:
        """`allowed_origins`, parsed."""
        return frozenset(parse_allowed_origin(entry) for entry in self.allowed_origins)

    def allows_origin(self, text: str) -> bool:
        """Whether pages of this origin may call."""
        origin = parse_origin(text)
        if origin is None:
            return False
        if self.origins:
            return origin in self.origins
        return self.is_local and origin.scheme in DEFAULT_PORTS and is_loopback(origin.name)


def check(head: RequestHead, policy: McpPolicy) -> Refusal | None:
    """What every method is asked, a preflight too: the first gate's refusal, or None where all let the request through."""
    target = target_of(head, policy.gates)
    if isinstance(target, Refusal):
        return target
    return check_host(head, target, policy.gates) or check_origin(head, policy)


def check_origin(head: RequestHead, policy: McpPolicy) -> Refusal | None:
    """403 where a page calls whose origin is not allowed. Hosts that are no browsers send none."""
    origin = head.headers.get("origin")
    if origin is None or policy.allows_origin(origin):
        return None
    return Refusal(
        403,
        "foreign-origin",
        f"Origin: {origin!r:.120} is not allowed to call MCP here, so the call is refused. If the page is yours, add its "
        "origin to mcp_origins (LITRO_MCP_ORIGINS).",
    )


def check_token(head: RequestHead, policy: McpPolicy) -> Refusal | None:
    """401 where a token is required and another one came, or none. What came is in no message."""
    if policy.token is None:
        return None
    scheme, _, sent = head.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer":
        return _unauthorized("no bearer token came")
    # Of equal length, so that the time says nothing of either.
    if hmac.compare_digest(
        _digest(sent.strip(" ").encode("latin-1")), _digest(policy.token.encode())
    ):
        return None
    return _unauthorized("the bearer token is not this server's")


def cors_headers(head: RequestHead, policy: McpPolicy) -> Headers:
    """What every answer says, refusals included: one allowed origin, echoed, or none."""
    headers = [(b"vary", b"Origin")]
    origin = head.headers.get("origin")
    if origin is not None and policy.allows_origin(origin):
        headers += [
            (b"access-control-allow-origin", origin.encode("ascii")),
            (b"access-control-allow-credentials", b"true"),
            *(_PREFLIGHT if head.method == "OPTIONS" else _READABLE),
        ]
    return headers


def _digest(text: bytes) -> bytes:
    return hashlib.sha256(text).digest()


def _unauthorized(what: str) -> Refusal:
    return Refusal(
        401,
        "unauthorized",
        f"Authorization: {what}, so the call is refused. Send 'Authorization: Bearer …' with the value of LITRO_MCP_TOKEN.",
        # Bare: with parameters, or metadata beside it, hosts would take this for OAuth and ask nobody for the token.
        ((b"www-authenticate", b"Bearer"),),
    )
