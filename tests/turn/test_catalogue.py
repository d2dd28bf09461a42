"""The catalogue of sessions on a real store: pages, titles, forks, and what each leaves untouched."""

import base64
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litro.errors import NotOwner, SessionBusy, SessionExists, UnknownSession
from litro.events import Event
from litro.sessions.base import ANY, Place, SessionKey, SessionMeta
from litro.sessions.file import FileStore
from litro.turn.catalogue import Catalogue, NoTurnEnd
from litro.turn.cursor import InvalidCursor
from litro.turn.title import InvalidTitle, check_title
from litro.wire import events_of

S1 = SessionKey("demo", "s1")
S2 = SessionKey("demo", "s2")


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[FileStore]:
    store = FileStore(tmp_path / "sessions")
    yield store
    await store.close()


async def write(
    store: FileStore, key: SessionKey, *kinds: str, owner: str | None = None, **close: bool
) -> None:
    """Append events of these kinds; a digit before a kind is its turn."""
    writer = await store.open(key, owner=owner)
    for kind in kinds:
        name = kind.lstrip("123456789")
        payload = {"id": f"m{kind}", "text": kind, "status": "completed", "role": "user"}
        writer.append(Event(kind=name, payload=payload, turn=int(kind[0])))
    await writer.close(**close)


async def log(store: FileStore, key: SessionKey) -> list[Event]:
    return [event async for block in store.read(key, 1) for event in events_of(block)]


class Moving:
    """A store whose list tells places of another moment than the one in which it was sorted."""

    def __init__(self, *places: tuple[int, str]) -> None:
        self.metas = [
            SessionMeta(
                key=SessionKey("demo", name), owner=None, created=1, updated=updated, tail=1
            )
            for updated, name in places
        ]

    async def list(
        self, agent: str, *, owner: object = ANY, before: Place | None = None
    ) -> AsyncIterator[SessionMeta]:
        for meta in self.metas:
            yield meta


async def test_sessions_that_move_while_they_are_listed_never_send_a_page_back():
    store = Moving((9, "a"), (50, "b"), (7, "c"), (60, "d"), (5, "e"), (4, "f"))
    catalogue = Catalogue(store)  # type: ignore[arg-type]
    first = await catalogue.page("demo", principal=None, limit=3)
    assert [meta.key.session for meta in first.sessions] == ["b", "a", "c"]
    second = await catalogue.page("demo", principal=None, limit=3, cursor=first.next)
    assert [meta.key.session for meta in second.sessions] == ["e", "f"]
    assert second.next is None


async def test_ids_that_no_caller_may_have_are_not_listed(store: FileStore):
    await write(store, SessionKey("demo", "s1.child"), "1turn-start", "1turn-end")
    await write(store, S1, "1turn-start", "1turn-end")
    page = await Catalogue(store).page("demo", principal=None)
    assert [meta.key for meta in page.sessions] == [S1]


@given(text=st.one_of(st.text(), st.text("AaZz09-_=", min_size=1), st.binary().map(str)))
async def test_a_text_is_a_cursor_or_is_refused_as_one(text: str):
    catalogue = Catalogue(Moving())  # type: ignore[arg-type]
    try:
        await catalogue.page("demo", principal=None, cursor=text)
    except InvalidCursor:
        return
    updated, _, session = base64.urlsafe_b64decode(text + "==").decode().partition(".")
    assert int(updated) >= 0
    assert session


async def test_a_page_is_of_its_principal_and_the_operator_sees_all(store: FileStore):
    await write(store, S1, "1turn-start", "1turn-end", owner="ann")
    await write(store, S2, "1turn-start", "1turn-end", owner="bob")
    catalogue = Catalogue(store)
    for principal, keys in (("ann", [S1]), ({"id": "bob"}, [S2]), (None, []), (ANY, [S2, S1])):
        page = await catalogue.page("demo", principal=principal)
        assert [meta.key for meta in page.sessions] == keys


@given(text=st.text(max_size=130))
def test_a_title_is_one_line_of_1_to_120_characters_or_is_refused(text: str):
    try:
        title = check_title(text)
    except InvalidTitle:
        assert not 1 <= len(text.strip()) <= 120 or not text.strip().isprintable()
    else:
        assert title == text.strip()
        assert 1 <= len(title) <= 120
        assert "\n" not in title


