"""The folder of logs, by blocking calls: taking leases, looking at logs, listing, deleting.

Everything here may wait for the disk and runs in threads. It holds no open log: what it answers about a log that
somebody writes comes from the kernel's lock, in this process as in others.
"""

import contextlib
import logging
import os
import stat
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple, TypeVar

from litro.directories import make_private, sync_directory
from litro.errors import SessionBusy, SessionError
from litro.events import Event
from litro.sessions.base import SessionKey, SessionMeta, check_key, is_store_id
from litro.sessions.facts import BETWEEN_TURNS
from litro.sessions.file import filenames, lease, mailbox, titles
from litro.sessions.file.fork import copy_titles, write_fork
from litro.sessions.file.jsonl import (
    Extent,
    examine,
    examine_from,
    last_event,
    line_at,
    read_header,
    whole_lines_end,
)
from litro.sessions.file.markers import Kind, Markers
from litro.sessions.refusals import not_owner, session_exists, unknown_session

T = TypeVar("T")

logger: Final = logging.getLogger(__name__)

_KNOWN: Final = 4096
_LARGE: Final = 1 << 18
"""Bytes beyond which examining a whole log is felt by whoever reads only its end."""
_READ: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW
_WRITE: Final = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


class Taken(NamedTuple):
    """A log, opened with its lease."""

    fd: int
    extent: Extent | None
    """None: the log is new, and empty."""
    title: str | None
    is_marked_anew: bool
    """Whether the session was not marked before: nothing was left in it."""


