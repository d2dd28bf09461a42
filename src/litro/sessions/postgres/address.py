"""A store's URL, taken apart: what is ours in its query, and the rest, which is the driver's.

It connects to nothing. The password is in `dsn` alone, and in no repr.
"""

import hashlib
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from litro.errors import SettingsError

_LONGEST: Final = 63
"""Bytes of a name. The server cuts longer ones silently, so that two could become one."""

_YES: Final = frozenset({"1", "true", "yes", "on"})
_NO: Final = frozenset({"0", "false", "no", "off"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where the store is."""

    dsn: str = field(repr=False)
    schema: str
    pooled: bool
    """A pooler stands between, which gives each transaction another server connection."""
    shown: str
    """For people: without user and password."""

    @property
    def quoted(self) -> str:
        """The schema's name as SQL."""
        return '"' + self.schema.replace('"', '""') + '"'

    @property
    def channel(self) -> str:
        """The name that this schema's processes listen to: channels are a database's, not a schema's."""
        return f"litro_{hashlib.sha256(self.schema.encode()).hexdigest()[:16]}"

    def lock(self, *names: str) -> int:
        """The number of an advisory lock, which are a database's as well."""
        text = "\0".join((self.schema, *names)).encode("utf-8", "surrogatepass")
        return int.from_bytes(hashlib.sha256(text).digest()[:8], signed=True)


def parse_address(url: str) -> Address:
    """The address that a URL names: the driver's URL, with `schema` and `pooled` in its query.

    Raises:
        SettingsError: It cannot be one. The message quotes no password.
    """
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError as error:
        msg = f"sessions is a postgresql:// URL that cannot be read ({error}), so postgresql://HOST/DATABASE is required."
        raise SettingsError(msg) from error
    ours = {"schema": "litro", "pooled": "no"}
    theirs: list[tuple[str, str]] = []
    for name, value in parse_qsl(parts.query, keep_blank_values=True):
        if name in ours:
            ours[name] = value
        else:
            theirs.append((name, value))
            host = value if name == "host" else host
    # The driver would take a user's `+` for a space: this quoting has none.
    dsn = urlunsplit(parts._replace(query=urlencode(theirs, quote_via=quote)))
    return Address(
        dsn=dsn,
        schema=_checked_schema(ours["schema"]),
        pooled=_switch(ours["pooled"]),
        shown=f"{host}{parts.path} schema {ours['schema']!r}",
    )


def _checked_schema(name: str) -> str:
    try:
        size = len(name.encode())
    except UnicodeEncodeError:
        size = 0
    if 0 < size <= _LONGEST and "\0" not in name and not name.startswith("pg_"):
        return name
    msg = (
        f"schema in the URL of sessions is {name!r:.90}, so a name of 1 to {_LONGEST} bytes that does not begin "
        "with pg_ is required. Leave it out for 'litro'."
    )
    raise SettingsError(msg)


def _switch(text: str) -> bool:
    if text.lower() in _YES | _NO:
        return text.lower() in _YES
    msg = f"pooled in the URL of sessions is {text!r:.80}, so yes or no is required."
    raise SettingsError(msg)
