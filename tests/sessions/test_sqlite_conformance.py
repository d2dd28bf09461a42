"""The SQLite store against the suite that every store is held to."""

from pathlib import Path

import pytest

from litro.sessions.sqlite import SqliteStore
from litro.testing import stores


@pytest.mark.parametrize("check", stores.CHECKS, ids=[check.__name__ for check in stores.CHECKS])
async def test_the_sqlite_store_conforms(check: stores.Check, tmp_path: Path):
    await check(lambda: SqliteStore(tmp_path / "data" / "sessions.db"))
