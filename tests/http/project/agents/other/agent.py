from litro import Agent

from .._shared.script import model  # noqa: TID252 - as users write it

agent = Agent(model)
