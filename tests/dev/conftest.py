"""Projects to edit, and processes that serve them."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from developing import PROJECT, WITH_APP, Process, Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Agents alone."""
    return Project(tmp_path / "shop", PROJECT)


@pytest.fixture
def with_app(tmp_path: Path) -> Project:
    """Agents, and an app of the author's own that mounts them."""
    return Project(tmp_path / "shop", PROJECT | WITH_APP)


@pytest.fixture
def start() -> Iterator[Callable[..., Process]]:
    """Starts processes, which end with the test."""
    started: list[Process] = []

    def start(*arguments: Any, **how: Any) -> Process:
        started.append(Process(*arguments, **how))
        return started[-1]

    yield start
    for process in started:
        if process.process.poll() is None:
            process.end()
