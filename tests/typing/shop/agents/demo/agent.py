"""The agent, with every argument that it takes."""

from collections.abc import Sequence

from litro import Agent
from litro.definitions import TurnContext
from litro.providers import scripted
from litro.providers.base import Message, UserMessage

from ._script import answer


async def instructions(context: TurnContext) -> str:
    return f"You are {context.agent}, and {context.principal} speaks with you."


def last_question(messages: tuple[Message, ...]) -> Sequence[Message]:
    starts = [n for n, message in enumerate(messages) if isinstance(message, UserMessage)]
    return messages[starts[-1] :]


agent = Agent(
    scripted(answer),
    instructions,
    max_rounds=4,
    tool_timeout=10,
    parallel_tools=2,
    history=last_question,
    on_busy="queue",
)
