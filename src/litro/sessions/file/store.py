"""The file store's port: leases and reads over a folder of logs, one group commit for all of them.

A line is acknowledged once its file is synced. Readers read the file up to what is durable, never a copy in memory.
A failed sync poisons the store: what the kernel then still has of the data cannot be known
(https://wiki.postgresql.org/wiki/Fsync_Errors), so nothing is acknowledged, written or read until the process starts anew.

It is for one host. It does not know what events mean.
"""

import asyncio
import contextlib
import logging
import os
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final, ParamSpec, TypeVar

from litro.errors import NewerFormat, SessionBusy, SessionDamaged, StoreFailed
from litro.events import Private
from litro.sessions.base import (
    ANY,
    Anybody,
    Place,
    SessionKey,
    SessionMeta,
    SessionWriter,
    header,
)
from litro.sessions.commit import Batch, Committer, Failures
from litro.sessions.file import lease, mailbox
from litro.sessions.file.folder import LogFolder, Taken
from litro.sessions.file.jsonl import Extent
from litro.sessions.file.log import FileWriter, OpenLog
from litro.sessions.file.reader import LogReader
from litro.sessions.file.unfinished import Unfinished

P = ParamSpec("P")
T = TypeVar("T")

logger: Final = logging.getLogger(__name__)

_POLL: Final = 0.1
"""Seconds between two looks at what another process writes."""

_SYNC_THREADS: Final = 15
"""Threads beside the committer's that wait for syncs, at most."""

_LOGS_A_THREAD: Final = 6
"""So that a thread is worth waking: few logs are synced one behind the other, and many at once where the disk, or the
machine, is slow and a batch has grown."""


