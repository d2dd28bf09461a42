"""Request gates: may this request reach an agent at all, judged by its head alone.

In order: `Host` (against DNS rebinding), `Sec-Fetch-Site` and `Origin` (against other sites' pages), `x-litro-agent`
(a header that no form and no simple request can send), and a JSON content type. Each is a pure function of a
`RequestHead` and a `GatePolicy`, and never raises, whatever the bytes: a head passes, or there is a `Refusal`.

It is not authentication, which is an agent's `access`, and it reads no body and knows no route, no framework.
"""

import dataclasses
import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import Any, Final

Headers = list[tuple[bytes, bytes]]

_DEFAULT_PORTS: Final[Mapping[str, int]] = {"http": 80, "https": 443}
_SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_OWN_SITES: Final = frozenset({"same-origin", "none"})

_LABEL: Final = r"[A-Za-z0-9_-]{1,63}"
_AUTHORITY: Final = re.compile(
    rf"(?:\[(?P<v6>[0-9A-Fa-f:.]{{2,45}})\]|(?P<name>{_LABEL}(?:\.{_LABEL})*)\.?)(?::(?P<port>[0-9]{{1,5}}))?"
)
_MAX_AUTHORITY: Final = 262
"""A name of 255 characters, a dot, a colon and five digits: DNS has no longer one."""
_ORIGIN: Final = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]{0,31})://(?P<authority>[^/?#@\\]+)")
_BEYOND_ORIGIN: Final = frozenset("/?#@\\")
_JSON_TYPE: Final = re.compile(r"application/(?:[a-z0-9!#$&^_.+-]{1,120}\+)?json")

_LOOPBACK_V4: Final = IPv4Network("127.0.0.0/8")
_LOOPBACK_V6: Final = IPv6Address("::1")


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestHead:
    """What the gates see of a request."""

    method: str
    path: str
    scheme: str
    headers: Mapping[str, str]
    """Lower-cased names; the values of one name that came more than once are joined by `, `."""
    client: str | None = None
    """The peer's address: whoever opened the connection, which may be a proxy."""
    server: tuple[str, int | None] | None = None

    @classmethod
    def from_scope(cls, scope: Mapping[str, Any]) -> "RequestHead":
        """The head of an ASGI http scope."""
        headers: dict[str, str] = {}
        for raw_name, raw_value in scope["headers"]:
            name = raw_name.decode("latin-1").lower()
            value = raw_value.decode("latin-1").strip(" \t")
            headers[name] = f"{headers[name]}, {value}" if name in headers else value
        client = scope.get("client")
        server = scope.get("server")
        return cls(
            method=scope["method"],
            path=scope["path"],
            scheme=scope.get("scheme", "http"),
            headers=headers,
            client=client[0] if client else None,
            server=(server[0], server[1]) if server else None,
        )


@dataclass(frozen=True, slots=True)
class Authority:
    """A host name, lower case and without brackets or trailing dot, and its port where one was written."""

    name: str
    port: int | None


@dataclass(frozen=True, slots=True)
class HostPattern:
    """An entry of `allowed_hosts`. Without a port it covers every port: rebinding is about names."""

    name: str
    port: int | None
    subdomains: bool

    def covers(self, host: Authority) -> bool:
        """Whether a request to `host` is meant by this entry."""
        named = host.name.endswith(f".{self.name}") if self.subdomains else host.name == self.name
        if self.port is None or not named:
            return named
        # A host without a port is at its scheme's, and which scheme a proxy in front spoke may be unknown.
        return host.port == self.port or (
            host.port is None and self.port in _DEFAULT_PORTS.values()
        )


@dataclass(frozen=True, slots=True)
class Origin:
    """A web origin, its scheme's own port filled in."""

    scheme: str
    name: str
    port: int | None


Network = IPv4Network | IPv6Network


@dataclass(frozen=True, kw_only=True)
class GatePolicy:
    """What the gates let in.

    Attributes:
        allowed_hosts: Names that the server answers to: `name`, `name:port`, `name:*`, `*.example.com` (subdomains
            only). None or empty: any, unless `loopback_only`.
        loopback_only: Answer to loopback names and `allowed_hosts` only: in development, and where the server is
            bound to loopback and no proxy is trusted.
        allowed_origins: Exact origins of other sites whose pages may call.
        trusted_proxies: Peers whose `X-Forwarded-Host` and `X-Forwarded-Proto` count: addresses, networks, or `*`.

    Raises:
        ValueError: An entry is not what its list takes.
    """

    allowed_hosts: tuple[str, ...] | None = None
    loopback_only: bool = False
    allowed_origins: tuple[str, ...] = ()
    trusted_proxies: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        # Parsed now, so that a wrong entry stops the start and never a request.
        _ = self.hosts, self.origins, self.networks

    @functools.cached_property
    def hosts(self) -> tuple[HostPattern, ...]:
        """`allowed_hosts`, parsed."""
        return tuple(parse_host_pattern(entry) for entry in self.allowed_hosts or ())

    @functools.cached_property
    def origins(self) -> frozenset[Origin]:
        """`allowed_origins`, parsed."""
        return frozenset(parse_allowed_origin(entry) for entry in self.allowed_origins)

    @functools.cached_property
    def networks(self) -> tuple[Network, ...] | None:
        """`trusted_proxies`, parsed; None where every peer is trusted."""
        parsed = [parse_proxy(entry) for entry in self.trusted_proxies]
        networks = tuple(network for network in parsed if network is not None)
        return networks if len(networks) == len(parsed) else None

    def trusts(self, client: str | None) -> bool:
        """Whether the peer's forwarding headers count. A Unix socket has no address, so only `*` trusts it."""
        if self.networks is None:
            return True
        try:
            address = ip_address(client or "")
        except ValueError:
            return False
        if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
            address = address.ipv4_mapped
        return any(address in network for network in self.networks)

    def allows_origin(self, text: str | None) -> bool:
        """Whether the `Origin` header's value is an entry of `allowed_origins`."""
        origin = None if text is None else parse_origin(text)
        return origin is not None and origin in self.origins


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
    scheme = proto if proto in _DEFAULT_PORTS else own.scheme
    forwarded = head.headers.get("x-forwarded-host")
    if not forwarded:
        return dataclasses.replace(own, scheme=scheme)
    return _read_target("X-Forwarded-Host", _first(forwarded), scheme)


