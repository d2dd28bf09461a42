"""A provider of one's own, and those that Litro has."""

from collections.abc import AsyncIterator

from litro import Agent
from litro.providers import Retries, Timeouts, anthropic, openai_compatible
from litro.providers.base import (
    Finished,
    ModelEvent,
    ModelRequest,
    Provider,
    TextDelta,
    ToolCall,
    Usage,
)


class Echo:
    name = "echo"

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        yield TextDelta(f"{len(request.messages)} messages so far.")
        if request.tools:
            yield ToolCall(request.tools[0].name, {})
        yield Usage(input_tokens=1)
        yield Finished(stop="end")


provider: Provider = Echo()
agents = [
    Agent(Echo()),
    Agent("openai:gpt-5"),
    Agent(openai_compatible("qwen3", base_url="http://localhost:11434/v1", temperature=0)),
    Agent(anthropic("claude-sonnet-4-5", retries=Retries(count=5), timeouts=Timeouts(connect=2))),
]
