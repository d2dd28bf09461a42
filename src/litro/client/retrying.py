"""Questions that have one answer, asked until it comes, and the waits between attempts at anything.

It hears no stream: that is `litro.client.session`'s business, which waits as this does.
"""

import asyncio
from dataclasses import dataclass
from typing import Any

import orjson

from litro.client.connection import Ask, Connection
from litro.client.course import Broken
from litro.client.outage import Outage, Patience
from litro.errors import RemoteError


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer that is no stream."""

    status: int
    content: Any
    """Its JSON; None where it has no body."""


class Retrying:
    """A server that is asked again while it cannot be heard.

    Args:
        connection: The server.
        patience: How long.
    """

    def __init__(self, connection: Connection, patience: Patience) -> None:
        self.connection = connection
        self._patience = patience

    def outage(self) -> Outage:
        """The time since the server was last known to work, for one course of attempts."""
        return Outage(self._patience)

    async def answer(self, ask: Ask, *, is_once: bool = False) -> Reply:
        """What the server answers.

        Args:
            ask: What is asked.
            is_once: Whether asking twice would do it twice. Then it is not asked again.

        Raises:
            RemoteError: The server refused, or could not be heard for too long.
        """
        outage = self.outage()
        is_repeated = False
        while True:
            try:
                async with self.connection.ask(ask, is_repeated=False) as response:
                    body = await response.aread()
                    return Reply(
                        status=response.status_code, content=self._json(response.status_code, body)
                    )
            except Broken as broken:
                if is_once:
                    raise self._unheard(broken) from broken
                await self.pause(outage, broken)
            except RemoteError as error:
                # What an attempt without an answer deleted is not there any more.
                if is_repeated and ask.method == "DELETE" and error.status == 404:
                    return Reply(status=204, content=None)
                raise
            is_repeated = True

    async def pause(self, outage: Outage, broken: Broken) -> None:
        """Wait before the next attempt.

        Raises:
            RemoteError: It is time to give up.
        """
        refusal = broken.refusal
        asked = None if refusal is None else refusal.retry_after
        wait = outage.wait(asyncio.get_running_loop().time(), asked=asked)
        if wait is None:
            raise self._unheard(broken) from broken
        await asyncio.sleep(wait)

    def _unheard(self, broken: Broken) -> RemoteError:
        if broken.refusal is not None:
            return broken.refusal
        message = (
            f"{self.connection.host} could not be heard for {self._patience.outage:g} s: {broken}.\n"
            "See that it runs and that base_url is its address; what it has recorded can be resumed."
        )
        return RemoteError("unreachable", message)

    def _json(self, status: int, body: bytes) -> Any:
        if status == 204:
            return None
        try:
            return orjson.loads(body)
        except orjson.JSONDecodeError:
            message = (
                f"{self.connection.host} answered {status} with what is no JSON, so it is no Litro server.\n"
                "See that base_url is the app's address with its mount."
            )
            raise RemoteError("unexpected-answer", message, status=status) from None
