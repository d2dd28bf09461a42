"""Passwords in URLs: whether one is there, and a store's URL as it may be shown. It is not parsed: it may be wrong."""

import re
from typing import Final

_WHO: Final = re.compile(r"(?<=://).*(?=@)", re.DOTALL)
"""Up to the last @, which a password may hold too."""

_LOGIN: Final = re.compile(r"://[^/@\s]*:.*@")
"""A password after who logs in."""

_PASSWORD: Final = re.compile(r"([?&][a-z]*pass[a-z]*=)[^&#]*", re.IGNORECASE)
"""Drivers take one from the query as well."""


def without_password(url: str) -> str:
    """The URL, or whatever was given in its place, without what nobody else is to read."""
    return _PASSWORD.sub(r"\g<1>…", _WHO.sub("…", url))


def has_password(text: str) -> bool:
    """Whether a password stands in a URL in the text."""
    return bool(_LOGIN.search(text) or _PASSWORD.search(text))
