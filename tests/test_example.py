"""The example: its own tests pass and it has no problem, on a copy; and its chat page is what `litro new` writes."""

import difflib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.timeout(240)

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "weather"
SCAFFOLD = ROOT / "src" / "litro" / "scaffold" / "project"


@pytest.fixture
def example(tmp_path: Path) -> Path:
    ignore = shutil.ignore_patterns(".litro", "__pycache__", ".env", ".pytest_cache")
    return Path(shutil.copytree(EXAMPLE, tmp_path / "weather", ignore=ignore))


def run(example: Path, *command: str) -> str:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("LITRO_")}
    how = () if command[0].endswith(".py") else ("-m",)
    done = subprocess.run(
        [sys.executable, *how, *command],
        cwd=example,
        env=clean | {"OPENAI_API_KEY": "sk-nobody"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_its_own_tests_pass_whatever_keys_are_set(example: Path):
    assert "6 passed" in run(example, "pytest", "-q", "-p", "no:cacheprovider")


def test_it_has_no_problem(example: Path):
    assert "no problem" in run(example, "litro", "check")


def test_its_probes_find_nothing_wrong(example: Path):
    run(example, "litro", "mcp-app", "build")
    seen = run(example, "scripts/probe_stdio.py")
    assert 'call get-weather -> {"city":"Lisbon","temp_c":21,"summary":"sunny"}' in seen
    assert "tool get-forecast -> ui://weather/weather-card" in seen
    assert "All as it should be." in run(example, "scripts/probe_stdio.py", "--purity")
    assert "403 a page that is not" in run(example, "scripts/probe_http.py")


def changed(file: str) -> list[str]:
    """The lines that the example has for others of the scaffold's."""
    ours, theirs = (
        (folder / file).read_text(encoding="utf-8").replace("{{name}}", "weather").splitlines()
        for folder in (EXAMPLE, SCAFFOLD)
    )
    return [line for line in difflib.ndiff(theirs, ours) if line[0] in "+-"]


@pytest.mark.parametrize(
    "file",
    [
        "agents/_config.py",
        "agents/demo/agent.py",
        "agents/demo/_script.py",
        "agents/demo/instructions.md",
        ".env.example",
        ".gitignore",
    ],
)
def test_what_has_nothing_to_do_with_components_is_what_litro_new_writes(file: str):
    assert changed(file) == []


def test_the_chat_page_and_the_app_have_only_more_than_litro_new_writes():
    assert [line for line in changed("page/index.html") if line.startswith("-")] == []
    assert [line for line in changed("page/page.css") if line.startswith("-")] == []
