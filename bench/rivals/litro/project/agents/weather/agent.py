"""An agent whose model follows the script of the bench."""

from collections.abc import AsyncIterator

from conversation import ARGUMENTS, TOOL, pieces

from litro import Agent
from litro.providers import call, scripted
from litro.providers.base import ModelRequest, ToolCall, UserMessage


async def answer(request: ModelRequest, _turn: int) -> AsyncIterator[str | ToolCall]:
    """The call of the tool to a question, and the answer to what the tool said."""
    last = request.messages[-1]
    if isinstance(last, UserMessage):
        yield call(TOOL, **ARGUMENTS)
        return
    question = next(m.text for m in reversed(request.messages) if isinstance(m, UserMessage))
    async for piece in pieces(question):
        yield piece


agent = Agent(scripted(answer))
