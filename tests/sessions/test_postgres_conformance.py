"""The Postgres store against the suite that every store is held to."""

import pytest

from litro.sessions.postgres import PostgresStore
from litro.testing import stores
from sessions.databases import Database


@pytest.mark.parametrize("check", stores.CHECKS, ids=[check.__name__ for check in stores.CHECKS])
async def test_the_postgres_store_conforms(check: stores.Check, postgres: Database):
    await check(lambda: PostgresStore(postgres.url))
