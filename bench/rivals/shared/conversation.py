"""The conversation that every peer of `bench/peers.py` has: a question, one tool, an answer of 200 pieces.

Nothing but the standard library: each peer's server reads it, in an environment of its own. Which peer asks, it does not know.
"""

import asyncio
from collections.abc import AsyncGenerator

QUESTION = "What is the weather in Lisbon?"
SLOWLY = "Slowly, please. What is the weather in Lisbon?"
"""The same, of a model that takes PAUSE a piece: there is time to drop a client, or to kill the server."""
PAUSE = 0.01
COUNT = 200
WORDS = tuple(f"w{number:03} " for number in range(COUNT))
"""What is answered. Whoever finds `w\\d{3}` in what a server says knows which pieces these were."""

TOOL = "get_weather"
ARGUMENTS = {"city": "Lisbon"}

FAIR = 16
"""Pieces after which the others on the loop get a turn, as a socket's reader would give it."""


def weather(city: str) -> dict[str, str | float]:
    """What the tool answers."""
    return {"city": city, "temp_c": 21.5, "summary": "sunny"}


async def pieces(question: str) -> AsyncGenerator[str]:
    """The answer to a question, each piece as soon as it is asked for, or slowly."""
    for number, word in enumerate(WORDS):
        if "Slowly" in question:
            await asyncio.sleep(PAUSE)
        elif number % FAIR == 0:
            await asyncio.sleep(0)
        yield word
