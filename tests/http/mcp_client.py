"""What an MCP host sends, and what it makes of the answer."""

import json
from collections.abc import Iterator
from typing import Any

from serving import Client
from wiretap import Response, frames

TOKEN = "s3cret"
ROUTE = "/__litro/mcp/hosted"
MODERN = "2026-07-28"
BOTH = "application/json, text/event-stream"


def message(method: str, params: dict[str, Any] | None = None, **more: Any) -> bytes:
    asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}} | more
    return json.dumps(asked).encode()


def post(
    client: Client, body: bytes, path: str = ROUTE, token: str | None = TOKEN, **headers: str | None
) -> Response:
    """Send a message as a host does."""
    fields: dict[str, str | None] = {"accept": BOTH, "x_litro_agent": None}
    if token is not None:
        fields["authorization"] = f"Bearer {token}"
    return client.ask("POST", path, body, **fields | headers)


def call(
    client: Client, tool: str, arguments: dict[str, Any] | None = None, **how: Any
) -> Response:
    """Call a tool, in the era that starts with a handshake."""
    params = {"name": tool, "arguments": arguments or {}, "_meta": {"progressToken": "p"}}
    return post(client, message("tools/call", params), **how)


def modern(client: Client, method: str, params: dict[str, Any], **how: Any) -> Response:
    """The same in the era in which every message speaks for itself."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
    } | params.get("_meta", {})
    headers = {"mcp_protocol_version": MODERN, "mcp_method": method} | how
    if "name" in params:
        headers.setdefault("mcp_name", params["name"])
    return post(client, message(method, params | {"_meta": meta}), **headers)


def said(response: Response) -> Iterator[dict[str, Any]]:
    """Every message of an answer, whichever form it has."""
    body = response.all()
    if response.headers["content-type"] == "application/json":
        yield json.loads(body)
    else:
        assert response.headers["content-type"].startswith("text/event-stream")
        yield from (json.loads(frame["data"]) for frame in frames(body.decode().encode()))


def result(response: Response) -> Any:
    """The result, the last of what was said."""
    last = list(said(response))[-1]
    assert "result" in last, last
    return last["result"]