class LogFolder:
    """Logs as files below a directory, which is made when it is first needed."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.poison: OSError | None = None
        """A sync that failed here: what the kernel then has of the data cannot be known."""
        self.markers: Markers = Markers(directory)
        self._known: OrderedDict[Path, tuple[_Content, Extent]] = OrderedDict()
        self._known_lock = threading.Lock()

    def path(self, key: SessionKey) -> Path:
        """Where the session's log is.

        Raises:
            InvalidSessionId: No log can have this key.
        """
        check_key(key)
        folder = self.directory / filenames.encode(key.agent)
        return folder / f"{filenames.encode(key.session)}.jsonl"

    def take(self, key: SessionKey, owner: str | None) -> Taken:
        """Open the log with its lease, a torn tail cut, and mark it.

        Raises:
            SessionBusy, NotOwner, SessionDamaged, NewerFormat: See `SessionStore.open`.
            OSError: The system refused.
        """
        path = self.path(key)
        while True:
            fd = self._open_or_make(path)
            try:
                self._lease(key, fd)
                # Between opening and locking, the file may have been deleted.
                if lease.is_linked(fd):
                    extent = self.examined(key, fd)
                    if extent is None:
                        self._finish(key)
                    _check_owner(key, extent, owner)
                    length = 0 if extent is None else extent.length
                    _cut(fd, path, length)
                    _mend_titles(path, extent)
                    lease.publish(fd, length)
                    title = None if extent is None else titles.title_of(fd, length, path)
                    return Taken(fd, extent, title, self._mark(key, "lease"))
            except BaseException:
                os.close(fd)
                raise
            os.close(fd)

    def give_back(self, key: SessionKey, taken: Taken) -> None:
        """Undo `take`, where nobody will use what it took."""
        try:
            if taken.is_marked_anew:
                self.markers.remove(key, "lease")
        finally:
            os.close(taken.fd)

    def fork(
        self, key: SessionKey, into: SessionKey, owner: str | None, at: int, created: int
    ) -> SessionMeta:
        """Make `into` from what `key`'s log holds up to `at`.

        Raises:
            SessionExists, UnknownSession, SessionDamaged, NewerFormat: See `SessionStore.fork`.
            OSError: The system refused.
        """
        source, path = self.path(key), self.path(into)
        try:
            fd = os.open(source, _READ)
        except FileNotFoundError:
            raise unknown_session(key) from None
        try:
            extent = self.durable(key, fd)
            if extent is None:
                raise unknown_session(key)
            place = self.place(into)
            try:
                # Before the log is there: nobody shall see it by another name.
                copy_titles(source, at, path)
                write_fork(fd, extent.length, at, path, into, owner=owner, created=created)
                self._certain(sync_directory, path.parent)
            finally:
                if lease.is_linked(place):
                    path.unlink()
                os.close(place)
        finally:
            os.close(fd)
        made = self.glance(into)
        if made is None:
            raise unknown_session(into)
        return made

    def examined(self, key: SessionKey, fd: int) -> Extent | None:
        """What the log holds: made durable and read whole, once per process and content.

        Raises:
            SessionDamaged, NewerFormat: It is not a log that this version can read.
        """
        path, status = self.path(key), os.fstat(fd)
        with self._known_lock:
            content, extent = self._known.get(path, (None, None))
        if content == _content(status):
            return extent
        if not status.st_size:
            return None
        self._sync(fd, path)
        with os.fdopen(os.dup(fd), "rb") as file:
            file.seek(0)
            extent = examine(_lines(file, status.st_size), key, str(path))
        if extent is not None:
            self.remember(path, status, extent)
        return extent

    def readable(self, key: SessionKey, fd: int, start: int) -> int:
        """How far the log may be read from `start` on. Of a large one, what lies before is not examined for that.

        Raises:
            SessionDamaged, NewerFormat: What would be read is not a log that this version can read.
        """
        path, status = self.path(key), os.fstat(fd)
        with self._known_lock:
            content, known = self._known.get(path, (None, None))
        if start > 1 and status.st_size > _LARGE and content != _content(status):
            self._sync(fd, path)
            if read_header(line_at(fd, 0, status.st_size), key, str(path)) is not None:
                end = examine_from(fd, status.st_size, start, limit=_LARGE)
                if end is not None:
                    return end
        extent = known if content == _content(status) else self.examined(key, fd)
        return 0 if extent is None else extent.length

    def remember(self, path: Path, status: os.stat_result, extent: Extent) -> None:
        """Spare the next reader the examination: this content is known, and durable."""
        with self._known_lock:
            self._known[path] = (_content(status), extent)
            self._known.move_to_end(path)
            while len(self._known) > _KNOWN:
                self._known.popitem(last=False)

    def glance(self, key: SessionKey) -> SessionMeta | None:
        """The header and the last line, without reading what is between."""
        path = self.path(key)
        try:
            fd = os.open(path, _READ)
        except FileNotFoundError:
            return None
        try:
            live = lease.durable_length(fd)
            status = os.fstat(fd)
            end = whole_lines_end(fd, status.st_size) if live is None else live
            with os.fdopen(os.dup(fd), "rb") as file:
                file.seek(0)
                # Where somebody writes, the header may not be durable yet; where nobody does, it may be torn.
                header = read_header(b"" if live == 0 else file.readline(), key, str(path))
            if header is None:
                return None
            last = last_event(fd, end, str(path))
            course = last
            if last is not None and live is not None and last.kind in BETWEEN_TURNS:
                course = last_event(fd, end, str(path), beside=BETWEEN_TURNS)
            title = titles.title_of(fd, end, path)
        finally:
            os.close(fd)
        return SessionMeta(
            key=key,
            owner=header["owner"],
            created=header.get("created", 0),
            updated=status.st_mtime_ns // 1_000_000,
            tail=0 if last is None else last.seq,
            running=None if live is None else _running(course),
            title=title,
        )

    def sessions(self, agent: str) -> list[tuple[int, SessionKey]]:
        """When each of the agent's logs last grew (ms), the newest first."""
        folder = self.path(SessionKey(agent, "-")).parent
        try:
            with os.scandir(folder) as entries:
                found = [(_updated(entry), _session(entry.name)) for entry in entries]
        except FileNotFoundError:
            return []
        return sorted(
            (
                (updated, SessionKey(agent, session))
                for updated, session in found
                if updated is not None and session is not None
            ),
            reverse=True,
        )

    def delete(self, key: SessionKey) -> bool:
        """Remove the log and its mailbox. False where there is none.

        Raises:
            SessionBusy: Somebody writes it.
        """
        path = self.path(key)
        while True:
            try:
                fd = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
            except FileNotFoundError:
                self._finish(key)
                return False
            try:
                self._lease(key, fd)
                # Between opening and locking, the file may have been deleted and another made, by a turn that runs.
                if lease.is_linked(fd):
                    # Whoever looks for what a crash left shall find what one leaves from here on.
                    with contextlib.suppress(OSError):
                        self.markers.make(key, "lease")
                    # In this step the session goes, and its mail; a namesake waits for what follows.
                    mailbox.replace(path.with_suffix(".inbox"), path)
                    sync_directory(path.parent)
                    self._forget(key)
                    self.clear(key)
                    return True
            finally:
                os.close(fd)

    def post(self, key: SessionKey, item: bytes, id: str) -> bool:  # noqa: A002
        """Put an item into the session's mailbox. False where `id` was posted before."""
        path = self.path(key).with_suffix(".inbox")

        post = partial(
            mailbox.post,
            path,
            item,
            id,
            mark=partial(self._mark, key, "mail"),
            forget=partial(self._forget, key),
        )
        try:
            return post()
        except FileNotFoundError:
            make_private(path.parent)
            return post()

    def clear(self, key: SessionKey) -> None:
        """Remove the markers of a name that is no session. Its place is held meanwhile: nobody begins one."""
        path = self.path(key)
        with contextlib.suppress(SessionError, OSError):
            place = self.place(key)
            try:
                self.markers.remove(key, "lease")
                if self.markers.has(key, "mail"):
                    mailbox.unless_begun(
                        path.with_suffix(".inbox"), partial(self.markers.remove, key, "mail")
                    )
                path.unlink()
            finally:
                os.close(place)

    def _finish(self, key: SessionKey) -> None:
        """Remove what is left of a deleted session of this name."""
        mailbox.clear(self.path(key).with_suffix(".inbox"), partial(self._forget, key))

    def _forget(self, key: SessionKey) -> None:
        """Remove what a deleted session left. Its log, in the mailbox's place, goes last: it is held meanwhile."""
        path = self.path(key)
        self.markers.remove(key, "mail")
        titles.forget(path)
        path.with_suffix(".inbox").unlink(missing_ok=True)
        sync_directory(path.parent)

    def _open_or_make(self, path: Path) -> int:
        try:
            return os.open(path, _WRITE, 0o600)
        except FileNotFoundError:
            make_private(path.parent)
            return os.open(path, _WRITE, 0o600)

    def _sync(self, fd: int, path: Path) -> None:
        """Make durable what a process that has died may have left: bytes, and the file's name."""
        self._certain(os.fdatasync, fd)
        self._certain(sync_directory, path.parent)

    def _mark(self, key: SessionKey, kind: Kind) -> bool:
        is_new = self.markers.make(key, kind)
        self._certain(self.markers.sync, key)
        return is_new

    def _certain(self, sync: Callable[[T], None], what: T) -> None:
        """Sync, or never again say that something is durable."""
        try:
            sync(what)
        except OSError as error:
            self.poison = error
            raise

    def durable(self, key: SessionKey, fd: int) -> Extent | None:
        """What of the log is durable, be it written or not."""
        live = lease.durable_length(fd)
        if live is None:
            return self.examined(key, fd)
        with os.fdopen(os.dup(fd), "rb") as file:
            file.seek(0)
            return examine(_lines(file, live), key, str(self.path(key))) if live else None

    def place(self, key: SessionKey) -> int:
        """Where a session may be put: an empty log, and its lease.

        Raises:
            SessionExists: There is a session.
        """
        path = self.path(key)
        while True:
            fd = self._open_or_make(path)
            is_free = False
            try:
                is_free = lease.take(fd) and self.examined(key, fd) is None
                # Between opening and locking, the file may have been deleted.
                if is_free and lease.is_linked(fd):
                    self._finish(key)
                    return fd
            except BaseException:
                os.close(fd)
                raise
            os.close(fd)
            if not is_free:
                raise session_exists(key)

    def _lease(self, key: SessionKey, fd: int) -> None:
        if not lease.take(fd):
            found = self.glance(key)
            raise SessionBusy(None if found is None else found.running)