class FileStore:
    """Sessions as files below a directory. See `SessionStore`.

    Args:
        directory: Where logs live. It is made when it is first needed, private to its user.
    """

    def __init__(self, directory: Path) -> None:
        self._folder = LogFolder(directory)
        self._unfinished = Unfinished(self._folder)
        self._open: dict[SessionKey, OpenLog] = {}
        self._unlisted: set[SessionKey] = set()
        self._poison: BaseException | None = None
        self._syncers = ThreadPoolExecutor(_SYNC_THREADS + 1, "litro-sync")
        self._committer: Committer[OpenLog] = Committer(
            self._commit, OpenLog.settle, name="litro-commit"
        )

    def __repr__(self) -> str:
        return f"FileStore({str(self._folder.directory)!r})"

    async def open(self, key: SessionKey, *, owner: str | None) -> SessionWriter:
        """Take the session's lease; a new session is created."""
        self._check()
        self._check_idle(key)
        taking = asyncio.ensure_future(_in_thread(self._folder.take, key, owner))
        try:
            fd, extent, title, _ = await asyncio.shield(taking)
        except asyncio.CancelledError:
            # The thread goes on, and what it takes nobody would give back.
            taking.add_done_callback(partial(self._give_back, key))
            raise
        is_new = extent is None
        if extent is None:
            extent = Extent(owner=owner, created=_now(), length=0, tail=0, taken=0)
        log = OpenLog(fd, self._folder.path(key), extent, is_new=is_new)
        self._open[key] = log
        meta = SessionMeta(
            key=key,
            owner=extent.owner,
            created=extent.created,
            updated=_now(),
            tail=extent.tail,
            title=title,
        )
        writer = FileWriter(log, meta, committer=self._committer, closed=self._closed)
        if is_new:
            writer.append(Private(header(key, owner=owner, created=extent.created)))
        return writer

    async def post(self, key: SessionKey, item: bytes, *, id: str) -> bool:  # noqa: A002
        """Put one line of JSON into the session's mailbox."""
        self._check()
        posted = await _in_thread(self._folder.post, key, item, id)
        if key in self._open:
            self._open[key].mail.set()
        return posted

    async def read(self, key: SessionKey, start: int) -> AsyncIterator[bytes]:
        """The durable log from seq `start` on."""
        async with self._reader(key, start) as reader:
            if reader is not None:
                end, _ = await self._readable(key, reader)
                async for block in reader.blocks(end):
                    yield block

    async def follow(self, key: SessionKey, start: int) -> AsyncIterator[bytes]:
        """The durable log from seq `start` on, and its live tail."""
        async with self._reader(key, start) as reader:
            while reader is not None:
                end, is_live = await self._readable(key, reader)
                if end > reader.offset:
                    async for block in reader.blocks(end):
                        yield block
                elif is_live:
                    await self._growth(key, reader)
                else:
                    return

    async def meta(self, key: SessionKey) -> SessionMeta | None:
        """What is known of the session."""
        return await _in_thread(self._folder.glance, key)

    async def list(
        self, agent: str, *, owner: str | Anybody | None = ANY, before: Place | None = None
    ) -> AsyncIterator[SessionMeta]:
        """The agent's sessions, newest first."""
        for updated, key in await _in_thread(self._folder.sessions, agent):
            if before is None or Place(updated, key.session) < before:
                found = await self._listable(key)
                if found is not None and (isinstance(owner, Anybody) or found.owner == owner):
                    # As it was sorted: what grew meanwhile shall not send the next page back.
                    yield replace(found, updated=updated)

    async def _listable(self, key: SessionKey) -> SessionMeta | None:
        """What is known of the session; nothing where its log cannot be read, which hides no other."""
        try:
            return await self.meta(key)
        except (SessionDamaged, NewerFormat) as error:
            if key not in self._unlisted:
                self._unlisted.add(key)
                logger.warning("A session is left out of lists: %s", error)
            return None

    async def delete(self, key: SessionKey) -> bool:
        """Remove the session for good."""
        self._check_idle(key)
        return await _in_thread(self._folder.delete, key)

    async def fork(
        self, key: SessionKey, into: SessionKey, *, owner: str | None, at: int
    ) -> SessionMeta:
        """Make a session from what another one holds."""
        self._check()
        return await _in_thread(self._folder.fork, key, into, owner, at, _now())

    async def has_mail(self, key: SessionKey) -> bool:
        """Whether items wait in the mailbox."""
        self._check()
        log = self._open.get(key)
        if log is not None:
            return await _in_thread(mailbox.waits, log.path.with_suffix(".inbox"), log.taken)
        return await _in_thread(self._unfinished.has_mail, key)

    async def unfinished(self) -> AsyncIterator[SessionKey]:
        """Sessions that somebody has to look after and nobody holds now."""
        self._check()
        for key in await _in_thread(self._unfinished.sessions):
            if key not in self._open:
                yield key

    async def close(self) -> None:
        """Commit what is pending and end the threads."""
        for log in list(self._open.values()):
            await log.settled_all()
        await asyncio.to_thread(self._committer.stop)
        self._syncers.shutdown(wait=False)
        # An app that is started again may use its store again.
        self._syncers = ThreadPoolExecutor(_SYNC_THREADS + 1, "litro-sync")

    def _check(self) -> None:
        poison = self._poison or self._folder.poison
        if poison is not None:
            msg = f"{self._folder.directory}: {poison}, so nothing more is acknowledged."
            raise StoreFailed(msg) from poison

    def _check_idle(self, key: SessionKey) -> None:
        if key in self._open:
            raise SessionBusy(self._open[key].turn, self._open[key].since)

    def _written_here(self, key: SessionKey, reader: LogReader) -> OpenLog | None:
        """The open log that the reader reads; a reader may still hold a deleted namesake."""
        log = self._open.get(key)
        return log if log is not None and log.inode == reader.inode else None

    def _give_back(self, key: SessionKey, taken: "asyncio.Future[Taken]") -> None:
        if not taken.cancelled() and taken.exception() is None:
            self._folder.give_back(key, taken.result())

    async def _closed(self, writer: FileWriter, unfinished: bool) -> None:  # noqa: FBT001
        try:
            if not unfinished and self._poison is None:
                await _in_thread(self._unfinished.unmark, writer.meta.key, writer.log.taken)
        finally:
            self._release(writer)

    def _release(self, writer: FileWriter) -> None:
        log, meta = writer.log, writer.meta
        del self._open[meta.key]
        if log.failure is None:
            extent = Extent(
                owner=meta.owner,
                created=meta.created,
                length=log.durable,
                tail=log.tail,
                taken=log.taken,
                titled=log.titled,
            )
            self._folder.remember(log.path, os.fstat(log.fd), extent)
        lease.give_back(log.fd)
        os.close(log.fd)
        log.wake()

    # On the committer's thread.

    def _commit(self, batch: Batch[OpenLog]) -> Failures[OpenLog]:
        failures: Failures[OpenLog] = {}
        for log, pieces in batch.items():
            try:
                log.write(b"".join(pieces))
            except OSError as error:
                failures[log] = error
        written = [log for log in batch if log not in failures]
        error = self._poison or self._sync(written)
        for log in written:
            if error is None:
                try:
                    log.publish()
                except OSError as refusal:
                    failures[log] = refusal
            else:
                failures[log] = error
                log.drop_unsynced()
        return failures

    def _sync(self, logs: Sequence[OpenLog]) -> BaseException | None:
        """Sync the logs, side by side where there are several; what failed, where something did."""
        try:
            if len(logs) > 1:
                # All of them are on their way to the disk before the first is waited for: what it then
                # commits of the file system's journal is theirs as well.
                for log in logs:
                    log.begin_sync()
            share = min(1 + len(logs) // _LOGS_A_THREAD, 1 + _SYNC_THREADS)
            others = [self._syncers.submit(_sync_each, logs[i::share]) for i in range(1, share)]
            try:
                _sync_each(logs[::share])
            finally:
                # Nobody may cut a file that is still being synced.
                wait(others)
            for other in others:
                other.result()
        except OSError as error:
            self._poison = error
            logger.critical(
                "%s: a sync failed (%s), so the store is closed to protect what it holds. "
                "Check the disk, then start the process anew.",
                self._folder.directory,
                error,
            )
            return error
        return None

    # Reading.

    @contextlib.asynccontextmanager
    async def _reader(self, key: SessionKey, start: int) -> AsyncGenerator[LogReader | None]:
        self._check()
        path = self._folder.path(key)
        try:
            fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except FileNotFoundError:
            yield None
            return
        except OSError as error:
            msg = f"{path}: the log cannot be read: {error}"
            raise StoreFailed(msg) from error
        try:
            yield LogReader(fd, path, start)
        finally:
            os.close(fd)

    async def _readable(self, key: SessionKey, reader: LogReader) -> tuple[int, bool]:
        """How far the log may be read, and whether somebody writes it."""
        self._check()
        log = self._written_here(key, reader)
        if log is not None:
            log.check()
            return log.durable, True
        live = lease.durable_length(reader.fd)
        if live is not None:
            return live, True
        return await _in_thread(self._folder.readable, key, reader.fd, reader.start), False

    async def _growth(self, key: SessionKey, reader: LogReader) -> None:
        log = self._written_here(key, reader)
        if log is not None:
            await log.changed()
        else:
            await asyncio.sleep(_POLL)


def _sync_each(logs: Sequence[OpenLog]) -> None:
    for log in logs:
        log.sync()


def _now() -> int:
    return time.time_ns() // 1_000_000


async def _in_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run what may wait for the disk in a thread; what the system refuses becomes `StoreFailed`.

    When cancelled, it is done only once the thread is: the files that it reads are closed afterwards.
    """
    work = asyncio.ensure_future(asyncio.to_thread(function, *args, **kwargs))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        await asyncio.gather(work, return_exceptions=True)
        raise
    except OSError as error:
        msg = f"the session store cannot be used: {error}"
        raise StoreFailed(msg) from error
