"""The Postgres store's tables: made at first use, by anybody, in a schema of any name, and never by accident."""

import asyncio
import subprocess
import sys

import asyncpg
import pytest

from litro.errors import NewerFormat, SessionDamaged, SettingsError, StoreFailed
from litro.events import Event
from litro.sessions.base import SessionKey
from litro.sessions.postgres import PostgresStore
from litro.sessions.postgres.address import parse_address
from litro.wire import events_of
from sessions.databases import Database
from sessions.logs import KEY, event, payloads_of, write

FIRST_USE = """
import asyncio, sys
from litro.events import Event
from litro.sessions.base import SessionKey
from litro.sessions.postgres import PostgresStore

async def main():
    store = PostgresStore(sys.argv[1])
    sys.stdin.readline()
    writer = await store.open(SessionKey("demo", sys.argv[2]), owner=None)
    writer.append(Event(kind="text-delta", payload=sys.argv[2], turn=1))
    await writer.close()
    await store.close()

asyncio.run(main())
"""


def test_two_processes_at_once_may_be_the_first(postgres: Database):
    names = ["s1", "s2", "s3"]
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", FIRST_USE, postgres.url, name],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in names
    ]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        _, said = process.communicate(timeout=50)
        assert process.returncode == 0, said
    rows = asyncio.run(postgres.run("SELECT session FROM {s}.sessions ORDER BY 1"))
    assert [row[0] for row in rows] == names
    assert asyncio.run(postgres.run("SELECT version FROM {s}.version"))[0][0] == 1


async def test_many_handles_at_once_may_be_the_first(postgres: Database):
    handles = [PostgresStore(postgres.url) for _ in range(8)]
    assert await asyncio.gather(*(store.meta(KEY) for store in handles)) == [None] * 8
    for store in handles:
        await store.close()


HOSTILE = ['a"; DROP SCHEMA public; --', "Ünïcode ☀", "a b", "{s}", "$1", "select", "a'b", "%s\\"]


@pytest.mark.parametrize("name", HOSTILE)
async def test_a_schema_may_have_any_name(name: str, postgres: Database):
    url = postgres.url_of(f"{name}{postgres.schema[-6:]}")
    for payload in ("a", "b"):
        store = PostgresStore(url)
        await write(store, payload)
        await store.post(KEY, b"1", id=payload)
        assert len([meta async for meta in store.list("demo")]) == 1
        await store.close()
    assert await PostgresStoreReader(url).payloads() == ["a", "b"]
    assert await postgres.run("SELECT FROM pg_namespace WHERE nspname = 'public'")


class PostgresStoreReader:
    """A handle for one look."""

    def __init__(self, url: str) -> None:
        self.store = PostgresStore(url)

    async def payloads(self) -> list[object]:
        try:
            return await payloads_of(self.store)
        finally:
            await self.store.close()


@pytest.mark.parametrize("name", ["", "x" * 64, "pg_mine", "a%00b", "é" * 32])
def test_a_name_that_no_schema_can_have_is_refused(name: str):
    with pytest.raises(SettingsError, match="schema in the URL of sessions"):
        PostgresStore(f"postgresql:///app?schema={name}")


async def test_schemas_do_not_see_each_other(postgres: Database):
    one, two = PostgresStore(postgres.url), PostgresStore(postgres.url_of(f"{postgres.schema}_2"))
    writer, namesake = await one.open(KEY, owner="u1"), await two.open(KEY, owner="u2")
    await one.post(KEY, b'"one"', id="m")
    assert await two.post(KEY, b'"two"', id="m")
    assert await anext(namesake.inbox()) == b'"two"'
    assert await anext(writer.inbox()) == b'"one"'
    await one.close()
    await two.close()


async def test_tables_of_a_newer_version_are_refused_untouched(postgres: Database):
    store = PostgresStore(postgres.url)
    await write(store, "x")
    await store.close()
    await postgres.run("UPDATE {s}.version SET version = 2")
    store = PostgresStore(postgres.url)
    for asked in (store.meta(KEY), store.open(KEY, owner=None), payloads_of(store)):
        with pytest.raises(NewerFormat, match="version 2"):
            await asked
    await store.close()
    assert (await postgres.run("SELECT version FROM {s}.version"))[0][0] == 2


async def test_a_log_of_a_newer_format_is_refused_untouched(postgres: Database):
    store = PostgresStore(postgres.url)
    await write(store, "x")
    await postgres.run("UPDATE {s}.sessions SET format = 2")
    for asked in (store.open(KEY, owner=None), payloads_of(store), store.meta(KEY)):
        with pytest.raises(NewerFormat, match="format 2"):
            await asked
    await store.close()


