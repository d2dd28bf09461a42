"""The gates, in order: each refuses a request, or lets it on.

`Host` (against DNS rebinding), `Sec-Fetch-Site` and `Origin` (against other sites' pages), `x-litro-agent` (a header that no
form and no simple request can send), and a JSON content type.
"""

import dataclasses
import re
from dataclasses import dataclass
from typing import Final

from litro.gates.head import RequestHead
from litro.gates.names import (
    DEFAULT_PORTS,
    Authority,
    Origin,
    is_loopback,
    parse_authority,
    parse_origin,
)
from litro.gates.policy import GatePolicy

_SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_OWN_SITES: Final = frozenset({"same-origin", "none"})
_JSON_TYPE: Final = re.compile(r"application/(?:[a-z0-9!#$&^_.+-]{1,120}\+)?json")


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request goes no further, in the shape that every failure is told in."""

    status: int
    type: str
    message: str
    headers: tuple[tuple[bytes, bytes], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Whom the request is meant for, as the browser saw it."""

    host: Authority
    scheme: str
    header: str
    """The header that said so."""
    text: str
    """The host as that header spelled it."""


def check(head: RequestHead, policy: GatePolicy) -> Refusal | None:
    """The first gate's refusal, or None where all let the request through."""
    target = target_of(head, policy)
    if isinstance(target, Refusal):
        return target
    return (
        check_host(head, target, policy)
        or check_site(head, policy)
        or check_origin(head, target, policy)
        or check_agent_header(head)
        or check_content_type(head)
    )


def target_of(head: RequestHead, policy: GatePolicy) -> Target | Refusal:
    """The host and scheme that count: a trusted proxy's word, else the request's own. 400 where there is no host."""
    own = _read_target("Host", head.headers.get("host"), head.scheme.lower())
    # The Host must be sound even where a proxy's word replaces it: RFC 9112, section 3.2.
    if isinstance(own, Refusal) or not policy.trusts(head.client):
        return own
    proto = _first(head.headers.get("x-forwarded-proto")).lower()
    scheme = proto if proto in DEFAULT_PORTS else own.scheme
    forwarded = head.headers.get("x-forwarded-host")
    if not forwarded:
        return dataclasses.replace(own, scheme=scheme)
    return _read_target("X-Forwarded-Host", _first(forwarded), scheme)


def scheme_of(head: RequestHead, policy: GatePolicy) -> str:
    """The scheme of the address that the browser sees, as far as a trusted proxy tells."""
    target = target_of(head, policy)
    return head.scheme if isinstance(target, Refusal) else target.scheme


def check_host(head: RequestHead, target: Target, policy: GatePolicy) -> Refusal | None:
    """421 for a name that the server does not answer to: another site may have pointed it here."""
    if not policy.loopback_only and not policy.allowed_hosts:
        return None
    if policy.loopback_only and is_loopback(target.host.name):
        return None
    if any(pattern.covers(target.host) for pattern in policy.hosts):
        return None
    neither = "neither a loopback name nor" if policy.loopback_only else "not"
    return Refusal(
        421,
        "unknown-host",
        f"{target.header}: {target.text!r:.120} is {neither} in allowed_hosts, so this server does not answer to it "
        "(against DNS rebinding). If the name is yours, add it to allowed_hosts (LITRO_ALLOWED_HOSTS)."
        + _untrusted_proxy(head, policy),
    )


def check_site(head: RequestHead, policy: GatePolicy) -> Refusal | None:
    """403 where the browser says that another site's page calls, unless its origin is allowed."""
    site = head.headers.get("sec-fetch-site")
    origin = head.headers.get("origin")
    if site is None or site in _OWN_SITES or policy.allows_origin(origin):
        return None
    seen = "without an Origin" if origin is None else f"with Origin {origin!r:.120}"
    return Refusal(
        403,
        "cross-site",
        f"Sec-Fetch-Site: {site!r:.40} {seen} is a call from another site, so it is refused. Serve the page from "
        "this server's own origin, or add the page's origin to allowed_origins (LITRO_ALLOWED_ORIGINS).",
    )


