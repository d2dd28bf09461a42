"""Work that is for one client, and ends when the client is gone: over HTTP, hanging up is how a call is cancelled."""

import asyncio

from litro.http.answers import Receive


async def while_connected(work: "asyncio.Task[None]", receive: Receive) -> bool:
    """Wait for the work, and cancel it when the client hangs up.

    Args:
        work: What is done for the client.
        receive: Of the request, whose body has been read.

    Returns:
        Whether the client was there to the end.

    Raises:
        Exception: What the work raised.
    """
    gone = asyncio.create_task(_disconnected(receive))
    try:
        await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
        was_there = work.done()
    finally:
        for task in (work, gone):
            task.cancel()
        await asyncio.wait({work, gone})
    if not work.cancelled():
        work.result()
    return was_there


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