async def test_a_role_that_may_only_use_its_schema_is_enough(postgres: Database):
    role = f"role_{postgres.schema[-6:]}"
    await postgres.run(f"CREATE ROLE {role} LOGIN")
    await postgres.run(f"CREATE SCHEMA {{s}} AUTHORIZATION {role}")
    store = PostgresStore(postgres.url.replace("//postgres@", f"//{role}@"))
    await write(store, "x")
    assert await payloads_of(store) == ["x"]
    await store.close()


async def test_a_role_that_may_not_is_told_what_is_required(postgres: Database):
    role = f"stranger_{postgres.schema[-6:]}"
    await postgres.run(f"CREATE ROLE {role} LOGIN")
    await postgres.run("CREATE SCHEMA {s}")
    for user in (role, "nobody_at_all"):
        store = PostgresStore(postgres.url.replace("//postgres@", f"//{user}@"))
        with pytest.raises(StoreFailed, match="must exist and be allowed"):
            await store.meta(KEY)
        await store.close()


async def test_a_role_whose_commits_are_not_durable_is_refused(postgres: Database):
    role = f"hasty_{postgres.schema[-6:]}"
    await postgres.run(f"CREATE ROLE {role} LOGIN SUPERUSER")
    await postgres.run(f"ALTER ROLE {role} SET synchronous_commit = off")
    store = PostgresStore(postgres.url.replace("//postgres@", f"//{role}@"))
    with pytest.raises(SettingsError, match="synchronous_commit is off"):
        await store.open(KEY, owner=None)
    await store.close()


async def test_one_gap_in_a_log_is_damage_and_not_an_end(postgres: Database):
    store = PostgresStore(postgres.url)
    for n in range(3):
        await write(store, n)
    await postgres.run("DELETE FROM {s}.chunks WHERE seq0 = 2")
    with pytest.raises(SessionDamaged, match="is required"):
        await payloads_of(store)
    await store.close()


async def test_what_texts_of_postgres_cannot_hold_comes_back(postgres: Database):
    nul = "a\0b"
    store = PostgresStore(postgres.url)
    writer = await store.open(KEY, owner=nul)
    writer.append(Event(kind="message", payload={"id": nul, "role": "user", "text": nul}, turn=1))
    writer.append(event(nul))
    assert await store.post(KEY, b'"a\\u0000b"', id=nul)
    assert not await store.post(KEY, b'"a\\u0000b"', id=nul)
    assert await anext(writer.inbox()) == b'"a\\u0000b"'
    await writer.close()
    (meta,) = [meta async for meta in store.list("demo", owner=nul)]
    assert (meta.owner, meta.title) == (nul, nul)
    assert (await payloads_of(store))[1] == nul
    await store.close()


async def test_the_tail_of_a_long_log_is_read_without_the_rest(postgres: Database):
    store = PostgresStore(postgres.url)
    writer = await store.open(KEY, owner=None)
    for n in range(100):
        writer.append(*(event(f"{n}.{i}") for i in range(200)))
        await writer.flush()
    await writer.close()
    # Whoever touched what is before the tail would find it damaged.
    await postgres.run("DELETE FROM {s}.chunks WHERE seq0 < 19000 AND seq0 > 1")
    assert await payloads_of(store, 19_902) == [f"99.{i}" for i in range(101, 200)]
    await store.close()


def test_the_password_is_in_no_text():
    url = "postgresql://ann:s3cret@db.example:5433/app?schema=mine&sslmode=require"
    store = PostgresStore(url)
    assert repr(store) == "PostgresStore(\"db.example/app schema 'mine'\")"
    address = parse_address(url)
    assert "s3cret" not in repr(address)
    assert address.dsn == "postgresql://ann:s3cret@db.example:5433/app?sslmode=require"


@pytest.mark.parametrize(
    ("query", "schema", "pooled"),
    [("", "litro", False), ("?schema=a%22b", 'a"b', False), ("?pooled=yes&schema=x", "x", True)],
)
def test_what_is_ours_in_the_url_is_not_the_servers(query: str, schema: str, pooled: bool):
    address = parse_address(f"postgresql://h/d{query}")
    assert (address.schema, address.pooled, address.dsn) == (schema, pooled, "postgresql://h/d")


@pytest.mark.parametrize("url", ["postgresql://[x/d", "postgresql://h/d?pooled=perhaps"])
def test_a_url_that_cannot_be_used_is_refused(url: str):
    with pytest.raises(SettingsError, match="required"):
        PostgresStore(url)


WITHOUT = """
import sys
sys.modules["asyncpg"] = None
import litro.sessions
import litro.sessions.postgres
try:
    litro.sessions.open_store("postgresql://h/d")
except Exception as error:
    print(type(error).__name__, error)
"""
BROKEN = "raise ImportError('no libfoo')"


