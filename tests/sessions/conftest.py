"""What tests of stores share."""

from secrets import token_hex

import pytest

from sessions import databases


@pytest.fixture
def postgres() -> databases.Database:
    """A schema of the test's own, on a Postgres of the tests' own."""
    return databases.Database(databases.server(), f"test_{token_hex(6)}")
