"""Asking an agent's guard, or the app's, who is there."""

import inspect

from starlette.requests import Request

from litro.definitions import Access, Principal, owner_of
from litro.discovery.load import LoadedAgent


async def principal_of(agent: LoadedAgent, request: Request, access: Access | None) -> Principal:
    """Who the request is from.

    Args:
        agent: Whom it speaks to. Its own guard is asked where it has one.
        request: The request.
        access: The guard of agents that have none of their own.

    Raises:
        Exception: What the guard refused with.
    """
    guard = agent.agent.access or access
    if guard is None:
        return None
    answer = guard(request)
    principal = await answer if inspect.isawaitable(answer) else answer
    owner_of(principal)
    return principal
