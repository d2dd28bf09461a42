import asyncio

from litro import tool

from ..._shared.script import GATES  # noqa: TID252 - as users write it


@tool
async def linger(gate: str):
    """Wait for the gate, and tell when it is over, however it ends."""
    (GATES / f"{gate}.reached").touch()
    try:
        while not (GATES / gate).exists():
            await asyncio.sleep(0.01)
    finally:
        (GATES / f"{gate}.left").touch()
    return "lingered"
