"""Where sessions live: the port, and its adapters, one a package."""

from pathlib import Path

from litro.errors import SettingsError
from litro.sessions.base import SessionStore
from litro.sessions.file import FileStore


def open_store(sessions: str | SessionStore) -> SessionStore:
    """The store that a URL names; a store of the user's own is taken as it is.

    Args:
        sessions: `file:DIR`, `sqlite:FILE` or `postgresql://…`.

    Raises:
        SettingsError: No store has this URL, or what it needs is not installed.
    """
    if not isinstance(sessions, str):
        return sessions
    scheme, _, rest = sessions.partition(":")
    path = Path(rest.removeprefix("//") or "/")
    if scheme == "file" and rest:
        return FileStore(path)
    # Neither costs whoever does not use it an import.
    if scheme == "sqlite" and rest:
        from litro.sessions.sqlite import SqliteStore  # noqa: PLC0415

        return SqliteStore(path)
    if scheme in {"postgresql", "postgres"} and rest:
        from litro.sessions.postgres import PostgresStore  # noqa: PLC0415

        return PostgresStore(sessions)
    # What follows the scheme may hold a password.
    msg = (
        f"sessions begins with {scheme[:80]!r}, so one of file:.litro/sessions, sqlite:.litro/sessions.db "
        "and postgresql://… is required."
    )
    raise SettingsError(msg)
