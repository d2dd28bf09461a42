"""The card in MCP hosts."""

from litro.mcp import McpApp
from litro.ui import element

app = McpApp(
    element("price-card"), title="Share price", prefers_border=True, csp={"connectDomains": []}
)
