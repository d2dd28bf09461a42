from starlette.requests import Request

from litro import Agent
from litro.definitions import Principal

from .._shared.guard import principal_of  # noqa: TID252 - as users write it
from .._shared.script import model  # noqa: TID252 - as users write it


async def guard(request: Request) -> Principal:
    return principal_of(request)


agent = Agent(model, access=guard)
