"""Cursors: places in a list of sessions, as texts that whoever turns pages hands back unread."""

import base64
import binascii
import contextlib
import re

from litro.errors import SessionError
from litro.sessions.base import Place, is_store_id


class InvalidCursor(SessionError):
    """The text is no cursor that a page gave."""


def cursor_of(place: Place) -> str:
    """The cursor of what is behind `place`."""
    text = f"{place.updated}.{place.session}"
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def place_of(cursor: str) -> Place:
    """The place that `cursor` is of.

    Raises:
        InvalidCursor: No page gave it.
    """
    place = None
    if re.fullmatch(r"[A-Za-z0-9_-]{1,400}", cursor):
        with contextlib.suppress(binascii.Error, UnicodeDecodeError):
            text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode("ascii")
            updated, _, session = text.partition(".")
            if re.fullmatch(r"[0-9]{1,15}", updated) and is_store_id(session):
                place = Place(int(updated), session)
    # One place has one cursor: whoever makes cursors of their own learns it at once.
    if place is None or cursor_of(place) != cursor:
        msg = f"cursor is {cursor[:80]!r}, which no page gave. Give the `next` of the page before, or none for the first page."
        raise InvalidCursor(msg)
    return place
