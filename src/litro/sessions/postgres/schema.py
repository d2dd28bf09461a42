"""The tables, made at first use under a lock, and their version.

* `chunks` is the log: a row per session and commit batch. A chunk's key is decided by what is before it: `seq0` is the
  seq of its first event, or of the next one where it has none, and `k` counts the chunks without an event before it at
  that seq. So two writers that believe in the same past collide in the primary key, and one of them loses.
* `sessions` has the lease, and what lists need. Appending does not touch it.
* `mail` has the mailboxes. A post needs no session.
* `listeners` has the processes that hear notifications now: with no other one, nobody is notified.

Owners, titles and ids of mail are bytes: what they hold may include U+0000, which Postgres's text cannot.
"""

from typing import Final

from litro.errors import NewerFormat, SettingsError
from litro.sessions.postgres.address import Address
from litro.sessions.postgres.connections import Handle

VERSION: Final = 1

_MIGRATIONS: Final = (
    """
    CREATE TABLE {s}.sessions (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        agent text COLLATE "C" NOT NULL,
        session text COLLATE "C" NOT NULL,
        format integer NOT NULL,
        owner bytea NOT NULL,
        created bigint NOT NULL,
        updated bigint NOT NULL,
        fence bigint NOT NULL,
        holder bigint NOT NULL,
        expires timestamptz,
        dirty boolean NOT NULL,
        unfinished boolean NOT NULL,
        UNIQUE (agent, session)
    );
    CREATE INDEX ON {s}.sessions (agent, updated, session) WHERE NOT dirty;
    CREATE INDEX ON {s}.sessions (agent, owner, updated, session) WHERE NOT dirty;
    CREATE INDEX ON {s}.sessions (agent) WHERE dirty;
    CREATE INDEX ON {s}.sessions (id) WHERE dirty OR unfinished;
    CREATE TABLE {s}.chunks (
        sid bigint NOT NULL,
        seq0 bigint NOT NULL,
        k integer NOT NULL,
        n integer NOT NULL,
        fence bigint NOT NULL,
        turn bigint NOT NULL,
        updated bigint NOT NULL,
        title bytea,
        data bytea NOT NULL,
        PRIMARY KEY (sid, seq0, k)
    );
    CREATE INDEX ON {s}.chunks (sid, seq0, k) WHERE title IS NOT NULL;
    CREATE TABLE {s}.mail (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        agent text COLLATE "C" NOT NULL,
        session text COLLATE "C" NOT NULL,
        mid bytea NOT NULL,
        token bigint NOT NULL,
        taken boolean NOT NULL DEFAULT false,
        item bytea NOT NULL,
        UNIQUE (agent, session, mid)
    );
    CREATE INDEX ON {s}.mail (agent, session, id) WHERE NOT taken;
    CREATE TABLE {s}.listeners (id bigint PRIMARY KEY, seen timestamptz NOT NULL);
    CREATE TABLE {s}.version (version integer NOT NULL);
    INSERT INTO {s}.version VALUES (1);
    """,
)
"""What makes version n+1 of version n. Each sets `version` itself."""


async def prepare(db: Handle, address: Address) -> None:
    """Make the tables what this version needs. Safe with any number of processes at once.

    Raises:
        NewerFormat: A newer Litro made them; nothing was changed.
        SettingsError: The server acknowledges commits before they are durable.
    """
    if await db.value("SELECT current_setting('synchronous_commit')") == "off":
        msg = (
            f"postgres at {address.shown}: synchronous_commit is off for this role, so that what is acknowledged could "
            "still be lost: on is required. Run: ALTER ROLE … SET synchronous_commit = on"
        )
        raise SettingsError(msg)
    if await _version(db, address) == VERSION:
        return
    async with db.transaction():
        await db.rows("SELECT pg_advisory_xact_lock($1)", address.lock("migrations"))
        # CREATE SCHEMA IF NOT EXISTS would want the right to create one, even where it exists.
        if not await db.value("SELECT 1 FROM pg_namespace WHERE nspname = $1", address.schema):
            await db.script("CREATE SCHEMA {s}")
        for migration in _MIGRATIONS[await _version(db, address) :]:
            await db.script(migration)


async def _version(db: Handle, address: Address) -> int:
    known = await db.value(
        "SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE n.nspname = $1 AND c.relname = 'version'",
        address.schema,
    )
    if known is None:
        return 0
    version: int = await db.value("SELECT max(version) FROM {s}.version")
    if version > VERSION:
        msg = (
            f"postgres at {address.shown}: its tables are of version {version}, so a Litro that knows it is required: "
            f"this one knows {VERSION}. Nothing was changed."
        )
        raise NewerFormat(msg)
    return version
