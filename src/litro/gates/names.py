"""Hosts, origins and networks: parsed strictly from what a client or a setting wrote."""

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
from typing import Final

DEFAULT_PORTS: Final[Mapping[str, int]] = {"http": 80, "https": 443}

_LABEL: Final = r"[A-Za-z0-9_-]{1,63}"
_AUTHORITY: Final = re.compile(
    rf"(?:\[(?P<v6>[0-9A-Fa-f:.]{{2,45}})\]|(?P<name>{_LABEL}(?:\.{_LABEL})*)\.?)(?::(?P<port>[0-9]{{1,5}}))?"
)
_MAX_AUTHORITY: Final = 262
"""A name of 255 characters, a dot, a colon and five digits: DNS has no longer one."""
_ORIGIN: Final = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]{0,31})://(?P<authority>[^/?#@\\]+)")
_BEYOND_ORIGIN: Final = frozenset("/?#@\\")

_LOOPBACK_V4: Final = IPv4Network("127.0.0.0/8")
_LOOPBACK_V6: Final = IPv6Address("::1")


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
        return host.port == self.port or (host.port is None and self.port in DEFAULT_PORTS.values())


@dataclass(frozen=True, slots=True)
class Origin:
    """A web origin, its scheme's own port filled in."""

    scheme: str
    name: str
    port: int | None


Network = IPv4Network | IPv6Network


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
    port = DEFAULT_PORTS.get(scheme) if authority.port is None else authority.port
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


def is_loopback(name: str) -> bool:
    """Whether the host name is this machine's own."""
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        address = ip_address(name)
    except ValueError:
        return False
    # Not `is_loopback`: its answer for mapped addresses depends on Python's version.
    return address in _LOOPBACK_V4 if isinstance(address, IPv4Address) else address == _LOOPBACK_V6
