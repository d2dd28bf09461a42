from litro import Agent

from .._shared.guard import principal_of  # noqa: TID252 - as users write it
from .._shared.script import model  # noqa: TID252 - as users write it

agent = Agent(model, access=principal_of)