def check_origin(head: RequestHead, target: Target, policy: GatePolicy) -> Refusal | None:
    """403 where the calling page's origin is neither the request's host nor allowed."""
    text = head.headers.get("origin")
    if text is None:
        return None
    origin = parse_origin(text)
    if origin is not None and (origin in policy.origins or _is_same_host(origin, target)):
        return None
    if origin is None:
        what, remedy = "is no origin that can be allowed", "the page's origin"
    else:
        what, remedy = "is not the server's", f"{text!r:.120}"
    return Refusal(
        403,
        "foreign-origin",
        f"Origin: {text!r:.120} {what} (the request's host is {target.text!r:.120}, by {target.header}, over "
        f"{target.scheme!r:.20}), so the call is refused. Serve the page from the same host, or add {remedy} to "
        "allowed_origins (LITRO_ALLOWED_ORIGINS)." + _untrusted_proxy(head, policy),
    )


def check_agent_header(head: RequestHead) -> Refusal | None:
    """403 where a method that acts comes without the header that another site's page cannot send."""
    value = head.headers.get("x-litro-agent")
    if head.method in _SAFE_METHODS or value == "1":
        return None
    seen = "is missing" if value is None else f"is {value!r:.40}"
    return Refusal(
        403,
        "missing-header",
        f"x-litro-agent: the header {seen}, so {head.method!r:.40} is refused. Send 'x-litro-agent: 1'; "
        "it proves that the call is no form of another site.",
    )


def check_content_type(head: RequestHead) -> Refusal | None:
    """415 for a POST or a PATCH whose body does not say that it is JSON."""
    if head.method not in {"POST", "PATCH"} or not _has_body(head):
        return None
    value = head.headers.get("content-type")
    media_type = (value or "").partition(";")[0].strip().lower()
    if _JSON_TYPE.fullmatch(media_type):
        return None
    seen = "is missing" if value is None else f"is {value!r:.120}"
    return Refusal(
        415,
        "unsupported-media-type",
        f"content-type: the header {seen}, so the body is not read. Send JSON with 'content-type: application/json'.",
        ((b"accept-post", b"application/json"),),
    )


def _read_target(header: str, text: str | None, scheme: str) -> Target | Refusal:
    host = None if text is None else parse_authority(text)
    if text is not None and host is not None:
        return Target(host=host, scheme=scheme, header=header, text=text)
    seen = "is missing" if text is None else f"is {text!r:.120}"
    return Refusal(
        400,
        "invalid-host",
        f"{header}: the header {seen}, so the request is for nobody. Send exactly one host, with an optional port.",
    )


def _first(value: str | None) -> str:
    return (value or "").partition(",")[0].strip()


def _is_same_host(origin: Origin, target: Target) -> bool:
    default = DEFAULT_PORTS.get(origin.scheme)
    # An http page may not act on its https namesake: whoever is on the network can write such a page. The other way round
    # is a proxy that ends TLS, whose scheme is not known.
    if default is None or (target.scheme == "https" and origin.scheme == "http"):
        return False
    port = default if target.host.port is None else target.host.port
    return origin.name == target.host.name and origin.port == port


def _untrusted_proxy(head: RequestHead, policy: GatePolicy) -> str:
    forwarded = head.headers.get("x-forwarded-host")
    if forwarded is None or policy.trusts(head.client):
        return ""
    return (
        f" X-Forwarded-Host {forwarded!r:.120} was not read, because its sender {head.client!r:.60} is not in "
        "trusted_proxies: if that is your proxy, add it (LITRO_TRUSTED_PROXIES)."
    )


def _has_body(head: RequestHead) -> bool:
    if "transfer-encoding" in head.headers:
        return True
    length = head.headers.get("content-length")
    # A length that is no number is none of a body that is not there.
    return length is not None and length.strip("0") != ""
