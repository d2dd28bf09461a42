"""What the gates see of a request: neither its path nor its body."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Headers = list[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestHead:
    """What the gates see of a request."""

    method: str
    scheme: str
    headers: Mapping[str, str]
    """Lower-cased names; the values of one name that came more than once are joined by `, `."""
    client: str | None = None
    """The peer's address: whoever opened the connection, which may be a proxy."""

    @classmethod
    def from_scope(cls, scope: Mapping[str, Any]) -> "RequestHead":
        """The head of an ASGI http scope."""
        headers: dict[str, str] = {}
        for raw_name, raw_value in scope["headers"]:
            name = raw_name.decode("latin-1").lower()
            value = raw_value.decode("latin-1").strip(" \t")
            headers[name] = f"{headers[name]}, {value}" if name in headers else value
        client = scope.get("client")
        return cls(
            method=scope["method"],
            scheme=scope.get("scheme", "http"),
            headers=headers,
            client=client[0] if client else None,
        )
