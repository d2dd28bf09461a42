"""The element's page behind uvicorn."""

import shutil
from pathlib import Path

HERE = Path(__file__).parent


def make_element_project(folder: Path) -> Path:
    """The project, in a folder of its own."""
    return shutil.copytree(HERE / "project", folder, ignore=shutil.ignore_patterns("__pycache__"))
