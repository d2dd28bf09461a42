"""Where logs lie: private, never through a symlink, recovered when the folder is gone."""

import asyncio
import os
import shutil
import stat
from contextlib import aclosing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litro.errors import InvalidSessionId, StoreFailed
from litro.sessions.base import SessionKey
from litro.sessions.file import FileStore, filenames
from sessions.logs import KEY, event, log_of, log_path, payloads_of, write
from sessions.processes import run


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


async def test_files_and_folders_are_their_users_alone(tmp_path: Path):
    directory = tmp_path / ".litro" / "sessions"
    store = FileStore(directory)
    await write(store, "a")
    await store.post(KEY, b"1", id="m1")
    await store.close()
    assert _mode(log_path(directory)) == 0o600
    assert _mode(log_path(directory).with_suffix(".inbox")) == 0o600
    for folder in (tmp_path / ".litro", directory, directory / "demo"):
        assert _mode(folder) == 0o700


async def test_git_ignores_what_the_store_makes(tmp_path: Path):
    await log_of(tmp_path / ".litro" / "sessions", "a")
    assert (tmp_path / ".litro" / ".gitignore").read_text() == "*\n"


async def test_a_damaged_log_hides_no_other_session_from_lists(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    store = FileStore(tmp_path)
    await write(store, "a")
    (tmp_path / "demo" / "bad.jsonl").write_text("garbage\n")
    for _ in range(2):
        assert [meta.key for meta in [meta async for meta in store.list("demo")]] == [KEY]
    await store.close()
    (told,) = [record for record in caplog.records if "left out" in record.message]
    assert "bad.jsonl" in told.message


async def test_a_store_that_nobody_uses_makes_nothing(tmp_path: Path):
    store = FileStore(tmp_path / "sessions")
    assert await store.meta(KEY) is None
    assert await payloads_of(store) == []
    assert [meta async for meta in store.list("demo")] == []
    assert not await store.delete(KEY)
    await store.close()
    assert list(tmp_path.iterdir()) == []


async def test_a_session_is_a_file_that_is_found_by_eye(tmp_path: Path):
    store = FileStore(tmp_path)
    for session in ("s1", "Chat-7", "-x", "con", "a.b"):
        await (await store.open(SessionKey("Demo", session), owner=None)).close()
    await store.close()
    found = {path.name for path in (tmp_path / "%44emo").glob("*.jsonl")}
    assert found == {"s1.jsonl", "%43hat-7.jsonl", "%2Dx.jsonl", "%63on.jsonl", "a.b.jsonl"}


@given(st.text("abzABZ019_.-", min_size=1, max_size=64))
def test_a_file_name_stands_for_one_id(text: str):
    name = filenames.encode(text)
    assert filenames.decode(name) == text
    assert name == name.replace("/", "") != ""
    assert name[0] not in "-."


@given(st.text("aAbB.-_", min_size=1, max_size=9), st.text("aAbB.-_", min_size=1, max_size=9))
def test_two_ids_are_two_files_where_case_is_ignored(one: str, two: str):
    same = filenames.encode(one).lower() == filenames.encode(two).lower()
    assert same == (one == two)


async def test_an_id_too_long_for_a_file_is_an_invalid_id(tmp_path: Path):
    store = FileStore(tmp_path)
    with pytest.raises(InvalidSessionId, match="at most 240"):
        await store.open(SessionKey("demo", "A" * 200), owner=None)
    await store.close()


async def _is_refused_everywhere(store: FileStore) -> None:
    for ask in (
        lambda: payloads_of(store),
        lambda: write(store),
        lambda: store.meta(KEY),
    ):
        with pytest.raises(StoreFailed):
            await ask()


async def test_a_symlink_in_a_logs_place_is_refused(tmp_path: Path):
    good = await log_of(tmp_path / "elsewhere", "secret")
    path = log_path(tmp_path / "sessions")
    path.parent.mkdir(parents=True)
    path.symlink_to(log_path(tmp_path / "elsewhere"))
    store = FileStore(tmp_path / "sessions")
    await _is_refused_everywhere(store)
    with pytest.raises(StoreFailed):
        await store.delete(KEY)
    assert [meta async for meta in store.list("demo")] == []
    await store.close()
    assert log_path(tmp_path / "elsewhere").read_bytes() == good


async def test_a_symlink_in_a_mailboxs_place_is_refused(tmp_path: Path):
    await log_of(tmp_path, "a")
    target = tmp_path / "target"
    log_path(tmp_path).with_suffix(".inbox").symlink_to(target)
    store = FileStore(tmp_path)
    with pytest.raises(StoreFailed):
        await store.post(KEY, b"1", id="m1")
    writer = await store.open(KEY, owner=None)
    with pytest.raises(StoreFailed):
        await anext(writer.inbox())
    await writer.close()
    await store.close()
    assert not target.exists()


async def test_a_directory_in_a_logs_place_is_an_error_and_no_empty_session(tmp_path: Path):
    log_path(tmp_path).mkdir(parents=True)
    store = FileStore(tmp_path)
    await _is_refused_everywhere(store)
    await (await store.open(SessionKey("demo", "s2"), owner=None)).close()
    await store.close()


@pytest.mark.skipif(os.getuid() != 0, reason="only root may become somebody else")
async def test_a_log_of_another_user_is_an_error_and_no_empty_session(tmp_path: Path):
    await log_of(tmp_path, "a")
    for folder in (tmp_path, *tmp_path.parents[:-2], log_path(tmp_path).parent):
        folder.chmod(0o755)
    assert run("ask", tmp_path) == ["StoreFailed"] * 3


async def test_a_folder_deleted_under_a_live_store_comes_back_with_the_next_open(tmp_path: Path):
    directory = tmp_path / "sessions"
    store = FileStore(directory)
    await write(store, "old", "older")
    shutil.rmtree(directory)
    assert await store.meta(KEY) is None
    assert await payloads_of(store) == []
    await write(store, "new")
    assert await payloads_of(store) == ["new"]
    assert _mode(directory) == 0o700
    shutil.rmtree(directory)
    assert await store.post(KEY, b"1", id="m1")
    await store.close()


async def test_a_log_deleted_under_its_writer_is_another_session_afterwards(tmp_path: Path):
    store = FileStore(tmp_path)
    writer = await store.open(KEY, owner="u1")
    writer.append(event("lost"))
    await writer.flush()
    log_path(tmp_path).unlink()
    writer.append(event("lost too"))
    await writer.flush()
    await writer.close()
    await write(store, "new", owner="u2")
    assert await payloads_of(store) == ["new"]
    await store.close()


async def test_files_that_are_no_logs_are_not_listed(tmp_path: Path):
    await log_of(tmp_path, "a")
    folder = log_path(tmp_path).parent
    for name in (
        "s1 copy.jsonl",
        "S2.jsonl",
        "%ZZ.jsonl",
        "%73.jsonl",
        ".jsonl",
        "notes.txt",
        "é.jsonl",
    ):
        (folder / name).write_bytes(b"rubbish\n")
    (folder / "s3.jsonl").mkdir()
    (folder / "s4.jsonl").symlink_to(folder / "gone")
    store = FileStore(tmp_path)
    assert [meta.key.session async for meta in store.list("demo")] == ["s1"]
    await store.close()


async def test_listing_goes_on_while_other_logs_vanish(tmp_path: Path):
    await log_of(tmp_path, "a")
    passing = [log_path(tmp_path).with_name(f"p{n}.jsonl") for n in range(1000)]
    for path in passing:
        path.touch()
        os.utime(path, (0, 0))
    store = FileStore(tmp_path)

    def vanish() -> None:
        for path in passing:
            path.unlink()

    vanishing = asyncio.create_task(asyncio.to_thread(vanish))
    while not vanishing.done():
        async with aclosing(store.list("demo")) as listed:
            assert (await anext(listed)).key == KEY
    await vanishing
    await store.close()


async def test_a_namesake_of_the_same_length_is_not_taken_for_the_old_session(tmp_path: Path):
    """File systems use an inode again at once; another process may have deleted and made the session."""
    store, other = FileStore(tmp_path), FileStore(tmp_path)
    for n in range(8):
        await write(store, "old", owner=f"u{n}")
        assert await payloads_of(store) == ["old"]
        assert await other.delete(KEY)
        await write(other, "new", owner=f"v{n}")
        writer = await store.open(KEY, owner=f"v{n}")
        await writer.close()
        assert await other.delete(KEY)
    await store.close()
    await other.close()


async def test_a_follower_of_a_deleted_session_finishes_the_old_log(tmp_path: Path):
    store = FileStore(tmp_path)
    big = "x" * (1 << 18)
    await write(store, big, "old", "older")
    following = store.follow(KEY, 1)
    blocks = [await anext(following)]
    await store.delete(KEY)
    writer = await store.open(KEY, owner=None)
    writer.append(*(event("new") for _ in range(20_000)))
    await writer.flush()
    blocks += [block async for block in following]
    await writer.close()
    await store.close()
    assert b"".join(blocks).count(b'"seq":') == 3
    assert b"new" not in b"".join(blocks)


async def test_a_closed_store_may_be_used_again(tmp_path: Path):
    store = FileStore(tmp_path)
    for n in range(3):
        keys = [SessionKey("demo", f"s{n}") for n in range(5)]
        writers = [await store.open(key, owner=None) for key in keys]
        for writer in writers:
            writer.append(event(n))
        for writer in writers:
            await writer.close()
        await store.close()
    assert await payloads_of(store, key=SessionKey("demo", "s4")) == [0, 1, 2]
    await store.close()


def test_a_closed_store_may_be_used_in_another_loop(tmp_path: Path):
    store = FileStore(tmp_path)

    async def turn() -> list[object]:
        await write(store, "a")
        found = await payloads_of(store)
        await store.close()
        return found

    assert asyncio.run(turn()) == ["a"]
    assert asyncio.run(turn()) == ["a", "a"]
