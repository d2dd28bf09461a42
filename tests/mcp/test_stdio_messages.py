"""What is said over the pipe: both eras, what is no message, cancellation, progress, sizes."""

from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest
from mcp_host import Host, serving, write_project

from litro.mcp.messages import MAX_LINE

TOOLS = {
    "add": "@tool\ndef add(a: int, b: int) -> int:\n    'Adds.'\n    return a + b\n",
    "length": "@tool\ndef length(text: str) -> int:\n    'Counts.'\n    return len(text)\n",
    "repeat": "@tool\ndef repeat(text: str, times: int) -> str:\n    'Repeats.'\n    return text * times\n",
    "steps": """@tool
async def steps(ctx: ToolContext):
    'Tells how far it is.'
    await ctx.progress(1, 2, "half")
    await ctx.progress(2, 2)
    return "done"
""",
    "waits": """@tool
async def waits():
    'Waits to be cancelled.'
    try:
        await asyncio.sleep(60)
    finally:
        print("cancelled")
""",
    "state": "@tool\ndef state(ctx: ToolContext):\n    'State.'\n    return {'state': ctx.state, 'request': ctx.request}\n",
}
HEAD = "import asyncio\nfrom litro import ToolContext, tool\n\n"
CONFIG = """import contextlib
from litro import Config

@contextlib.asynccontextmanager
async def life():
    yield "begun"

config = Config(lifespan=life)
"""
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    tools = {name: HEAD + text for name, text in TOOLS.items()}
    project = write_project(tmp_path_factory.mktemp("messages") / "shop", tools)
    (project / "agents/_config.py").write_text(CONFIG)
    with serving(project) as host:
        host.initialize()
        yield host


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"garbage", -32700),
        (b'{"jsonrpc":"2.0","id":9', -32700),
        (b'{"id":1,"text":"\xff"}', -32700),
        (b"\x00\x01\x02", -32700),
        (b'"\\ud800', -32700),
        (b"[" * 100_000, -32700),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600),
        (b"[]", -32600),
        (b"7", -32600),
        (b"{}", -32600),
        (b'{"jsonrpc":"1.0","id":1.5,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","method":"ping","params":[]}', -32600),
    ],
)
def test_what_is_no_message_is_answered_and_serving_goes_on(host: Host, line: bytes, code: int):
    host.write(line)
    answer = host.read()
    assert answer["error"]["code"] == code
    assert answer["id"] is None
    assert host.call("add", a=1, b=2)["result"]["structuredContent"] == {"value": 3}


def test_a_request_that_is_none_is_answered_by_its_id(host: Host):
    host.write(b'{"jsonrpc":"2.0","id":"mine","method":7}')
    answer = host.read()
    assert (answer["id"], answer["error"]["code"]) == ("mine", -32600)


def test_answers_that_nobody_asked_for_and_blank_lines_are_passed_over(host: Host):
    host.write(b'{"jsonrpc":"2.0","id":1,"result":7}')
    host.write(b'{"jsonrpc":"2.0","id":77,"result":{}}')
    host.write(b'{"jsonrpc":"2.0","id":77,"error":{}}')
    host.write(b"")
    host.write(b"  \r")
    assert host.request("ping")["result"] == {}


def test_half_a_pair_in_a_text_loses_that_half_and_not_the_call(host: Host):
    host.write(
        b'{"jsonrpc":"2.0","id":4711,"method":"tools/call",'
        b'"params":{"name":"repeat","arguments":{"text":"cut \\ud83d","times":1}}}'
    )
    text = host.answer(4711)["result"]["content"][0]["text"]
    assert orjson.loads(text) == "cut \ufffd"


def test_large_messages_pass_and_larger_ones_are_refused_unread(host: Host):
    size = 5_000_000
    assert host.call("length", text="x" * size)["result"]["structuredContent"] == {"value": size}
    host.write(b'{"x":"' + b"x" * (MAX_LINE + 1) + b'"}')
    assert "longer than" in host.read()["error"]["message"]
    assert (
        len(host.call("repeat", text="y", times=900_000)["result"]["content"][0]["text"]) > 900_000
    )


def test_progress_is_told_to_who_asks_for_it(host: Host):
    params = {"name": "steps", "arguments": {}}
    asked = host.ask("tools/call", {**params, "_meta": {"progressToken": "p1"}})
    told = [host.read(), host.read(), host.read()]
    assert [message["params"] for message in told[:2]] == [
        {"progressToken": "p1", "progress": 1.0, "total": 2.0, "message": "half"},
        {"progressToken": "p1", "progress": 2.0, "total": 2.0},
    ]
    assert told[2]["id"] == asked
    unasked = host.ask("tools/call", params)
    assert host.read()["id"] == unasked


def test_a_cancelled_call_is_cancelled_in_the_tool_and_never_answered(host: Host):
    waiting = host.start("waits")
    host.send({"method": "notifications/cancelled", "params": {"requestId": waiting}})
    host.until("cancelled")
    pinged = host.ask("ping")
    assert host.read()["id"] == pinged


def test_an_unknown_tool_and_a_strange_cursor_are_protocol_errors(host: Host):
    assert host.call("nope")["error"]["code"] == -32602
    assert host.request("tools/list", {"cursor": "strange"})["error"]["code"] == -32602
    assert host.request("resources/read", {"uri": "ui://x"})["error"]["code"] == -32002
    assert host.request("nope")["error"]["code"] == -32601


def test_tools_get_the_lifespan_s_state_and_no_request(host: Host):
    given = host.call("state")["result"]["structuredContent"]
    assert given == {"state": "begun", "request": None}


def test_lists_are_the_same_however_often_they_are_asked_for(host: Host):
    first, second = host.request("tools/list")["result"], host.request("tools/list")["result"]
    assert first == second
    assert [tool["name"] for tool in first["tools"]] == sorted(TOOLS)
    for kind in ("resources", "prompts"):
        assert host.request(f"{kind}/list")["result"] == {kind: []}


def test_the_era_without_a_handshake_is_served_too(tmp_path: Path):
    project = write_project(tmp_path / "shop", {"add": HEAD + TOOLS["add"]})
    with serving(project) as host:
        found = host.request("server/discover", {"_meta": MODERN})["result"]
        assert found["supportedVersions"] == ["2026-07-28"]
        for _ in range(2):
            listed = host.request("tools/list", {"_meta": MODERN})["result"]
            assert (listed["resultType"], listed["tools"][0]["name"]) == ("complete", "add")
        params = {"name": "add", "arguments": {"a": 1, "b": 2}, "_meta": MODERN}
        assert host.request("tools/call", params)["result"]["content"][0]["text"] == "3"
        missing = host.request("resources/read", {"uri": "ui://x", "_meta": MODERN})
        assert missing["error"]["code"] == -32602
