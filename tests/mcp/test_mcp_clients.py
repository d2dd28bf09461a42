"""Other people's clients drive Litro's servers: list, call, progress, cancel, error and timeout, over stdio and over HTTP.

The official Python client in three modes, the official TypeScript client in three modes, and the Inspector's CLI in both eras.
"""

import asyncio
import json
import os
import signal
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import mcp_rigs
import pytest
from driving import PATIENCE, Target, target
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError

pytestmark = [pytest.mark.once, pytest.mark.timeout(300)]

MODES = ["legacy", "auto", "2026-07-28"]
NAMES = ["add", "count", "fail", "linger", "slow"]
INVALID_PARAMS = -32602
INSPECTOR = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"


@pytest.fixture(scope="module", params=["stdio", "http"])
def served(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Target]:
    with target(request.param, tmp_path_factory.mktemp("marks")) as chosen:
        yield chosen


# --- the official Python client


@asynccontextmanager
async def client(served: Target, mode: str) -> AsyncIterator[Client]:
    command, *args = served.command
    to = served.url or StdioServerParameters(command=command, args=args, env=served.env)
    async with Client(to, mode=mode, read_timeout_seconds=PATIENCE) as opened:
        yield opened


@pytest.mark.parametrize("mode", MODES)
async def test_the_python_client_lists_and_calls(served: Target, mode: str):
    steps: list[tuple[float, float | None]] = []

    async def told(done: float, total: float | None, message: str | None) -> None:
        steps.append((done, total))

    async with client(served, mode) as host:
        assert (host.protocol_version == "2025-11-25") == (mode == "legacy")
        assert [tool.name for tool in (await host.list_tools()).tools] == NAMES
        assert (await host.call_tool("add", {"a": 2, "b": 3})).structured_content == {"total": 5}
        await host.call_tool("count", {"to": 3}, progress_callback=told)
        assert steps == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize("mode", MODES)
async def test_the_python_client_hears_what_went_wrong(served: Target, mode: str):
    async with client(served, mode) as host:
        wrong = await host.call_tool("add", {"a": "two", "b": 3})
        failed = await host.call_tool("fail", {})
        slow = await host.call_tool("slow", {})
        with pytest.raises(MCPError) as unknown:
            await host.call_tool("nope", {})
    assert unknown.value.code == INVALID_PARAMS
    told = [(result.is_error, result.content[0].text) for result in (wrong, failed, slow)]
    assert all(is_error for is_error, _ in told)
    assert "valid integer" in told[0][1]
    assert told[1][1] == "The shop is closed."
    assert "longer than 0.1 s" in told[2][1]


@pytest.mark.parametrize("mode", MODES)
async def test_a_call_that_the_python_client_gives_up_ends(served: Target, mode: str):
    cancelled, late = f"python-{mode}-cancelled", f"python-{mode}-late"
    async with client(served, mode) as host:
        call = asyncio.create_task(host.call_tool("linger", {"mark": cancelled}))
        await asyncio.to_thread(served.marked, f"{cancelled}.begun")
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        with pytest.raises(MCPError):
            await host.call_tool("linger", {"mark": late}, read_timeout_seconds=0.5)
        if served.transport == "stdio" or mode != "legacy":
            await asyncio.to_thread(served.marked, f"{cancelled}.left")
            await asyncio.to_thread(served.marked, f"{late}.left")
        assert not (await host.call_tool("add", {"a": 1, "b": 1})).is_error
    # See rigs/drive.mjs: without sessions, a host of the old era is believed when it goes.
    await asyncio.to_thread(served.marked, f"{cancelled}.left")
    await asyncio.to_thread(served.marked, f"{late}.left")


# --- the official TypeScript client


@pytest.mark.parametrize("mode", MODES)
def test_the_typescript_client_is_served(served: Target, mode: str):
    command = [mcp_rigs.NODE, mcp_rigs.RIGS / "drive.mjs", mcp_rigs.packages(), mode, served.marks]
    run = subprocess.run(
        [*command, *served.to_drive()], env=served.env, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
    told = json.loads(run.stdout)
    assert told["version"] == ("2025-11-25" if mode == "legacy" else "2026-07-28")
    assert [tool["name"] for tool in told["tools"]] == NAMES
    assert [told[call]["result"]["structuredContent"] for call in ("add", "count", "after")] == [
        {"total": 5},
        {"value": 3},
        {"total": 2},
    ]
    assert [told[call]["result"]["isError"] for call in ("wrong", "fail", "slow")] == [True] * 3
    assert told["unknown"]["error"]["code"] == INVALID_PARAMS
    assert [step["progress"] for step in told["progress"]] == [1, 2, 3]
    assert told["begun"]
    assert told["cancelled"]["error"]
    assert told["late"]["error"]["code"] == "REQUEST_TIMEOUT"
    assert told["left"] or (served.transport == "http" and mode == "legacy")
    for call in ("cancelled", "late"):
        served.marked(f"{mode}-{call}.left")


# --- the Inspector's CLI


def inspector(served: Target, era: str, method: str, *more: str) -> list[Any]:
    """Its command."""
    node = [mcp_rigs.NODE, mcp_rigs.packages() / INSPECTOR, "--cli"]
    server: dict[str, Any] = {"protocolEra": era}
    if served.url is None:
        program, *args = served.command
        server |= {"command": program, "args": args, "env": {"MARKS": str(served.marks)}}
    else:
        server |= {"type": "http", "url": served.url}
    config = served.marks / f"inspector-{served.transport}-{era}.json"
    config.write_text(json.dumps({"mcpServers": {"s": server}}))
    return [
        *node,
        "--config",
        config,
        "--server",
        "s",
        "--method",
        method,
        *more,
        "--format",
        "json",
    ]


def inspect(served: Target, era: str, method: str, *more: str) -> tuple[int, Any]:
    """Its exit status, and the result."""
    command = inspector(served, era, method, *more)
    run = subprocess.run(command, env=served.env, capture_output=True, text=True, check=False)
    assert run.stdout or run.returncode, run.stderr
    return run.returncode, json.loads(run.stdout)["result"] if run.stdout else run.stderr


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_inspector_lists_and_calls(served: Target, era: str):
    status, listed = inspect(served, era, "tools/list", "--strict")
    assert (status, [tool["name"] for tool in listed["tools"]]) == (0, NAMES)
    called = ("tools/call", "--tool-name")
    status, result = inspect(served, era, *called, "count", "--tool-arg", "to=3")
    assert (status, result["structuredContent"]) == (0, {"value": 3})
    for name, text in (("fail", "The shop is closed."), ("slow", "longer than 0.1 s")):
        status, result = inspect(served, era, *called, name)
        assert status == 5
        assert text in result["content"][0]["text"]
    status, told = inspect(served, era, *called, "nope")
    assert (status, "tool_not_found" in told) == (5, True)


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_a_call_ends_when_the_inspector_goes(served: Target, era: str):
    mark = f"inspector-{era}"
    command = inspector(
        served, era, "tools/call", "--tool-name", "linger", "--tool-arg", f"mark={mark}"
    )
    with subprocess.Popen(
        command, env=served.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        served.marked(f"{mark}.begun")
        os.kill(process.pid, signal.SIGINT)
    served.marked(f"{mark}.left")
