"""When a failed request to a model is sent again: before anything of its answer was heard, and never after.

What may be retried at all is `ProviderError.retryable`, which `litro.providers.failures` and the transport decide. It is
not a queue and keeps nothing between requests.
"""

import asyncio
import random
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass

from litro.errors import ProviderError
from litro.providers.base import ModelEvent

_DOUBLINGS = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Retries:
    """How often, and after which waits.

    Raises:
        ValueError: A number is below 0.
    """

    count: int = 2
    """Requests after the first. 0 means none."""
    first_wait: float = 0.5
    """The most seconds before the first retry. Each later one may wait twice as long."""
    longest_wait: float = 30.0
    """The most seconds of any wait. Where the server asks for more, there is no retry: earlier would be for nothing."""

    def __post_init__(self) -> None:
        if self.count < 0 or not self.first_wait >= 0 or not self.longest_wait >= 0:
            msg = f"retries is {self!r}, so numbers from 0 up are required. Use 0 for no retries."
            raise ValueError(msg)

    def wait(
        self, error: ProviderError, failed: int, *, chance: Callable[[], float] = random.random
    ) -> float | None:
        """Seconds until the next request, or None where there is to be none.

        Args:
            error: How the last request failed.
            failed: How many had failed before it.
            chance: A number from 0 to 1: clients that failed together do not come back together.
        """
        if not error.retryable or failed >= self.count:
            return None
        if error.retry_after is not None:
            return error.retry_after if error.retry_after <= self.longest_wait else None
        seconds = self.first_wait * 2 ** min(failed, _DOUBLINGS) * chance()
        return min(seconds, self.longest_wait)


def as_retries(given: int | Retries) -> Retries:
    """The retries that a number means, or those that are given.

    Raises:
        ValueError: The number is below 0.
    """
    return given if isinstance(given, Retries) else Retries(count=given)


async def with_retries(
    request: Callable[[], AsyncGenerator[ModelEvent]], retries: Retries
) -> AsyncGenerator[ModelEvent]:
    """The events of `request()`, which is called again as long as it fails before its first event.

    Raises:
        ProviderError: The last request's.
    """
    failed = 0
    while True:
        heard = False
        try:
            async with aclosing(request()) as events:
                async for event in events:
                    heard = True
                    yield event
                return
        except ProviderError as error:
            wait = None if heard else retries.wait(error, failed)
            if wait is None:
                raise
        failed += 1
        await asyncio.sleep(wait)
