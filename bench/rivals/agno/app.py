"""AgentOS with one agent: a model of Agno's own kind that answers by script, one tool, and sessions in SQLite in the working folder."""

import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

from agno.agent import Agent
from agno.db.sqlite import SqliteDb
from agno.models.base import Model
from agno.models.message import Message
from agno.models.response import ModelResponse
from agno.os import AgentOS
from conversation import ARGUMENTS, TOOL, pieces, weather

CALL = {
    "id": "call-1",
    "type": "function",
    "function": {"name": TOOL, "arguments": json.dumps(ARGUMENTS)},
}


def get_weather(city: str) -> str:
    """The weather in a city.

    Args:
        city: The city's name.
    """
    return json.dumps(weather(city))


@dataclass
class Scripted(Model):
    """Asks for the tool, then answers in pieces. AgentOS streams, so only that is here."""

    id: str = "scripted"
    provider: str = "bench"

    async def ainvoke_stream(
        self, messages: list[Message], **_: Any
    ) -> AsyncIterator[ModelResponse]:
        """One step: what was said last tells which."""
        if messages[-1].role != "tool":
            yield ModelResponse(role="assistant", tool_calls=[CALL])
            return
        question = next(message for message in reversed(messages) if message.role == "user")
        async for piece in pieces(question.get_content_string()):
            yield ModelResponse(role="assistant", content=piece)

    def invoke(self, *args: Any, **kwargs: Any) -> ModelResponse:
        """Not used."""
        raise NotImplementedError

    async def ainvoke(self, *args: Any, **kwargs: Any) -> ModelResponse:
        """Not used."""
        raise NotImplementedError

    def invoke_stream(self, *args: Any, **kwargs: Any) -> Iterator[ModelResponse]:
        """Not used."""
        raise NotImplementedError

    def _parse_provider_response(self, response: Any, **kwargs: Any) -> ModelResponse:
        raise NotImplementedError

    def _parse_provider_response_delta(self, response: Any) -> ModelResponse:
        raise NotImplementedError


agent = Agent(
    id="weather",
    name="Weather",
    model=Scripted(),
    tools=[get_weather],
    db=SqliteDb(db_file="agno.db"),
    instructions="Tell the weather.",
    add_history_to_context=True,
    telemetry=False,
)
app = AgentOS(id="bench", agents=[agent], telemetry=False).get_app()
