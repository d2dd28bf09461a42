"""Litro: drop `agents/<name>/` into an ASGI app and have a durable, streaming, resumable agent.

A tool returns data for the model and a component for the person; neither channel leaks into the other.
Importing this package defines and nothing else: no IO, no environment, no server, no HTTP client.
"""

from typing import TYPE_CHECKING, Any

from litro.definitions import Agent, Config, Progress, Result, Tool, ToolContext, tool
from litro.errors import AgentError

if TYPE_CHECKING:
    from litro.app import create_app
    from litro.http.visitor import visitor

__all__ = [
    "Agent",
    "AgentError",
    "Config",
    "Progress",
    "Result",
    "Tool",
    "ToolContext",
    "create_app",
    "tool",
    "visitor",
]
__version__ = "0.1.0"


if not TYPE_CHECKING:
    # A type checker that knew of it would take a misspelt name for one that is there.
    def __getattr__(name: str) -> Any:
        # The app brings Starlette, pydantic and an HTTP client, and a guard Starlette: files that only declare must not pay for it.
        if name == "create_app":
            from litro.app import create_app  # noqa: PLC0415

            return create_app
        if name == "visitor":
            from litro.http.visitor import visitor  # noqa: PLC0415

            return visitor
        msg = f"module 'litro' has no attribute {name!r}"
        raise AttributeError(msg)
