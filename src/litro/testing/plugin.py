"""The pytest plugin: a fixture for the project that is tested. It imports Litro only where the fixture is asked for."""

from functools import partial
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from litro.testing.running import ProjectRunner


@pytest.fixture
def litro_project(pytestconfig: pytest.Config) -> "ProjectRunner":
    """Runs the project in pytest's root folder, as `litro.testing.running` does: around an `async with`."""
    from litro.testing.running import running  # noqa: PLC0415 - most tests of a user have no agent in them

    return partial(running, pytestconfig.rootpath)
