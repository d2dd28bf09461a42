"""What somebody has to look after: mail that waits, and sessions that were not ended well, by blocking calls.

It asks markers and leases, and clears away what marks no session. It looks after nothing itself.
"""

import logging
import os
from typing import Final

from litro.errors import StoreFailed
from litro.sessions.base import SessionKey
from litro.sessions.file import lease, mailbox
from litro.sessions.file.folder import LogFolder
from litro.sessions.file.jsonl import line_at

logger: Final = logging.getLogger(__name__)

_READ: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW


class Unfinished:
    """The sessions of a folder that need somebody."""

    def __init__(self, folder: LogFolder) -> None:
        self._folder = folder

    def unmark(self, key: SessionKey, taken: int) -> None:
        """Say that the session ended well. The lease must be held, and what was taken of the mailbox be durable."""
        path = self._folder.path(key).with_suffix(".inbox")
        try:
            mailbox.unless_waits(path, taken, lambda: self._folder.markers.remove(key, "mail"))
            self._folder.markers.remove(key, "lease")
        except (OSError, StoreFailed) as error:
            # Somebody will look after a session that is well: a waste, and no harm.
            logger.warning("%s: the marker of a session cannot be removed (%s)", path, error)

    def sessions(self) -> list[SessionKey]:
        """Marked sessions that nobody holds. What marks no session is cleared away."""
        return [key for key in self._folder.markers.marked() if self._is_forsaken(key)]

    def has_mail(self, key: SessionKey) -> bool:
        """Whether items wait in the mailbox of a session that this process does not hold."""
        path = self._folder.path(key)
        if not mailbox.has_more(path.with_suffix(".inbox"), 0) or not self._folder.markers.has(
            key, "mail"
        ):
            return False
        try:
            fd = os.open(path, _READ)
        except FileNotFoundError:
            return mailbox.waits(path.with_suffix(".inbox"), 0)
        try:
            extent = self._folder.durable(key, fd)
        finally:
            os.close(fd)
        return mailbox.waits(path.with_suffix(".inbox"), 0 if extent is None else extent.taken)

    def _is_forsaken(self, key: SessionKey) -> bool:
        """Whether nobody holds the marked session. A marker of no session is removed."""
        path = self._folder.path(key)
        try:
            fd = os.open(path, _READ)
        except FileNotFoundError:
            self._folder.clear(key)
            return False
        try:
            if lease.is_held(fd):
                return False
            if line_at(fd, 0, os.fstat(fd).st_size):
                return True
        finally:
            os.close(fd)
        self._folder.clear(key)
        return False
