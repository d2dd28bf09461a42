"""A store of one's own: another one that counts what is opened."""

from collections.abc import AsyncIterator
from pathlib import Path

from litro import Config
from litro.sessions.base import (
    ANY,
    Anybody,
    Place,
    SessionKey,
    SessionMeta,
    SessionStore,
    SessionWriter,
)
from litro.sessions.file import FileStore


class Counting:
    """Every method of the port."""

    def __init__(self, store: SessionStore) -> None:
        self.opened = 0
        self._store = store

    async def open(self, key: SessionKey, *, owner: str | None) -> SessionWriter:
        self.opened += 1
        return await self._store.open(key, owner=owner)

    async def post(self, key: SessionKey, item: bytes, *, id: str) -> bool:
        return await self._store.post(key, item, id=id)

    def read(self, key: SessionKey, start: int) -> AsyncIterator[bytes]:
        return self._store.read(key, start)

    def follow(self, key: SessionKey, start: int) -> AsyncIterator[bytes]:
        return self._store.follow(key, start)

    async def meta(self, key: SessionKey) -> SessionMeta | None:
        return await self._store.meta(key)

    def list(
        self, agent: str, *, owner: str | Anybody | None = ANY, before: Place | None = None
    ) -> AsyncIterator[SessionMeta]:
        return self._store.list(agent, owner=owner, before=before)

    async def delete(self, key: SessionKey) -> bool:
        return await self._store.delete(key)

    async def fork(
        self, key: SessionKey, into: SessionKey, *, owner: str | None, at: int
    ) -> SessionMeta:
        return await self._store.fork(key, into, owner=owner, at=at)

    async def has_mail(self, key: SessionKey) -> bool:
        return await self._store.has_mail(key)

    def unfinished(self) -> AsyncIterator[SessionKey]:
        return self._store.unfinished()

    async def close(self) -> None:
        await self._store.close()


def config_for(folder: Path) -> Config:
    return Config(sessions=Counting(FileStore(folder)))
