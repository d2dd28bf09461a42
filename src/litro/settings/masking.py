"""A store's URL as it may be shown: without who logs in, and without the password. It is not parsed: it may be wrong."""

import re
from typing import Final

_WHO: Final = re.compile(r"(?<=://).*(?=@)", re.DOTALL)
"""Up to the last @, which a password may hold too."""

_PASSWORD: Final = re.compile(r"([?&][a-z]*pass[a-z]*=)[^&#]*", re.IGNORECASE)
"""Drivers take one from the query as well."""


def without_password(url: str) -> str:
    """The URL, or whatever was given in its place, without what nobody else is to read."""
    return _PASSWORD.sub(r"\g<1>…", _WHO.sub("…", url))
