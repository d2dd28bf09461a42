"""How a round is steered: whether the model must call a tool, and where it stops. Pure.

It is not the wire's words for it: each format has its own.
"""

from collections.abc import Sequence
from typing import Final

from litro.errors import ProviderError
from litro.providers.base import ModelRequest, ResultsMessage

WORDS: Final = ("auto", "required", "none")


def choice_of_round(choice: str | None, request: ModelRequest) -> str | None:
    """The choice that holds for this round, or None where there is nothing to say.

    It is one of `WORDS`, or a tool's name.

    A call that is demanded is demanded once a turn: a model that had to call in every round could never answer.

    Raises:
        ProviderError: `refused`, where the choice names a tool that the request does not have.
    """
    if choice is None or not request.tools:
        return None
    names = [spec.name for spec in request.tools]
    if choice not in (*WORDS, *names):
        msg = (
            f"tool_choice is {choice!r}, so a tool of that name is required: the agent has {', '.join(names)}.\n"
            'Name one of them, or use "auto", "required" or "none".'
        )
        raise ProviderError("refused", msg)
    if choice != "none" and isinstance(request.messages[-1], ResultsMessage):
        return "auto"
    return choice


def stop_sequences(
    stop: str | Sequence[str] | None, *, where: str, blank: bool = True
) -> list[str] | None:
    """The texts at which the model is to stop, or None where there are none.

    Args:
        stop: One, or several.
        where: Whose option it is, for the message.
        blank: Whether the API takes white space alone.

    Raises:
        ValueError: One of them is empty, or blank where it must not be.
    """
    texts = [stop] if isinstance(stop, str) else list(stop or ())
    if not all(text if blank else text.strip() for text in texts):
        required = "not empty" if blank else "not empty and more than white space"
        msg = f"{where}: stop is {stop!r}, so texts that are {required} are required."
        raise ValueError(msg)
    return texts or None
