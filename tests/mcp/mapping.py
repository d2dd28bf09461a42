"""An agent with given tools, in front of a host that speaks Python: no SDK, no wire."""

from pathlib import Path
from typing import Any

from litro import Agent, Tool
from litro.discovery.load import LoadedAgent
from litro.mcp.agent import CallContext, Limits, McpAgent
from litro.providers import scripted
from litro.turn.threads import ToolThreads


def serve(
    *tools: Tool[..., Any],
    text: Any = "",
    limits: Limits | None = None,
    tool_timeout: float = 60,
    **options: Any,
) -> McpAgent:
    loaded = LoadedAgent(
        name="demo",
        agent=Agent(scripted(lambda request, turn: ["Hello."]), tool_timeout=tool_timeout),
        instructions=text,
        tools={tool.function.__name__: tool for tool in tools},
        folder=Path("agents/demo"),
    )
    return McpAgent(loaded, ToolThreads(8), limits=limits, **options)


async def call(
    tool: Tool[..., Any], arguments: dict[str, Any] | None = None, **options: Any
) -> dict[str, Any]:
    """The result of the agent's only tool, for a host of the handshake era unless said otherwise."""
    context = CallContext(era=options.pop("era", "handshake"), report=options.pop("report", None))
    return await serve(tool, **options).call(tool.function.__name__, arguments, context)


def text_of(result: dict[str, Any]) -> str:
    (block,) = result["content"]
    assert block["type"] == "text"
    return block["text"]
