"""The stores' conformance suite finds stores that break the port's promises."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from litro.errors import SessionExists
from litro.sessions.base import (
    ANY,
    Anybody,
    Place,
    SessionKey,
    SessionMeta,
    SessionWriter,
)
from litro.sessions.file import FileStore
from litro.testing import stores
from litro.wire import events_of


class TakesThePlaceIn(FileStore):
    async def list(
        self, agent: str, *, owner: str | Anybody | None = ANY, before: Place | None = None
    ) -> AsyncIterator[SessionMeta]:
        # A character that no id has, so that the place itself lies behind it.
        place = None if before is None else Place(before.updated, before.session + "~")
        async for meta in super().list(agent, owner=owner, before=place):
            yield meta


class ListsTheOldestFirst(FileStore):
    async def list(
        self, agent: str, *, owner: str | Anybody | None = ANY, before: Place | None = None
    ) -> AsyncIterator[SessionMeta]:
        found = [meta async for meta in super().list(agent, owner=owner, before=before)]
        for meta in reversed(found):
            yield meta


class ForksEverything(FileStore):
    async def fork(
        self, key: SessionKey, into: SessionKey, *, owner: str | None, at: int
    ) -> SessionMeta:
        return await super().fork(key, into, owner=owner, at=at * 99)


class ForksForNobody(FileStore):
    async def fork(
        self, key: SessionKey, into: SessionKey, *, owner: str | None, at: int
    ) -> SessionMeta:
        del owner
        return await super().fork(key, into, owner=None, at=at)


class ForksOver(FileStore):
    async def fork(
        self, key: SessionKey, into: SessionKey, *, owner: str | None, at: int
    ) -> SessionMeta:
        try:
            return await super().fork(key, into, owner=owner, at=at)
        except SessionExists:
            await self.delete(into)
            return await super().fork(key, into, owner=owner, at=at)


class HasNoMail(FileStore):
    async def has_mail(self, key: SessionKey) -> bool:
        await super().has_mail(key)
        return False


class HasMailForGood(FileStore):
    async def has_mail(self, key: SessionKey) -> bool:
        return await super().has_mail(key) or await self.meta(key) is not None


class ForgetsWhatIsUnfinished(FileStore):
    async def unfinished(self) -> AsyncIterator[SessionKey]:
        for key in ():
            yield key


class TellsWhatIsHeld(FileStore):
    """As unfinished: what it has opened, held or not."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        self.opened: list[SessionKey] = []

    async def open(self, key: SessionKey, *, owner: str | None) -> SessionWriter:
        writer = await super().open(key, owner=owner)
        self.opened.append(key)
        return writer

    async def unfinished(self) -> AsyncIterator[SessionKey]:
        for key in self.opened:
            yield key


class KeepsNoTitles(FileStore):
    async def meta(self, key: SessionKey) -> SessionMeta | None:
        found = await super().meta(key)
        return None if found is None else replace(found, title=None)


class KeepsLongTitles(FileStore):
    async def meta(self, key: SessionKey) -> SessionMeta | None:
        found = await super().meta(key)
        return None if found is None else replace(found, title=(found.title or "") * 2 or None)


class CountsWhatIsQueued(FileStore):
    """To the turn that runs, though it belongs to none."""

    async def meta(self, key: SessionKey) -> SessionMeta | None:
        found = await super().meta(key)
        if found is None or found.running is None or not found.tail:
            return found
        last = [e.turn async for block in self.read(key, found.tail) for e in events_of(block)]
        return replace(found, running=last[-1])


class TakesNoKeys(FileStore):
    async def has_mail(self, key: SessionKey) -> bool:
        return bool(key) and False


_DEFECTS = [
    (TakesThePlaceIn, "pages_cover_every_session_once"),
    (TakesThePlaceIn, "a_place_outlives_its_session"),
    (ListsTheOldestFirst, "sessions_are_listed_newest_first"),
    (ListsTheOldestFirst, "pages_cover_every_session_once"),
    (ForksEverything, "a_fork_holds_what_its_source_held_up_to_there"),
    (ForksEverything, "a_fork_is_a_session_of_its_own"),
    (ForksEverything, "a_session_is_forked_while_its_turn_runs"),
    (ForksEverything, "a_fork_keeps_the_title_of_what_it_holds"),
    (ForksForNobody, "a_fork_holds_what_its_source_held_up_to_there"),
    (ForksOver, "a_fork_never_touches_a_session_that_exists"),
    (HasNoMail, "mail_that_waits_is_unfinished"),
    (HasNoMail, "a_fork_has_a_mailbox_of_its_own"),
    (HasMailForGood, "taken_mail_is_waited_for_no_more"),
    (HasMailForGood, "a_fork_has_a_mailbox_of_its_own"),
    (ForgetsWhatIsUnfinished, "what_is_left_unfinished_is_told_until_it_ends_well"),
    (ForgetsWhatIsUnfinished, "mail_that_waits_is_unfinished"),
    (ForgetsWhatIsUnfinished, "sessions_of_every_agent_are_told"),
    (TellsWhatIsHeld, "a_held_session_is_not_told_as_unfinished"),
    (TellsWhatIsHeld, "what_ended_well_is_not_unfinished"),
    (KeepsNoTitles, "the_first_message_of_a_person_is_the_title"),
    (KeepsNoTitles, "the_last_title_event_is_the_title"),
    (KeepsLongTitles, "a_long_title_is_cut"),
    (CountsWhatIsQueued, "between_turns_running_is_the_turn_that_comes"),
    (TakesNoKeys, "invalid_ids_are_refused_everywhere"),
]


@pytest.mark.parametrize(("store", "name"), _DEFECTS)
async def test_a_defect_is_found(store: type[FileStore], name: str, tmp_path: Path):
    (check,) = (check for check in stores.CHECKS if check.__name__ == name)
    with pytest.raises(AssertionError, match=r"required|never|must|holds|held"):
        await check(lambda: store(tmp_path))


def test_every_check_of_the_new_port_has_a_sentence():
    assert all(check.__doc__ for check in stores.CHECKS)
