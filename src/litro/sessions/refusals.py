"""Why a session cannot be had, in the words that every store and surface has for it. It decides nothing."""

from litro.errors import NotOwner, SessionExists, UnknownSession
from litro.sessions.base import SessionKey


def not_owner(key: SessionKey) -> NotOwner:
    """The session is another principal's."""
    return NotOwner(f"session {key.session!r} of agent {key.agent!r} belongs to somebody else.")


def unknown_session(key: SessionKey) -> UnknownSession:
    """There is no session of this key."""
    return UnknownSession(f"agent {key.agent!r} has no session {key.session!r}.")


def session_exists(key: SessionKey) -> SessionExists:
    """There is one, where a new one was to be made."""
    return SessionExists(
        f"agent {key.agent!r} has a session {key.session!r}, so another id is required."
    )
