"""One agent's tools in front of MCP hosts, and the apps that hosts show.

`agent` and what it imports map tools to the protocol's words, as plain JSON, and know no SDK. `server`, `exchange` and `inbound`
alone do: the SDK owns the wire. `apps` packs documents. It is not an MCP client.
"""

from litro.mcp.apps.definition import McpApp

__all__ = ["McpApp"]
