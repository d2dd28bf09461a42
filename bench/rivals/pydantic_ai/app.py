"""Pydantic AI's AG-UI adapter in Starlette, with the history in SQLite by about the lines of its own chat example.

It brings no store on a disk: one thread owns the database, and each turn commits its messages once it has ended.
"""

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

from conversation import ARGUMENTS, TOOL, pieces, weather
from pydantic_ai import Agent, AgentRunResult, ModelMessage, ModelMessagesTypeAdapter
from pydantic_ai.messages import ModelRequest, ToolReturnPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel
from pydantic_ai.ui.ag_ui import AGUIAdapter
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route


async def answer(
    messages: list[ModelMessage], _info: AgentInfo
) -> AsyncIterator[str | dict[int, DeltaToolCall]]:
    """The call of the tool to a question, and the answer to what the tool said."""
    last = messages[-1]
    if not any(isinstance(part, ToolReturnPart) for part in last.parts):
        yield {0: DeltaToolCall(name=TOOL, json_args=json.dumps(ARGUMENTS), tool_call_id="c1")}
        return
    asked = [
        part.content
        for message in messages
        if isinstance(message, ModelRequest)
        for part in message.parts
        if isinstance(part, UserPromptPart)
    ]
    async for piece in pieces(str(asked[-1])):
        yield piece


agent = Agent(FunctionModel(stream_function=answer))


@agent.tool_plain(name=TOOL)
async def get_weather(city: str):
    """The weather in a city."""
    return weather(city)


class History:
    """Messages of sessions, in one file."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1)
        self._db: sqlite3.Connection

    async def open(self) -> None:
        """Make the table."""

        def work() -> None:
            self._db = sqlite3.connect("messages.db")
            self._db.execute(
                "CREATE TABLE IF NOT EXISTS messages (id INTEGER PRIMARY KEY, session TEXT, list TEXT)"
            )
            self._db.execute("CREATE INDEX IF NOT EXISTS by_session ON messages (session)")
            self._db.commit()

        await self._run(work)

    async def add(self, session: str, messages: bytes) -> None:
        """Add a turn's messages."""

        def work() -> None:
            row = (session, messages.decode())
            self._db.execute("INSERT INTO messages (session, list) VALUES (?, ?)", row)
            self._db.commit()

        await self._run(work)

    async def get(self, session: str) -> list[ModelMessage]:
        """All messages of a session."""

        def work() -> list[str]:
            query = "SELECT list FROM messages WHERE session = ? ORDER BY id"
            return [row[0] for row in self._db.execute(query, (session,))]

        lists = await asyncio.get_running_loop().run_in_executor(self._thread, work)
        return [m for text in lists for m in ModelMessagesTypeAdapter.validate_json(text)]

    async def _run(self, work: Callable[[], None]) -> None:
        await asyncio.get_running_loop().run_in_executor(self._thread, work)


history = History()


@asynccontextmanager
async def lifespan(_app: Starlette) -> AsyncIterator[None]:
    """The database is opened before anybody is answered."""
    await history.open()
    yield


async def run(request: Request) -> Response:
    """A turn."""
    session = request.path_params["session"]

    async def keep(result: AgentRunResult[str]) -> None:
        await history.add(session, result.new_messages_json())

    return await AGUIAdapter.dispatch_request(
        request, agent=agent, message_history=await history.get(session), on_complete=keep
    )


async def messages(request: Request) -> Response:
    """What was said."""
    found = await history.get(request.path_params["session"])
    return Response(ModelMessagesTypeAdapter.dump_json(found), media_type="application/json")


app = Starlette(
    routes=[
        Route("/sessions/{session}", run, methods=["POST"]),
        Route("/sessions/{session}", messages, methods=["GET"]),
    ],
    lifespan=lifespan,
)
