"""A client of a Litro server: the shape of a session in process, over a network that may fail.

    async with AgentClient("https://example.com/ai") as client:
        async for event in client.session("demo", "s1").send("Hi"): ...

It is not loaded by `import litro`, and it imports nothing of the server.
"""

from litro.client.listing import SessionFork, SessionInfo, SessionPage, WaitingMessage
from litro.client.session import AgentClient, ClientSession

__all__ = [
    "AgentClient",
    "ClientSession",
    "SessionFork",
    "SessionInfo",
    "SessionPage",
    "WaitingMessage",
]
