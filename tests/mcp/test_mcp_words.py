"""The mapping's plain JSON, judged by the SDK's types of the protocol: no server and no wire."""

from typing import Any

import mcp_types as types
import pytest
from mapping import call, serve

from litro import AgentError, tool
from litro.content import Audio, File, Image, Text
from litro.mcp.agent import Limits


@tool(
    title="Everything",
    destructive=False,
    icons=[{"src": "https://example.com/i.png", "mimeType": "image/png", "sizes": ["48x48"]}],
)
def everything(kind: str) -> Any:
    """Answers in every way."""
    if kind == "error":
        raise AgentError("No.")
    png = Image(b"\x89PNG\r\n\x1a\n")
    mixed = [Text("a"), png, Audio(b"ID3"), File("a", "ä b?.txt"), File(b"a", "b")]
    return {"mixed": mixed, "object": {"a": 1}, "list": [1], "null": None}[kind]


def test_a_listed_tool_is_a_tool_of_the_protocol():
    (listed,) = serve(everything).tools()["tools"]
    read = types.Tool.model_validate(listed, by_name=False)
    assert read.model_dump(by_alias=True, exclude_none=True, mode="json") == listed


@pytest.mark.parametrize("kind", ["mixed", "object", "list", "null", "error", "unfit"])
@pytest.mark.parametrize("limit", [20, 1_000_000])
async def test_every_result_is_a_result_of_the_protocol(kind: str, limit: int):
    arguments = {"kind": kind} if kind != "unfit" else {"kind": 3}
    result = await call(everything, arguments, limits=Limits(max_result=limit))
    read = types.CallToolResult.model_validate(result, by_name=False)
    told = read.model_dump(by_alias=True, exclude_none=True, exclude_unset=True, mode="json")
    assert {**told, "structuredContent": None} == {**result, "structuredContent": None}
