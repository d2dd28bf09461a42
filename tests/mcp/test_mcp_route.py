"""The MCP route in process: generations that follow each other, agents that fail alone, and its life with the app."""

import asyncio
import json
import shutil
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from litro import create_app
from litro.app import Litro
from litro.discovery.load import LoadedAgent
from litro.gates import GatePolicy
from litro.http.call import Rules
from litro.mcp.agent import McpAgent
from litro.mcp.gates import McpPolicy
from litro.mcp.http import McpRoutes
from litro.turn.threads import ToolThreads

AGENT = """
from litro import Agent
from litro.providers import scripted
agent = Agent(scripted(lambda request, turn: ["Hello."]))
"""
TOOL = '''
import asyncio
from litro import tool
GATE = asyncio.Event()

@tool
async def version(wait: bool = False):
    """Tell which version this is."""
    if wait:
        REACHED.set()
        await GATE.wait()
    return {"version": VERSION}

REACHED = asyncio.Event()
'''


def write(project: Path, version: int, agent: str = "shop") -> None:
    tools = project / "agents" / agent / "tools"
    tools.mkdir(parents=True, exist_ok=True)
    (tools.parent / "agent.py").write_text(AGENT)
    (tools / "version.py").write_text(TOOL.replace("VERSION", str(version)))


@pytest.fixture
async def litro(tmp_path: Path) -> AsyncIterator[Litro]:
    write(tmp_path, 1)
    app = create_app(tmp_path, watch=False, development=True, loopback=True, signals=False)
    await app.start()
    yield app
    await app.shutdown()


async def ask(app: Any, path: str, body: bytes, **headers: str) -> tuple[int, Any]:
    """The status and the JSON of an answer to a POST."""
    sent: list[Any] = []
    received = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def receive() -> Any:
        for message in received:
            return message
        return await asyncio.Event().wait()

    async def send(message: Any) -> None:
        sent.append(message)

    fields = {"host": "localhost", "content-type": "application/json", "content-length": "1"}
    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "query_string": b"",
        "headers": [(k.encode(), v.encode()) for k, v in (fields | headers).items()],
        "client": ("127.0.0.1", 1),
    }
    await app(scope, receive, send)
    return sent[0]["status"], json.loads(b"".join(message.get("body", b"") for message in sent[1:]))


async def version(app: Any, agent: str = "shop", **arguments: Any) -> Any:
    params = {"name": "version", "arguments": arguments}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    status, told = await ask(app, f"/__litro/mcp/{agent}", json.dumps(asked).encode())
    return told["result"]["structuredContent"]["version"] if status == 200 else (status, told)


def modules(name: str) -> list[Any]:
    """The living modules of this name, one for each generation."""
    return [held for known, held in sys.modules.items() if known.endswith(name)]


async def test_a_new_generation_is_served_from_the_next_call_on(litro: Litro):
    assert await version(litro) == 1
    write(litro.project, 2)
    assert await litro.reload() == ()
    assert await version(litro) == 2


async def test_a_call_keeps_its_generation_until_it_ends(litro: Litro):
    (module,) = modules("tools.version")
    call = asyncio.create_task(version(litro, wait=True))
    await module.REACHED.wait()
    write(litro.project, 2)
    await litro.reload()
    assert await version(litro) == 2
    assert module in modules("tools.version")
    module.GATE.set()
    assert await call == 1
    assert module not in modules("tools.version")


async def test_an_agent_that_came_later_is_served_and_one_that_left_is_not(litro: Litro):
    assert (await version(litro, "late"))[0] == 404
    write(litro.project, 3, "late")
    await litro.reload()
    assert await version(litro, "late") == 3
    shutil.rmtree(litro.project / "agents/late")
    await litro.reload()
    status, told = await version(litro, "late")
    assert (status, "shop" in told["message"]) == (404, True)


async def test_an_agent_that_cannot_be_served_takes_no_other_down(litro: Litro):
    write(litro.project, 1, "odd")
    await litro.reload()
    running = await litro.start()

    def made(agent: LoadedAgent) -> McpAgent:
        if agent.name == "odd":
            raise ValueError("its app is not packed")
        return McpAgent(agent, ToolThreads(1))

    policy = McpPolicy(gates=GatePolicy(), is_local=True)
    for development in (True, False):
        rules = Rules(gates=GatePolicy(), access=None, max_body=1000, development=development)
        route = McpRoutes(
            running.conversations,
            rules,
            policy,
            made,
            state=None,
            is_json=False,
            retired=lambda: None,
        )

        async def app(scope: Any, receive: Any, send: Any, route: McpRoutes = route) -> None:
            assert await route(scope["path"], scope, receive, send)

        assert await version(app) == 1
        status, told = await version(app, "odd")
        assert (status, told["type"]) == (500, "broken-agent")
        assert ("its app is not packed" in told["message"]) is development


async def test_a_call_after_the_end_is_told_that_the_server_goes_away(litro: Litro):
    await (await litro.start()).mcp.leave(0)
    status, told = await version(litro)
    assert (status, told["type"]) == (503, "going-away")


async def test_what_the_lifespan_yielded_reaches_the_tool(tmp_path: Path):
    write(tmp_path, 1)
    (tmp_path / "agents/_config.py").write_text(
        "from contextlib import asynccontextmanager\nfrom litro import Config\n\n"
        "@asynccontextmanager\nasync def life():\n    yield {'opened': 4}\n\n"
        "config = Config(lifespan=life)\n"
    )
    (tmp_path / "agents/shop/tools/version.py").write_text(
        "from litro import ToolContext, tool\n\n@tool\ndef version(ctx: ToolContext):\n"
        '    """Tell."""\n    return {"version": ctx.state["opened"]}\n'
    )
    app = create_app(tmp_path, watch=False, mcp_local=True, signals=False)
    await app.start()
    assert await version(app) == 4
    await app.shutdown()