def test_without_the_driver_the_remedy_is_named_and_only_when_a_store_is_made():
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("SettingsError ")
    assert "pip install 'litro[postgres]'" in done.stdout


def test_a_broken_driver_is_told_with_its_cause(tmp_path):
    (tmp_path / "asyncpg.py").write_text(BROKEN)
    program = WITHOUT.replace(
        'sys.modules["asyncpg"] = None', f"sys.path.insert(0, {str(tmp_path)!r})"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("SettingsError ")
    assert "no libfoo" in done.stdout
    assert "is not installed" not in done.stdout


async def test_behind_a_transaction_pooler_everything_but_listening_works(postgres: Database):
    url = postgres.url + "&pooled=yes"
    store, other = PostgresStore(url), PostgresStore(url)
    writer = await store.open(KEY, owner=None)
    following = asyncio.create_task(payloads(other))
    for n in range(5):
        writer.append(event(n))
        await writer.flush()
    await other.post(KEY, b"1", id="m")
    assert await anext(writer.inbox()) == b"1"
    await writer.close()
    assert await following == list(range(5))
    assert await postgres.run("SELECT FROM {s}.listeners") == []
    await store.close()
    await other.close()


async def payloads(store: PostgresStore) -> list[object]:
    return [found.payload async for block in store.follow(KEY, 1) for found in events_of(block)]


async def test_a_batch_of_hundreds_of_sessions_reaches_every_follower_elsewhere(postgres: Database):
    keys = [SessionKey("demo", f"n{n}") for n in range(420)]
    store, other = PostgresStore(postgres.url), PostgresStore(postgres.url)
    # Ids as long as they get: what names this batch takes several notifications.
    await store.meta(KEY)
    await postgres.run("ALTER TABLE {s}.sessions ALTER id RESTART WITH 9000000000000000000")
    writers = await asyncio.gather(*(store.open(key, owner=None) for key in keys))
    await other.meta(KEY)

    async def first(key: SessionKey) -> int:
        async for _ in other.follow(key, 2):
            return 1
        return 0

    following = [asyncio.create_task(first(key)) for key in keys]
    for writer in writers:
        writer.append(event("x"), event("y"))
    await asyncio.gather(*(writer.flush() for writer in writers))
    assert sum(await asyncio.wait_for(asyncio.gather(*following), 30)) == 420
    (row,) = await postgres.run("SELECT count(*) FROM {s}.chunks WHERE n = 2")
    assert row[0] == 420
    await asyncio.gather(*(writer.close() for writer in writers))
    await store.close()
    await other.close()


def test_a_closed_store_may_be_used_again_even_in_another_loop(postgres: Database):
    store = PostgresStore(postgres.url)

    async def use(payload: str) -> list[object]:
        await write(store, payload)
        try:
            return await payloads_of(store)
        finally:
            await store.close()
            await store.close()

    assert asyncio.run(use("a")) == ["a"]
    assert asyncio.run(use("b")) == ["a", "b"]


async def test_each_connection_has_timeouts_of_its_own(postgres: Database):
    store = PostgresStore(postgres.url)
    await store.meta(KEY)
    found = await store._connections.run(
        lambda db: db.row(
            "SELECT current_setting('statement_timeout'), current_setting('idle_in_transaction_session_timeout')"
        )
    )
    assert tuple(found) == ("10s", "5s")
    await store.close()


async def test_nobody_is_notified_while_nobody_else_listens(postgres: Database):
    connection = await asyncpg.connect(postgres.server.url)
    heard: asyncio.Queue[str] = asyncio.Queue()
    channel = parse_address(postgres.url).channel
    await connection.add_listener(channel, lambda *told: heard.put_nowait(told[3]))

    async def told_until(mark: str) -> set[str]:
        await connection.execute(f"NOTIFY {channel}, '{mark}'")
        told: set[str] = set()
        while mark not in told:
            told.add(await asyncio.wait_for(heard.get(), 30))
        return told - {mark}

    async def write_and_tell(text: str) -> None:
        await write(store, text)
        # Notifications go out behind the commit, so one could come after the mark that is to close its round.
        await store._notifier.idle()

    store, other = PostgresStore(postgres.url), PostgresStore(postgres.url)
    await write_and_tell("unheard")
    assert await told_until("1") == set()
    (row,) = await postgres.run("SELECT id FROM {s}.sessions")
    await other.meta(KEY)
    await write_and_tell("heard")
    assert await told_until("2") == {f"c{row[0]}"}
    await other.close()
    await write_and_tell("unheard")
    assert await told_until("3") == set()
    await connection.close()
    await store.close()
