"""What lets the pages of allowed origins call and read answers. Exact origins, echoed; never a wildcard.

Source: https://fetch.spec.whatwg.org/#http-cors-protocol
"""

from typing import Final

from litro.gates.head import Headers, RequestHead
from litro.gates.policy import GatePolicy

_PREFLIGHT: Final = (
    (b"access-control-allow-methods", b"GET, POST, PATCH, DELETE, HEAD, OPTIONS"),
    (
        b"access-control-allow-headers",
        b"content-type, x-litro-agent, idempotency-key, last-event-id, authorization",
    ),
    (b"access-control-max-age", b"600"),
)
_READABLE: Final = ((b"access-control-expose-headers", b"litro-turn, litro-from, retry-after"),)


def cors_headers(head: RequestHead, policy: GatePolicy) -> Headers:
    """What every answer says, refusals included: nothing where no origin is allowed.

    An OPTIONS request is told what may be sent, any other what may be read of its answer.
    """
    if not policy.allowed_origins:
        return []
    headers = [(b"vary", b"Origin")]
    origin = head.headers.get("origin")
    if origin is not None and policy.allows_origin(origin):
        headers += [
            (b"access-control-allow-origin", origin.encode("ascii")),
            (b"access-control-allow-credentials", b"true"),
            *(_PREFLIGHT if head.method == "OPTIONS" else _READABLE),
        ]
    return headers
