"""An agent whose instructions change from turn to turn."""

from itertools import count

from litro import Agent
from litro.definitions import TurnContext
from litro.providers import scripted

_asked = count(1)


def instructions(context: TurnContext) -> str:
    """What counts how often it was asked for."""
    return f"You tell the time to {context.agent}.\nYou were asked {next(_asked)} times.\nBe brief."


agent = Agent(scripted(lambda request, turn: ["It is noon."]), instructions=instructions)
