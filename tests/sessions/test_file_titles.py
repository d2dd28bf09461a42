"""Titles in the file store: the log is the truth, what lies beside it only says where to look."""

import shutil
from pathlib import Path

import pytest

from litro.events import Event
from litro.sessions.file import FileStore
from sessions.logs import KEY, event, log_path, payloads_of


async def _renamed(directory: Path) -> FileStore:
    store = FileStore(directory)
    writer = await store.open(KEY, owner=None)
    for text in ("One", "Two"):
        writer.append(event("x"), Event(kind="title", payload={"text": text}, turn=1))
    await writer.close()
    return store


async def _title(store: FileStore) -> str | None:
    found = await store.meta(KEY)
    assert found is not None
    return found.title


async def test_a_log_that_was_copied_alone_has_its_title_again_once_it_is_opened(tmp_path: Path):
    store = await _renamed(tmp_path / "old")
    await store.close()
    log_path(tmp_path / "new").parent.mkdir(parents=True)
    shutil.copy(log_path(tmp_path / "old"), log_path(tmp_path / "new"))
    store = FileStore(tmp_path / "new")
    await (await store.open(KEY, owner=None)).close()
    assert await _title(store) == "Two"
    await store.close()


@pytest.mark.parametrize(
    ("beside", "title"),
    [
        (b"\n2\n\n4\n", "Two"),
        (b"\n2\n\n4\n\n5\n\n900\n", "Two"),
        (b"\n2\n\n3\n", "One"),
        (b"\n4\n\n2\n\n17", "Two"),
        (b"\n0\n\n-1\n\nx\n\xff\n\n4\n", "Two"),
        (b"", None),
    ],
)
async def test_what_lies_beside_a_log_is_believed_only_where_the_log_agrees(
    tmp_path: Path, beside: bytes, title: str | None
):
    store = await _renamed(tmp_path)
    assert log_path(tmp_path).with_suffix(".titles").read_bytes() == b"\n2\n\n4\n"
    log_path(tmp_path).with_suffix(".titles").write_bytes(beside)
    assert await _title(store) == title
    await store.close()


async def test_a_log_without_a_title_has_nothing_beside_it(tmp_path: Path):
    store = FileStore(tmp_path)
    writer = await store.open(KEY, owner=None)
    writer.append(Event(kind="message", payload={"id": "m", "role": "user", "text": "Hi"}, turn=1))
    await writer.close()
    assert await _title(store) == "Hi"
    assert [path.name for path in log_path(tmp_path).parent.glob("s1*")] == ["s1.jsonl"]
    await store.close()


async def test_what_only_looks_like_a_message_is_no_title(tmp_path: Path):
    store = FileStore(tmp_path)
    writer = await store.open(KEY, owner=None)
    for payload in ({"kind": "message", "role": "user", "text": "no"}, '"kind":"message"', None, 7):
        writer.append(event(payload), Event(kind="message", payload=payload, turn=1))
    await writer.close()
    await payloads_of(store)
    assert await _title(store) == "no"
    await store.close()


async def test_a_title_that_is_no_text_is_none(tmp_path: Path):
    store = FileStore(tmp_path)
    writer = await store.open(KEY, owner=None)
    writer.append(Event(kind="title", payload={"text": 7}, turn=1), event("a"))
    await writer.close()
    assert await _title(store) is None
    await store.close()
