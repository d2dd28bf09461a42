"""What every test shares."""

from pathlib import Path

import pytest

ONCE = {"browser", "js", "test_first_hour.py", "test_packaging.py", "test_docs.py"}
"""Folders and files whose tests say the same whichever Python runs them."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if item.path.relative_to(here).parts[0] in ONCE:
            item.add_marker("once")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Litro is asyncio's: where trio is installed too, nothing runs twice."""
    return "asyncio"
