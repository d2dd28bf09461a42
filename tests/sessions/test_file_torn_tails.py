"""What a crash leaves at a log's end is cut before the next line is appended, and nothing else is."""

import asyncio
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litro.errors import SessionBusy
from litro.sessions.file import FileStore
from sessions.logs import KEY, event, log_of, log_path, payloads_of, seqs_of, write

TORN = {
    "a partial line": b'{"seq":4,"kind":"text-del',
    "a line cut inside a character": '{"seq":4,"ts":1,"turn":1,"kind":"ui","payload":"☀'.encode()[
        :-1
    ],
    "complete JSON without its newline": b'{"seq":4,"ts":1,"turn":1,"kind":"ui","payload":1}',
    "an event's first byte": b"{",
    "NULs": b"\0" * 300,
    "NULs with a newline": b"\0" * 300 + b"\n",
    "several lines of NULs": b"\0\0\0\n\0\0\n\0",
    "a partial line and NULs": b'{"seq":4,"kind":"te' + b"\0" * 5000,
    "a private line, torn": b'{"replay":',
    "a long line": b'{"seq":4,"ts":1,"turn":1,"kind":"ui","payload":"' + b"x" * (1 << 20),
    "an empty line": b"\n",
    "rubbish": b"\xff\xfe\x00 rubbish",
}


@pytest.mark.parametrize("torn", TORN.values(), ids=TORN)
async def test_a_torn_tail_is_not_read_and_the_next_event_gets_a_line_of_its_own(
    torn: bytes, tmp_path: Path
):
    good = await log_of(tmp_path, "a", "b", "c")
    log_path(tmp_path).write_bytes(good + torn)
    store = FileStore(tmp_path)
    assert await payloads_of(store) == ["a", "b", "c"]
    meta = await store.meta(KEY)
    assert meta is not None
    assert meta.tail == 3
    await write(store, "d")
    assert await payloads_of(store) == ["a", "b", "c", "d"]
    assert await seqs_of(store) == [1, 2, 3, 4]
    await store.close()
    after = log_path(tmp_path).read_bytes()
    assert after.startswith(good + b'{"seq":4,')
    assert after.endswith(b'"payload":"d"}\n{"replay":"r","of":1}\n')


@pytest.mark.parametrize("torn", TORN.values(), ids=TORN)
async def test_reading_cuts_nothing(torn: bytes, tmp_path: Path):
    good = await log_of(tmp_path, "a", "b", "c")
    log_path(tmp_path).write_bytes(good + torn)
    store = FileStore(tmp_path)
    await payloads_of(store)
    await store.meta(KEY)
    await store.close()
    assert log_path(tmp_path).read_bytes() == good + torn


@pytest.mark.parametrize(
    "torn",
    [b"", b"{", b'{"litro":1,"agent":"de', b"\0" * 4096, b'{"litro":1,"ag' + b"\0" * 50, b"\0\n"],
    ids=["zero length", "one byte", "half", "NULs", "half and NULs", "NULs and newline"],
)
async def test_a_log_whose_header_is_torn_is_no_session_and_begins_anew(
    torn: bytes, tmp_path: Path
):
    log_path(tmp_path).parent.mkdir()
    log_path(tmp_path).write_bytes(torn)
    store = FileStore(tmp_path)
    assert await store.meta(KEY) is None
    assert await payloads_of(store) == []
    assert [meta.key async for meta in store.list(KEY.agent)] == []
    await write(store, "a", owner="u1")
    assert await seqs_of(store) == [1]
    await store.close()
    first = log_path(tmp_path).read_bytes().partition(b"\n")[0]
    assert first.startswith(b'{"litro":1,"agent":"demo","session":"s1","owner":"u1","created":')


async def test_a_torn_tail_under_a_held_lease_is_the_writers_business(tmp_path: Path):
    store, other = FileStore(tmp_path), FileStore(tmp_path)
    writer = await store.open(KEY, owner=None)
    writer.append(event("a"))
    await writer.flush()
    with log_path(tmp_path).open("ab") as file:
        file.write(b'{"seq":2,"ki')
    assert await payloads_of(other) == ["a"]
    with pytest.raises(SessionBusy):
        await other.open(KEY, owner=None)
    await writer.close()
    await store.close()
    await other.close()


async def _recovered(log: bytes) -> tuple[bytes, list[object]]:
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder)
        log_path(directory).parent.mkdir()
        log_path(directory).write_bytes(log)
        store = FileStore(directory)
        before = await payloads_of(store)
        await write(store, "next")
        assert await payloads_of(store) == [*before, "next"]
        assert await seqs_of(store) == list(range(1, len(before) + 2))
        await store.close()
        return log_path(directory).read_bytes(), before


def _whole_lines(log: bytes) -> bytes:
    return log[: log.rfind(b"\n") + 1]


async def test_a_log_cut_at_any_byte_keeps_its_whole_lines(tmp_path: Path):
    log = await log_of(tmp_path, "a", "☀", {"b": "\n"})
    for cut in range(len(log)):
        after, before = await _recovered(log[:cut])
        kept = _whole_lines(log[:cut])
        assert len(before) == kept.count(b'"seq"')
        assert after.startswith(kept)
        assert after.endswith(b'"payload":"next"}\n{"replay":"r","of":1}\n')


@settings(max_examples=60, deadline=None)
@given(
    payloads=st.lists(st.text() | st.integers(0, 9) | st.lists(st.text()), min_size=1, max_size=6),
    cut=st.floats(0, 1),
    behind=st.just(b"") | st.integers(1, 9000).map(bytes) | st.just(bytes(100) + b"\n"),
)
def test_whatever_a_crash_cuts_the_acknowledged_prefix_stays(
    payloads: list[object], cut: float, behind: bytes
):
    async def run() -> None:
        with tempfile.TemporaryDirectory() as folder:
            log = await log_of(Path(folder), *payloads)
        part = log[: round(cut * len(log))]
        if behind.endswith(b"\n"):
            part = _whole_lines(part)
        after, before = await _recovered(part + behind)
        assert before == payloads[: len(before)]
        assert after.startswith(_whole_lines(part))

    asyncio.run(run())
