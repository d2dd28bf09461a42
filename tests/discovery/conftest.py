"""Projects, written to disk as a user would."""

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

AGENT = "from litro import Agent\nagent = Agent('openai:m')\n"
TOOL = "from litro import tool\n@tool\ndef f():\n    'Do it.'\n"


@pytest.fixture
def write(tmp_path: Path) -> Callable[[dict[str, str | bytes]], Path]:
    """Write files into the project, and answer its folder. `AGENT` and `TOOL` stand for the simplest ones."""

    def write(files: dict[str, str | bytes]) -> Path:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(text, bytes):
                path.write_bytes(text)
            else:
                path.write_text({"AGENT": AGENT, "TOOL": TOOL}.get(text, dedent(text)))
        return tmp_path

    return write
