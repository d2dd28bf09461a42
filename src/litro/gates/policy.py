"""What the gates let in: the settings of an app, parsed once."""

import functools
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address

from litro.gates.names import (
    HostPattern,
    Network,
    Origin,
    parse_allowed_origin,
    parse_host_pattern,
    parse_origin,
    parse_proxy,
)


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
