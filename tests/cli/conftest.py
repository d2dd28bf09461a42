"""A project in files, and the command that is run on it."""

from pathlib import Path

import pytest
from projects import AGENT, TOOL, Litro, Write, litro_in, write_files


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_files(
        tmp_path / "shop",
        {"agents/demo/agent.py": AGENT, "agents/demo/tools/get-weather.py": TOOL},
    )


@pytest.fixture
def write(project: Path) -> Write:
    return lambda files: write_files(project, files)


@pytest.fixture
def litro(tmp_path: Path) -> Litro:
    return litro_in(tmp_path)
