"""Damage before a log's end is an error that names the byte; the file stays as it is."""

from io import BytesIO
from pathlib import Path

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litro.errors import NewerFormat, SessionDamaged
from litro.sessions.base import SessionKey
from litro.sessions.file import FileStore
from litro.sessions.file.jsonl import Extent, examine
from sessions.logs import KEY, log_of, log_path, payloads_of, write


async def _refusals(directory: Path, log: bytes) -> list[Exception]:
    """What every way of asking for the log raises, with the proof that none of them touched it."""
    log_path(directory).write_bytes(log)
    store = FileStore(directory)
    raised: list[Exception] = []
    for _ in range(2):
        for ask in (
            lambda: payloads_of(store),
            lambda: payloads_of(store, 2),
            lambda: write(store),
        ):
            with pytest.raises((SessionDamaged, NewerFormat)) as info:
                await ask()
            raised.append(info.value)
    await store.close()
    assert log_path(directory).read_bytes() == log
    return raised


@pytest.mark.parametrize(
    "damage",
    [
        b'{"seq":2,"kind":"text-del\n',
        b"rubbish\n",
        b'"a string"\n',
        b"\n",
        b"\0\0\0\0\n",
        b'{"seq":2,"payload":"\xff\xfe"}\n',
        b'{"seq":2,"ts":1,"turn":1,"kind":"ui","payload":"' + bytes(4096),
    ],
    ids=["half", "rubbish", "string", "empty", "NULs", "bad UTF-8", "lost page"],
)
async def test_a_broken_line_before_the_end_is_named_by_its_byte(damage: bytes, tmp_path: Path):
    lines = (await log_of(tmp_path, "a", "b", "c")).splitlines(keepends=True)
    begin = b"".join(lines[:3])
    for error in await _refusals(tmp_path, begin + damage + b"".join(lines[3:])):
        assert isinstance(error, SessionDamaged)
        assert f"{log_path(tmp_path)}: byte {len(begin)}: " in str(error)
        assert "Nothing was changed" in str(error)


async def test_a_missing_event_is_damage(tmp_path: Path):
    lines = (await log_of(tmp_path, "a", "b", "c")).splitlines(keepends=True)
    begin = b"".join(lines[:3])
    for error in await _refusals(tmp_path, begin + lines[4]):
        assert f"byte {len(begin)}: " in str(error)
        assert 'follows seq 1, so a line that begins with {"seq":2, is required' in str(error)


async def test_a_doubled_event_is_damage(tmp_path: Path):
    log = await log_of(tmp_path, "a", "b", "c")
    last = log.splitlines(keepends=True)[-1]
    for error in await _refusals(tmp_path, log + last):
        assert f"byte {len(log)}: " in str(error)


@pytest.mark.parametrize(
    "line",
    [
        b'{"kind":"ui","seq":4}\n',
        b'{"seq":"4"}\n',
        b'{"seq":4.0,"ts":1}\n',
        b'{"seq":true,"ts":1}\n',
    ],
)
async def test_an_event_that_readers_would_not_find_is_damage(line: bytes, tmp_path: Path):
    log = await log_of(tmp_path, "a", "b", "c")
    for error in await _refusals(tmp_path, log + line):
        assert f"byte {len(log)}: " in str(error)


@pytest.mark.parametrize(
    "header",
    [
        b'{"hello":1}\n',
        b'{"litro":"1"}\n',
        b'{"litro":1,"agent":"demo","session":"s1"}\n',
        b'{"litro":1,"agent":"demo","session":"s1","owner":7}\n',
        b'{"seq":1,"ts":1,"turn":1,"kind":"ui","payload":1}\n',
        b'{"litro":1,"agent":"demo","session":"s2","owner":null}\n',
        b'{"litro":1,"agent":"other","session":"s1","owner":null}\n',
        b"plain text\n",
        b"plain text without a newline",
        b'{"litro":2,"agent":"demo","sess',
    ],
)
async def test_a_file_that_is_not_this_sessions_log_is_refused(header: bytes, tmp_path: Path):
    await log_of(tmp_path, "a")
    for error in await _refusals(tmp_path, header):
        assert isinstance(error, SessionDamaged)
        assert f"{log_path(tmp_path)}: byte 0: " in str(error)
    store = FileStore(tmp_path)
    with pytest.raises(SessionDamaged):
        await store.meta(KEY)
    await store.close()


async def test_a_log_of_a_newer_format_is_refused(tmp_path: Path):
    log = await log_of(tmp_path, "a")
    for error in await _refusals(tmp_path, log.replace(b'{"litro":1,', b'{"litro":2,', 1)):
        assert isinstance(error, NewerFormat)
        assert "Upgrade Litro" in str(error)


