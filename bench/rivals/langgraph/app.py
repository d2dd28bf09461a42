"""The graph that `langgraph dev` serves: LangChain's agent with a chat model that answers by script, and one tool."""

import json
from collections.abc import AsyncIterator
from typing import Any

from conversation import ARGUMENTS, TOOL, pieces, weather
from langchain.agents import create_agent
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult


def get_weather(city: str) -> str:
    """The weather in a city.

    Args:
        city: The city's name.
    """
    return json.dumps(weather(city))


class Scripted(BaseChatModel):
    """Asks for the tool, then answers in pieces. The server streams, so only that is here."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, *_: Any, **__: Any) -> "Scripted":
        """It knows its tool."""
        return self

    async def _astream(
        self, messages: list[BaseMessage], *_: Any, **__: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        if not isinstance(messages[-1], ToolMessage):
            call = {
                "name": TOOL,
                "args": json.dumps(ARGUMENTS),
                "id": "call-1",
                "index": 0,
                "type": "tool_call_chunk",
            }
            yield ChatGenerationChunk(message=AIMessageChunk(content="", tool_call_chunks=[call]))
            return
        question = next(
            message for message in reversed(messages) if isinstance(message, HumanMessage)
        )
        async for piece in pieces(question.text):
            yield ChatGenerationChunk(message=AIMessageChunk(content=piece))

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        raise NotImplementedError


graph = create_agent(Scripted(), tools=[get_weather], system_prompt="Tell the weather.")