def check_host(head: RequestHead, target: Target, policy: GatePolicy) -> Refusal | None:
    """421 for a name that the server does not answer to: another site may have pointed it here."""
    if not policy.loopback_only and not policy.allowed_hosts:
        return None
    if policy.loopback_only and _is_loopback(target.host.name):
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
    """415 for a POST whose body does not say that it is JSON."""
    if head.method != "POST" or not _has_body(head):
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


def parse_authority(text: str) -> Authority | None:
    """The host and port of `text`, or None where it is not exactly that."""
    if len(text) > _MAX_AUTHORITY:
        return None
    match = _AUTHORITY.fullmatch(text)
    if match is None:
        return None
    port = None if match["port"] is None else int(match["port"])
    if port is not None and port > 65535:
        return None
    if match["v6"] is None:
        return Authority(match["name"].lower(), port)
    try:
        return Authority(IPv6Address(match["v6"]).compressed, port)
    except ValueError:
        return None


def parse_origin(text: str) -> Origin | None:
    """The origin that `text` is, or None: `null`, a path, credentials and whatever else is no origin."""
    match = _ORIGIN.fullmatch(text)
    authority = None if match is None else parse_authority(match["authority"])
    if match is None or authority is None:
        return None
    scheme = match["scheme"].lower()
    port = _DEFAULT_PORTS.get(scheme) if authority.port is None else authority.port
    return Origin(scheme, authority.name, port)


def parse_host_pattern(text: str) -> HostPattern:
    """An entry of `allowed_hosts`.

    Raises:
        ValueError: It is not one; the message says why, and what to write.
    """
    if text in ("*", "*:*"):
        msg = (
            f"{text!r} would answer to every name, which is what DNS rebinding needs, so names are required. Name "
            "each host; in production, leaving allowed_hosts out answers to all of them."
        )
        raise ValueError(msg)
    subdomains = text.startswith("*.")
    authority = parse_authority(text.removeprefix("*.").removesuffix(":*"))
    if authority is None:
        msg = (
            f"{text!r} is not a host, so 'name', 'name:port', 'name:*' or '*.name' is required: no scheme, no path, "
            "IPv6 in brackets, other scripts in their xn-- form."
        )
        raise ValueError(msg)
    return HostPattern(authority.name, authority.port, subdomains)


def parse_allowed_origin(text: str) -> Origin:
    """An entry of `allowed_origins`.

    Raises:
        ValueError: It is not one; the message says why, and what to write.
    """
    origin = parse_origin(text)
    if origin is not None:
        return origin
    if "*" in text:
        msg = (
            f"{text!r} would let pages of sites that nobody named act as their visitors, so exact origins are "
            "required. Name each, such as 'https://app.example.com'."
        )
    elif text == "null":
        msg = (
            "'null' is the origin of every sandboxed frame, whoever made it, so it is never allowed. Serve the page "
            "from an origin of its own, and name that."
        )
    elif not _BEYOND_ORIGIN.isdisjoint(text.partition("://")[2]):
        msg = (
            f"{text!r} has more than a scheme, a host and a port, but browsers send no path in Origin, so it would "
            "never match. Write it as 'https://app.example.com', without a slash at its end."
        )
    else:
        msg = (
            f"{text!r} is not an origin, so 'scheme://host' or 'scheme://host:port' is required, such as "
            "'https://app.example.com'."
        )
    raise ValueError(msg)


def parse_proxy(text: str) -> Network | None:
    """An entry of `trusted_proxies`: a network (an address is one of its own), or None for `*`.

    Raises:
        ValueError: It is neither; the message says why, and what to write.
    """
    if text == "*":
        return None
    try:
        return ip_network(text)
    except ValueError as error:
        msg = (
            f"{error}, so an address or a network is required, such as '10.0.0.7' or '10.0.0.0/8', or '*' where "
            "nobody but the proxy can reach the server."
        )
        raise ValueError(msg) from None


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


def _is_loopback(name: str) -> bool:
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        address = ip_address(name)
    except ValueError:
        return False
    # Not `is_loopback`: its answer for mapped addresses depends on Python's version.
    return address in _LOOPBACK_V4 if isinstance(address, IPv4Address) else address == _LOOPBACK_V6


def _is_same_host(origin: Origin, target: Target) -> bool:
    default = _DEFAULT_PORTS.get(origin.scheme)
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
