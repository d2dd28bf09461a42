"""`litro new` and `litro add`: what they write runs, and nothing of anybody's is overwritten."""

import subprocess
import sys
from pathlib import Path

import pytest
from projects import Litro, environment

from litro.cli import template


@pytest.fixture
def app(litro: Litro, tmp_path: Path) -> Path:
    done = litro("new", "my-app")
    assert done.returncode == 0, done.stderr
    assert "cd my-app" in done.stdout
    assert "litro dev" in done.stdout
    return tmp_path / "my-app"


def test_a_new_project_has_no_problem_and_answers_without_a_key(litro: Litro, app: Path):
    checked = litro("check", cwd=app)
    assert (checked.returncode, checked.stderr) == (0, "")
    said = litro("run", "demo", "What is the weather in Porto?", cwd=app)
    assert said.stdout == "Let me look. \nHere is the weather.\n"
    assert '"city":"Porto"' in said.stderr


def test_a_new_project_s_own_tests_pass_whatever_keys_are_set(app: Path):
    keys = {"OPENAI_API_KEY": "sk-nobody"}
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        check=False,
        cwd=app,
        capture_output=True,
        text=True,
        timeout=60,
        env=environment() | keys,
    )
    assert tested.returncode == 0, tested.stdout
    assert "1 passed" in tested.stdout


def test_no_placeholder_is_left_and_nothing_but_the_project_is_written(app: Path):
    files = [path for path in app.rglob("*") if path.is_file()]
    assert [path for path in files if b"{{name}}" in path.read_bytes()] == []
    assert 'name = "my-app"' in (app / "pyproject.toml").read_text(encoding="utf-8")
    names = {str(path.relative_to(app)) for path in files}
    assert {".env.example", ".gitignore", "tests/test_demo.py", "README.md"} <= names
    assert not any("__pycache__" in name for name in names)
    assert [entry.name for entry in app.parent.iterdir()] == ["my-app"]


def test_every_provider_that_the_environment_names_is_chosen(litro: Litro, app: Path):
    for variables, model in (
        ({"LLM_URL": "http://127.0.0.1:9/"}, "127.0.0.1:9"),
        ({"OPENAI_API_KEY": "sk-secret"}, "openai:gpt-5-mini"),
        ({"ANTHROPIC_API_KEY": "sk-secret"}, "anthropic:claude-sonnet-4-5"),
    ):
        shown = litro("info", cwd=app, **variables).stdout
        assert f"model  {model}\n" in shown
        assert "sk-secret" not in shown


def test_a_folder_that_is_not_empty_is_refused_untouched(litro: Litro, tmp_path: Path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/notes.txt").write_text("mine", encoding="utf-8")
    done = litro("new", "mine")
    assert done.returncode == 1
    assert "is a folder that is not empty" in done.stderr
    assert [entry.name for entry in tmp_path.rglob("*")] == ["mine", "notes.txt"]


def test_the_empty_folder_that_one_stands_in_is_filled_even_with_a_repository_in_it(
    litro: Litro, tmp_path: Path
):
    here = tmp_path / "here"
    (here / ".git").mkdir(parents=True)
    before = here.stat().st_ino
    done = litro("new", ".", cwd=here)
    assert done.returncode == 0, done.stderr
    assert "cd " not in done.stdout
    assert (here / "agents/demo/agent.py").is_file()
    assert here.stat().st_ino == before
    assert 'name = "here"' in (here / "pyproject.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["my app", "-x-", "æ", "x" * 65])
def test_a_name_that_is_none_is_refused_with_one_that_is(litro: Litro, tmp_path: Path, name: str):
    done = litro("new", "--", name)
    assert done.returncode == 2
    assert "litro new my-app" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_written_whole_is_not_written_at_all(tmp_path: Path):
    target = tmp_path / "here"
    target.mkdir()
    # A folder where a file has to go, which only turns up after the check.
    (target / "pyproject.toml").mkdir()
    with pytest.raises(OSError, match="directory"):
        template.write("project", target, name="here")
    assert [entry.name for entry in tmp_path.rglob("*")] == ["here", "pyproject.toml"]


def test_an_added_agent_is_there_at_once_and_its_name_is_its_own(litro: Litro, app: Path):
    done = litro("add", "agent", "Travel", cwd=app)
    assert done.returncode == 0, done.stderr
    checked = litro("check", cwd=app)
    assert "Travel: roll-dice" in checked.stdout
    assert "no guard" not in checked.stderr
    for taken in ("Travel", "travel", "DEMO"):
        again = litro("add", "agent", taken, cwd=app)
        assert again.returncode == 1
        assert f"the name {taken!r} is taken" in again.stderr


def test_an_agent_s_name_that_is_none_is_refused(litro: Litro, app: Path):
    for name in ("a b", "../up", "_shared"):
        done = litro("add", "agent", name, cwd=app)
        assert done.returncode == 2
        assert "is no name for an agent" in done.stderr


def test_an_agent_is_added_to_a_project_only(litro: Litro):
    done = litro("add", "agent", "travel")
    assert done.returncode == 1
    assert "it is no Litro project" in done.stderr