async def test_a_title_carries_the_last_turn_s_number_and_ends_nothing(store: FileStore):
    catalogue = Catalogue(store)
    await write(store, S1, "1turn-start", "1turn-end", "2turn-start", *["2usage"] * 300)
    await write(store, S1, "2turn-end", *["2queued", "2withdrawn"] * 100)
    assert await catalogue.rename(S1, " One ", principal=None) == "One"
    last = (await log(store, S1))[-1]
    assert (last.kind, last.turn, last.payload) == ("title", 2, {"text": "One"})
    assert [key async for key in store.unfinished()] == []


async def test_renaming_leaves_what_a_crash_left_to_whoever_puts_it_right(store: FileStore):
    await write(store, S1, "1turn-start", unfinished=True)
    await Catalogue(store).rename(S1, "One", principal=None)
    assert [key async for key in store.unfinished()] == [S1]


async def test_a_session_that_is_held_is_renamed_by_mail(store: FileStore):
    writer = await store.open(S1, owner=None)
    writer.append(Event(kind="turn-start", payload={}, turn=1))
    await writer.flush()
    await Catalogue(store).rename(S1, "One", principal=None)
    async for item in writer.inbox():
        assert item == b'{"title":"One"}'
        break
    await writer.close()


async def test_nothing_is_made_changed_or_deleted_for_somebody_else(store: FileStore):
    await write(store, S1, "1turn-start", "1turn-end", owner="ann")
    catalogue, before = Catalogue(store), await log(store, S1)
    for principal in ("bob", None):
        with pytest.raises(NotOwner):
            await catalogue.rename(S1, "Mine", principal=principal)
        with pytest.raises(NotOwner):
            await catalogue.delete(S1, principal=principal)
        with pytest.raises(NotOwner):
            await catalogue.fork(S1, S2, principal=principal)
    assert await log(store, S1) == before
    assert await store.meta(S2) is None


async def test_what_is_not_there_stays_away(store: FileStore):
    catalogue = Catalogue(store)
    with pytest.raises(UnknownSession):
        await catalogue.rename(S1, "One", principal=ANY)
    with pytest.raises(UnknownSession):
        await catalogue.delete(S1, principal=ANY)
    with pytest.raises(UnknownSession):
        await catalogue.fork(S1, S2, principal=ANY)
    assert await store.meta(S1) is None


async def test_a_fork_ends_with_a_turn_however_long_the_turn_behind_it_is(store: FileStore):
    turn = ["1turn-start", *["1usage"] * 500, "1turn-end"]
    await write(store, S1, *turn, "2turn-start", *["2usage"] * 1500, owner="ann")
    fork = await Catalogue(store).fork(S1, S2, principal="ann", at=1700)
    assert fork.at == len(turn)
    assert fork.meta.owner == "ann"
    assert await log(store, S2) == (await log(store, S1))[: len(turn)]
    with pytest.raises(NoTurnEnd, match="at or before 501"):
        await Catalogue(store).fork(S1, SessionKey("demo", "s3"), principal="ann", at=501)
    with pytest.raises(SessionExists):
        await Catalogue(store).fork(S1, S2, principal="ann")


async def test_what_waited_where_a_session_was_forked_is_withdrawn_in_the_fork(store: FileStore):
    await write(store, S1, "1turn-start", "1queued", "1queued", "3queued", "1turn-end")
    await write(store, S1, "2turn-start", "1message", "2turn-end")
    await Catalogue(store).fork(S1, S2, principal=None, at=5)
    told = [(event.kind, event.payload["id"]) for event in (await log(store, S2))[5:]]
    assert told == [("withdrawn", "m1queued"), ("withdrawn", "m3queued")]
    assert [key async for key in store.unfinished()] == []


async def test_a_session_in_which_a_turn_runs_is_not_deleted(store: FileStore):
    await write(store, S1, "1turn-start", "1turn-end")
    writer = await store.open(S1, owner=None)
    with pytest.raises(SessionBusy):
        await Catalogue(store).delete(S1, principal=None)
    await writer.close()
    await Catalogue(store).delete(S1, principal=None)
    assert await store.meta(S1) is None
