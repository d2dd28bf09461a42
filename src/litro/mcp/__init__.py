"""One agent's tools in front of MCP hosts.

`agent` and what it imports map tools to the protocol's words, as plain JSON, and know no SDK. `server` alone, and what imports
it, does: the SDK owns the wire. It is not an MCP client.
"""
