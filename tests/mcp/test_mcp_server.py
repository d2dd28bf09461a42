"""The SDK's adapter over lines in this process: what the SDK leaves out."""

import itertools
from collections.abc import AsyncIterator, Iterable
from typing import Any

import mapping
import orjson
import pytest
from mcp.server.lowlevel import Server
from mcp_types import PaginatedRequestParams

from litro import tool
from litro.mcp.agent import Limits
from litro.mcp.server import build, serve

UI = "io.modelcontextprotocol/ui"
CLIENT = {"name": "host", "version": "1"}
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT}


class Said:
    """A host that has said all that it will say."""

    is_read = True

    def __init__(self, messages: Iterable[tuple[str, dict[str, Any]]]) -> None:
        numbers = itertools.count(1)
        self._lines = [
            orjson.dumps({"jsonrpc": "2.0", "id": next(numbers), "method": name, "params": params})
            for name, params in messages
        ]
        self.heard: dict[int, dict[str, Any]] = {}

    async def lines(self) -> AsyncIterator[bytes | None]:
        for line in self._lines:
            yield line

    async def send(self, line: bytes) -> None:
        message = orjson.loads(line)
        self.heard[message["id"]] = message

    async def flush(self) -> None:
        return


async def results(server: Server[Any], *messages: tuple[str, dict[str, Any]]) -> list[Any]:
    host = Said(messages)
    await serve(server, host)
    return [host.heard[number + 1].get("result") for number in range(len(messages))]


@tool
async def echo(text: str) -> str:
    """Say it again."""
    return text


async def test_extensions_are_told_in_the_handshake_which_the_sdk_drops():
    server = build(mapping.serve(echo))
    (without,) = await results(server, ("initialize", HELLO))
    assert "extensions" not in without["capabilities"]
    server.extensions[UI] = {}
    (hello,) = await results(server, ("initialize", HELLO))
    assert hello["capabilities"]["extensions"] == {UI: {}}
    assert "tools" in hello["capabilities"]


async def test_who_the_server_is_and_its_instructions():
    agent = mapping.serve(echo, text="Be brief.", instructions=True)
    (hello,) = await results(build(agent), ("initialize", HELLO))
    assert hello["serverInfo"]["name"] == "litro-demo"
    assert hello["instructions"] == "Be brief."


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
async def test_each_revision_of_the_handshake_is_spoken(version: str):
    said = [
        ("initialize", {**HELLO, "protocolVersion": version}),
        ("tools/list", {}),
        ("tools/call", {"name": "echo", "arguments": {"text": "hi"}}),
    ]
    hello, listed, called = await results(build(mapping.serve(echo)), *said)
    assert hello["protocolVersion"] == version
    assert [shown["name"] for shown in listed["tools"]] == ["echo"]
    assert called["content"] == [{"type": "text", "text": '"hi"'}]


async def test_a_page_that_is_kept_is_another_s_only_for_the_same_cursor():
    @tool
    async def other() -> None:
        """Nothing."""

    agent = mapping.serve(echo, other, limits=Limits(page=1))
    first = agent.tools()["nextCursor"]
    said = [("tools/list", params) for params in ({}, {"cursor": first}, {}, {"cursor": first})]
    _, *pages = await results(build(agent), ("initialize", HELLO), *said)
    names = [[shown["name"] for shown in page["tools"]] for page in pages]
    assert names == [["echo"], ["other"], ["echo"], ["other"]]


async def test_a_failure_of_ours_keeps_its_text_to_the_log(caplog: pytest.LogCaptureFixture):
    agent = mapping.serve(echo)
    server = build(agent)

    async def broken(*given: Any) -> Any:
        raise RuntimeError("secret")

    server.add_request_handler("tools/list", PaginatedRequestParams, broken)
    host = Said([("initialize", HELLO), ("tools/list", {})])
    await serve(server, host)
    assert host.heard[2]["error"]["code"] == -32603
    assert "secret" not in str(host.heard)
    assert "secret" in caplog.text
