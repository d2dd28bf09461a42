"""Projects in files, and the command that is run on them: always the real one, as a process."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

AGENT = """
from litro import Agent
from litro.providers import call, scripted
from litro.providers.base import ResultsMessage

def script(request, turn):
    if isinstance(request.messages[-1], ResultsMessage):
        return ["It is ", "21 °C."]
    return ["Looking. ", call("get-weather", city="Lisbon")]

agent = Agent(scripted(script))
"""
TOOL = '''
from markupsafe import Markup
from litro import tool
from litro.ui import ui

@tool
def get_weather(city: str):
    """Get the weather."""
    return ui(Markup("<b>70</b>"), data={"temp_c": 21})
'''

Litro = Callable[..., "subprocess.CompletedProcess[str]"]
Write = Callable[[dict[str, str]], Path]

_OURS = ("LITRO_", "LLM_", "OPENAI_", "ANTHROPIC_")


def environment() -> dict[str, str]:
    """The environment without what would change what is tested."""
    return {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}


def write_files(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def litro_in(folder: Path) -> Litro:
    """Runs the command in a folder, with nothing of our own environment that would change what is tested."""

    def run(
        *arguments: str, cwd: Path | None = None, answer: str | None = None, **env: str
    ) -> "subprocess.CompletedProcess[str]":
        done = subprocess.run(
            [sys.executable, "-m", "litro", *arguments],
            check=False,
            cwd=cwd or folder,
            capture_output=True,
            input=answer,
            text=True,
            timeout=60,
            env=environment() | env,
        )
        assert "Traceback" not in done.stderr
        return done

    return run
