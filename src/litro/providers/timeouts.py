"""How long a model's server may take.

It is not a limit of a whole answer, which may be as long as the model has something to say.
"""

from dataclasses import dataclass, fields
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeouts:
    """Seconds; None waits forever.

    Raises:
        ValueError: A limit is not above 0.
    """

    connect: float | None = 10.0
    """To reach the server."""
    first_token: float | None = 120.0
    """From the request to the first event of the answer: a long prompt takes its time."""
    between_tokens: float | None = 120.0
    """From one event of the answer to the next. Comments that only keep the connection open are no events."""

    def __post_init__(self) -> None:
        for field in fields(self):
            seconds = getattr(self, field.name)
            if seconds is not None and not seconds > 0:
                msg = f"Timeouts: {field.name} is {seconds!r}, so seconds above 0 are required, or None for no limit."
                raise ValueError(msg)


DEFAULT: Final = Timeouts()
