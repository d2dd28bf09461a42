"""One tool as `tools/list` shows it, made once, and the check of what it answers.

It calls nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from litro.definitions import Tool, ToolHints
from litro.mcp.names import reports_on_tool
from litro.mcp.output import Output
from litro.mcp.schemas import Published, published, published_as_written


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedTool:
    """A tool, in the protocol's words.

    Attributes:
        name: Its own, as written.
        listed: The entry of `tools/list`.
        output: What its results are held to, or None where its annotation promises nothing.
        reports: What its author should know, a sentence each.
    """

    name: str
    listed: Mapping[str, Any]
    output: Output | None
    reports: tuple[str, ...]

    @classmethod
    def of(cls, name: str, tool: Tool[..., Any], app: str | None = None) -> "ServedTool":
        """The tool of this name.

        Args:
            name: The tool's.
            tool: What it is.
            app: The address of the app that shows its results.
        """
        schema = tool.schema
        subject = f"Tool {name!r}: the input schema"
        given: Published = (
            published_as_written(schema.input_schema, subject)
            if schema.input_written
            else published(schema.input_schema, subject)
        )
        output = Output.of(schema.result_schema, f"Tool {name!r}: the output schema")
        listed: dict[str, Any] = {"name": name}
        if tool.hints.title is not None:
            listed["title"] = tool.hints.title
        listed["description"] = schema.description
        listed["inputSchema"] = given.schema
        if output is not None:
            listed["outputSchema"] = output.schema
        if annotations := _annotations(tool.hints):
            listed["annotations"] = annotations
        if tool.hints.icons:
            listed["icons"] = [dict(icon) for icon in tool.hints.icons]
        if shown := _shown(tool, app):
            listed["_meta"] = {"ui": shown}
        return cls(
            name=name,
            listed=listed,
            output=output,
            reports=(
                *reports_on_tool(name, schema.description),
                *given.reports,
                *(() if output is None else output.reports),
            ),
        )


def _shown(tool: Tool[..., Any], app: str | None) -> dict[str, Any]:
    """What MCP Apps says of a tool. What its document may do is said with the document alone."""
    shown: dict[str, Any] = {} if app is None else {"resourceUri": app}
    if tool.visibility is not None:
        shown["visibility"] = [*tool.visibility]
    return shown


def _annotations(hints: ToolHints) -> dict[str, Any]:
    words = {
        "title": hints.title,
        "readOnlyHint": hints.read_only,
        "destructiveHint": hints.destructive,
        "idempotentHint": hints.idempotent,
        "openWorldHint": hints.open_world,
    }
    return {word: value for word, value in words.items() if value is not None}
