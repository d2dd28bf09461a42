"""Pages of a sorted list. A cursor names where the page before ended, so any instance of the server can go on from it.

It keeps nothing between requests.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from bisect import bisect_right
from collections.abc import Sequence

from litro.errors import LitroError


class InvalidCursor(LitroError):
    """The cursor is none of ours: invalid params (-32602) on the wire."""


def page_of(
    names: Sequence[str], cursor: str | None, size: int
) -> tuple[Sequence[str], str | None]:
    """The page's names, and the cursor of the next one if there is one.

    Args:
        names: All of them, sorted.
        cursor: What the page before answered, or None for the first.
        size: Names in a page.

    Raises:
        InvalidCursor: The cursor is none of ours.
    """
    start = 0
    if cursor is not None:
        last = _decoded(cursor)
        if last is None or _encoded(last) != cursor:
            msg = f"Invalid cursor {cursor!r:.80}. Pass the nextCursor of the page before, or none to begin."
            raise InvalidCursor(msg)
        start = bisect_right(names, last)
    page = names[start : start + size]
    if not page or start + size >= len(names):
        return page, None
    return page, _encoded(page[-1])


def _encoded(name: str) -> str:
    return urlsafe_b64encode(name.encode()).decode()


def _decoded(cursor: str) -> str | None:
    try:
        return urlsafe_b64decode(cursor.encode("ascii")).decode()
    except ValueError:
        return None
