"""A project in process, as `litro dev` serves it, and whoever opens its inspector."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2

from litro import create_app
from litro.app import Litro

KEY = "sk-nobody-may-read-this"
TOKEN = "token-that-nobody-may-read"
DEMO = """
from litro import Agent
from litro.providers import call, scripted
from litro.providers.base import ResultsMessage

def script(request, turn):
    last = request.messages[-1]
    if isinstance(last, ResultsMessage):
        return [f"It is {last.results[0].content}."]
    return ["Adding. ", call("add", a=1, b=2)] if last.text == "add" else [f"Heard {last.text}."]

agent = Agent(scripted(script), max_rounds=4)
"""
ADD = '''
from litro import tool

@tool(timeout=5)
async def add(a: int, b: int) -> int:
    """Add two numbers.

    Args:
        a: The first.
    """
    return a + b
'''
TOLD = '''
import json
from pathlib import Path
from litro import AgentError, ToolContext, tool

class Card:
    def __html__(self):
        return "<b>for people</b>"

@tool
async def show(city: str, ctx: ToolContext):
    """Show a city."""
    from litro.ui import ui
    await ctx.progress(1, 2, "half")
    if city == "nowhere":
        raise AgentError("There is no such city.")
    return ui(Card(), data={"city": city, "for": ctx.principal, "in": ctx.session.id}, hydrate={"tag": "x-card"})
'''
GUARDED = """
from litro import Agent
from litro.providers import scripted

def guard(request):
    return request.headers["as"]

def words(turn):
    return f"Be brief with {turn.principal}."

agent = Agent(scripted(lambda request, turn: [request.system]), words, access=guard, on_busy="queue")
"""
BROKEN = f"""
from litro import Agent
from litro.providers import openai_compatible
agent = Agent(openai_compatible("m", api_key="{KEY}", base_url=1 / 0))
"""
REAL = f"""
from litro import Agent
from litro.providers import openai_compatible
model = openai_compatible("small", api_key="{KEY}", base_url="http://127.0.0.1:PORT/v1", headers={{"x-key": "{KEY}"}}, extra={{"password": "{KEY}", "seed": 1}})
agent = Agent(model, "Be brief.")
"""
FILES = {
    "agents/demo/agent.py": DEMO,
    "agents/demo/instructions.md": "Be exact.",
    "agents/demo/tools/add.py": ADD,
    "agents/demo/tools/show.py": TOLD,
    "agents/guarded/agent.py": GUARDED,
}


@asynccontextmanager
async def developed(
    folder: Path, more: dict[str, str] | None = None, **settings: Any
) -> AsyncIterator["Open"]:
    """The project, served in development, and its inspector opened."""
    for name, text in {**FILES, **(more or {})}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    given: dict[str, Any] = {
        "development": True,
        "watch": False,
        "signals": False,
        "mcp_token": TOKEN,
    }
    app = create_app(folder, **given | settings)
    async with app.lifespan():
        transport = httpx2.ASGITransport(app)
        async with httpx2.AsyncClient(
            transport=transport, base_url="http://localhost:8000"
        ) as client:
            yield Open(app, client)


class Open:
    """An open inspector."""

    def __init__(self, app: Litro, client: httpx2.AsyncClient) -> None:
        self.app = app
        self.client = client

    async def say(
        self, text: str, *, agent: str = "demo", session: str = "s1", principal: Any = None
    ) -> None:
        async for _ in self.app.session(agent, session, principal=principal).send(text):
            pass

    async def get(self, path: str, **headers: str) -> httpx2.Response:
        return await self.client.get(f"/__litro/inspector{path}", headers=headers)

    async def post(self, path: str, content: Any, **headers: str) -> httpx2.Response:
        all_headers = {"x-litro-agent": "1"} | headers
        return await self.client.post(
            f"/__litro/inspector{path}", json=content, headers=all_headers
        )

    async def load(self, path: str) -> Any:
        response = await self.get(f"/api{path}")
        assert response.status_code == 200, response.text
        assert response.headers["cache-control"] == "no-store"
        return response.json()

    async def requests(self, turn: int, *, agent: str = "demo", session: str = "s1") -> Any:
        return await self.load(f"/sessions/{agent}/{session}/turns/{turn}/requests")

    async def events(
        self, session: str, query: str = "", *, agent: str = "demo"
    ) -> list[dict[str, Any]]:
        response = await self.get(f"/api/sessions/{agent}/{session}/events?follow=false{query}")
        assert response.status_code == 200, response.text
        return lines(response)[:-1]

    async def call(self, tool: str, content: Any, *, agent: str = "demo") -> list[dict[str, Any]]:
        response = await self.post(f"/api/agents/{agent}/tools/{tool}/call", content)
        assert response.status_code == 200, response.text
        told = lines(response)
        assert told.pop() == {"done": True}
        return told

    @asynccontextmanager
    async def following(self, path: str, content: Any = None) -> AsyncIterator["Following"]:
        """A stream that is heard as it comes, and left; a POST where there is something to say."""
        following = Following(b"" if content is None else json.dumps(content).encode())
        scope = _scope(path, "GET" if content is None else "POST")
        task = asyncio.create_task(self.app(scope, following.receive, following.send))
        try:
            yield following
        finally:
            following.left.set()
            await task


class Following:
    """A response, as it comes."""

    def __init__(self, body: bytes) -> None:
        self.left = asyncio.Event()
        self._body: bytes | None = body
        self._bodies: asyncio.Queue[bytes] = asyncio.Queue()
        self._lines: list[dict[str, Any]] = []

    async def receive(self) -> Any:
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body}
        await self.left.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        self._bodies.put_nowait(message.get("body", b""))

    async def until(self, kind: str) -> list[dict[str, Any]]:
        """The lines up to the next of this kind, or with this key."""
        heard: list[dict[str, Any]] = []
        while not heard or (heard[-1].get("kind") != kind and kind not in heard[-1]):
            while not self._lines:
                body = await self._bodies.get()
                self._lines += [json.loads(line) for line in body.splitlines() if line]
            heard.append(self._lines.pop(0))
        return heard


def lines(response: httpx2.Response) -> list[dict[str, Any]]:
    return [json.loads(line) for line in response.text.splitlines() if line]


def _scope(path: str, method: str) -> dict[str, Any]:
    path, _, query = f"/__litro/inspector{path}".partition("?")
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": query.encode(),
        "headers": [(b"host", b"localhost:8000"), (b"x-litro-agent", b"1")],
        "client": ("127.0.0.1", 1234),
        "server": ("localhost", 8000),
    }
