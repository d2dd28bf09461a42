"""What every agent shares: who may speak, what is open while the app runs, and where sessions are."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from starlette.exceptions import HTTPException
from starlette.requests import Request

from litro import Config


@dataclass
class Stock:
    """What is in the shop, by name."""

    pieces: dict[str, int] = field(default_factory=dict[str, int])


@asynccontextmanager
async def opened() -> AsyncGenerator[Stock]:
    yield Stock({"hat": 3})


async def signed_in(request: Request) -> dict[str, str]:
    user = request.headers.get("x-user")
    if user is None:
        raise HTTPException(401, "Sign in first.")
    return {"id": user}


config = Config(
    access=signed_in, lifespan=opened, max_turns=10, allowed_origins=["https://shop.example"]
)
