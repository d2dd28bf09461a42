"""What a session may be called. How a title is recorded is not known here."""

import re
from typing import Final

from litro.errors import SessionError
from litro.sessions.base import MAX_TITLE

_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class InvalidTitle(SessionError):
    """The text cannot be a session's title."""


def check_title(text: str) -> str:
    """The title as it is kept: without spaces around it.

    Raises:
        InvalidTitle: It has another length than 1 to `MAX_TITLE`, or control characters.
    """
    title = text.strip()
    if not 1 <= len(title) <= MAX_TITLE or _CONTROL.search(title):
        msg = (
            f"title is {title[:80]!r} ({len(title)} characters), so 1 to {MAX_TITLE} characters on one line are required, "
            "none of them a control character."
        )
        raise InvalidTitle(msg)
    return title
