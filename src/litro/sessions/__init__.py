"""Where sessions live: the port, and its adapters, one a module or package."""

from pathlib import Path

from litro.errors import SettingsError
from litro.sessions.base import SessionStore
from litro.sessions.file import FileStore


def open_store(sessions: str | SessionStore) -> SessionStore:
    """The store that a URL names, `file:DIR`; a store of the user's own is taken as it is.

    Raises:
        SettingsError: No store has this URL.
    """
    if not isinstance(sessions, str):
        return sessions
    scheme, _, rest = sessions.partition(":")
    if scheme == "file" and rest:
        return FileStore(Path(rest.removeprefix("//") or "/"))
    msg = f"sessions is {sessions!r}, so a URL such as file:.litro/sessions is required."
    raise SettingsError(msg)
