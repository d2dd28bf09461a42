"""What every test shares."""

import pytest


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Litro is asyncio's: where trio is installed too, nothing runs twice."""
    return "asyncio"
