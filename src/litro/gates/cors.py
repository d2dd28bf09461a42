"""What lets the pages of allowed origins read answers. Exact origins, echoed; never a wildcard."""

from litro.gates.head import Headers, RequestHead
from litro.gates.policy import GatePolicy


def cors_headers(head: RequestHead, policy: GatePolicy) -> Headers:
    """What lets an allowed origin's page read the answer. For every answer, refusals included."""
    headers = _grant(head, policy)
    if len(headers) > 1:
        headers.append((b"access-control-expose-headers", b"litro-turn, litro-from"))
    return headers


def preflight_headers(head: RequestHead, policy: GatePolicy) -> Headers:
    """What an OPTIONS request of an allowed origin's page is told, so that its browser sends the call itself."""
    headers = _grant(head, policy)
    if len(headers) > 1:
        headers += [
            (b"access-control-allow-methods", b"GET, POST, HEAD, OPTIONS"),
            (
                b"access-control-allow-headers",
                b"content-type, x-litro-agent, idempotency-key, last-event-id, authorization",
            ),
            (b"access-control-max-age", b"600"),
        ]
    return headers


def _grant(head: RequestHead, policy: GatePolicy) -> Headers:
    if not policy.allowed_origins:
        return []
    headers = [(b"vary", b"Origin")]
    origin = head.headers.get("origin")
    if origin is not None and policy.allows_origin(origin):
        headers += [
            (b"access-control-allow-origin", origin.encode("ascii")),
            (b"access-control-allow-credentials", b"true"),
        ]
    return headers