_Content = tuple[int, int, int]


def _content(status: os.stat_result) -> _Content:
    """Tells one content of a path from another: inodes are used again at once, and a namesake may be as long."""
    return status.st_ino, status.st_size, status.st_mtime_ns


def _updated(entry: os.DirEntry[str]) -> int | None:
    """When the file last grew (ms); None for what is no file, or no longer there."""
    try:
        status = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None
    return status.st_mtime_ns // 1_000_000 if stat.S_ISREG(status.st_mode) else None


def _session(name: str) -> str | None:
    """The id of the session whose log has this name; None for a name that no log has."""
    session = filenames.decode(name.removesuffix(".jsonl"))
    is_log = is_store_id(session) and f"{filenames.encode(session)}.jsonl" == name
    return session if is_log else None


def _mend_titles(path: Path, extent: Extent | None) -> None:
    """Keep the last title's seq where the log has it alone: it was copied, or repaired by hand."""
    if extent is not None and extent.titled and extent.titled not in titles.recorded(path):
        titles.record(path, [extent.titled])


def _check_owner(key: SessionKey, extent: Extent | None, owner: str | None) -> None:
    if extent is not None and extent.owner != owner:
        raise not_owner(key)


def _cut(fd: int, path: Path, length: int) -> None:
    torn = os.fstat(fd).st_size - length
    if torn:
        logger.warning("%s: cut %d bytes of a torn line, which a crash left", path, torn)
        os.ftruncate(fd, length)
        os.fsync(fd)


def _lines(file: BinaryIO, size: int) -> Iterator[bytes]:
    """The lines of the first `size` bytes: what is appended meanwhile is not looked at."""
    for line in file:
        yield line[:size]
        size -= len(line)
        if size <= 0:
            return


def _running(last: Event | None) -> int:
    if last is None:
        return 1
    # The lease is held: behind a turn's end, the next one is about to start.
    return last.turn + (last.kind == "turn-end")