async def test_a_log_that_is_repaired_by_hand_is_read_again(tmp_path: Path):
    log = await log_of(tmp_path, "a", "b", "c")
    store = FileStore(tmp_path)
    log_path(tmp_path).write_bytes(log.replace(b'"seq":2', b'"seq":7'))
    with pytest.raises(SessionDamaged):
        await payloads_of(store)
    log_path(tmp_path).write_bytes(log)
    assert await payloads_of(store) == ["a", "b", "c"]
    await store.close()


async def test_one_damaged_log_does_not_disturb_another_session(tmp_path: Path):
    await log_of(tmp_path, "a")
    log_path(tmp_path).write_bytes(b"rubbish\n")
    store, other = FileStore(tmp_path), SessionKey("demo", "s2")
    writer = await store.open(other, owner=None)
    await writer.close()
    assert await store.meta(other) is not None
    await store.close()


async def test_a_damaged_mailbox_is_an_error_too(tmp_path: Path):
    await log_of(tmp_path, "a")
    mailbox = log_path(tmp_path).with_suffix(".inbox")
    mailbox.write_bytes(b'{"id":"m1","item":1}\nrubbish\n')
    store = FileStore(tmp_path)
    with pytest.raises(SessionDamaged, match="byte 21: b'rubbish"):
        await store.post(KEY, b"2", id="m2")
    assert mailbox.read_bytes() == b'{"id":"m1","item":1}\nrubbish\n'
    await store.close()


async def test_half_a_mail_item_is_cut_by_the_next(tmp_path: Path):
    await log_of(tmp_path, "a")
    mailbox = log_path(tmp_path).with_suffix(".inbox")
    mailbox.write_bytes(b'{"id":"m1","item":1}\n{"id":"m2","it' + bytes(50))
    store = FileStore(tmp_path)
    assert await store.post(KEY, b"2", id="m2")
    assert mailbox.read_bytes() == b'{"id":"m1","item":1}\n{"id":"m2","item":2}\n'
    await store.close()


HEADER = b'{"litro":1,"agent":"demo","session":"s1","owner":null,"created":1}\n'


def _line(seq: int) -> bytes:
    return orjson.dumps({"seq": seq, "ts": 1, "turn": 1, "kind": "ui", "payload": "x"}) + b"\n"


@settings(max_examples=300, deadline=None)
@given(
    count=st.integers(1, 8), place=st.integers(0, 2000), change=st.binary(min_size=1, max_size=6)
)
def test_whatever_a_log_holds_is_a_prefix_of_what_was_written_or_an_error(
    count: int, place: int, change: bytes
):
    good = HEADER + b"".join(_line(seq) for seq in range(1, count + 1))
    place %= len(good)
    hostile = good[:place] + change + good[place + len(change) :]
    try:
        extent = examine(BytesIO(hostile), KEY, "log")
    except (SessionDamaged, NewerFormat):
        return
    if extent is not None:
        _is_contiguous(hostile, extent)


def _is_contiguous(log: bytes, extent: Extent) -> None:
    lines = list(BytesIO(log[: extent.length]))
    assert lines[-1].endswith(b"\n")
    seqs = [fields["seq"] for line in lines if "seq" in (fields := orjson.loads(line))]
    assert seqs == list(range(1, extent.tail + 1))


async def test_of_a_large_log_only_what_is_read_is_examined(tmp_path: Path):
    good = await log_of(tmp_path, *("x" * 1000 for _ in range(1000)))
    lines = good.splitlines(keepends=True)
    for place, starts in ((100, (1, 50)), (-3, (1, 990))):
        broken = [*lines]
        broken[place] = b"rubbish" + broken[place][7:]
        log_path(tmp_path).write_bytes(b"".join(broken))
        for start in starts:
            store = FileStore(tmp_path)
            with pytest.raises(SessionDamaged):
                await payloads_of(store, start)
            await store.close()
    broken = [*lines]
    broken[100] = b"rubbish" + broken[100][7:]
    for tail in (b"", b'{"seq":1001,"ts":1', bytes(700)):
        log_path(tmp_path).write_bytes(b"".join(broken) + tail)
        store = FileStore(tmp_path)
        if not tail:
            assert len(await payloads_of(store, 990)) == 11
        with pytest.raises(SessionDamaged):
            await write(store, "more")
        await store.close()
    log_path(tmp_path).write_bytes(good + b'{"seq":1001,"ts":1')
    store = FileStore(tmp_path)
    assert len(await payloads_of(store, 990)) == 11
    await store.close()
