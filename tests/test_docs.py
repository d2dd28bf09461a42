"""The documentation is true: its code runs, and what exists is in it."""

import asyncio
import inspect
import re
import shutil
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any, get_args

import click
import pytest

from doc_pages import DOCS, PAGES, ROOT, blocks
from litro.cli.main import main
from litro.errors import ToolErrorType
from litro.testing import running


def text(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_of_python_runs(page: Path, project: Path):
    """In a project; what a block names a file is that file, and the tests that it defines pass."""
    names: dict[str, Any] = {"__name__": "docs", "__file__": str(project / "app.py")}
    here = [block for block in blocks("python", "ts", "js", "html") if block.page == page]
    for block in here:
        if block.file is not None and block.language != "python":
            write(project / block.file, block.text.partition("\n")[2])
    for block in here:
        if block.language == "python":
            if block.file is not None:
                write(project / block.file, block.text)
            exec(compile("\n" * block.line + block.text, str(page), "exec"), names)
    for name, test in list(names.items()):
        if name.startswith("test_"):
            run(test, project)


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def run(test: Callable[..., Any], project: Path) -> None:
    """As pytest does, with the fixtures of Litro's and a folder; of several parameters with the first."""
    given: dict[str, Any] = {
        "litro_project": partial(running, project),
        "tmp_path": project / "folder",
    }
    for mark in getattr(test, "pytestmark", []):
        if mark.name == "parametrize":
            given[mark.args[0]] = mark.args[1][0]
    done = test(**{wanted: given[wanted] for wanted in inspect.signature(test).parameters})
    if inspect.isawaitable(done):
        asyncio.run(done)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A new project's agents, and beside them what pages speak of: a project my-app, Django's settings."""
    project = tmp_path / "project"
    ignore = shutil.ignore_patterns(".litro", "__pycache__")
    shutil.copytree(ROOT / "src/litro/scaffold/project/agents", project / "agents", ignore=ignore)
    (project / "my-app/agents").mkdir(parents=True)
    (project / "django_settings.py").write_text("SECRET_KEY = 'x'\nROOT_URLCONF = 'x'\n")
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "django_settings")
    monkeypatch.syspath_prepend(project)
    monkeypatch.chdir(project)
    return project


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_to_a_file_leads_somewhere(page: Path):
    for target, heading in re.findall(
        r"\]\(([^)#:]*)(#[^)]+)?\)", page.read_text(encoding="utf-8")
    ):
        file = page.parent / target if target else page
        assert file.exists(), target
        assert not heading or heading[1:] in headings(file), target + heading


@cache
def headings(page: Path) -> set[str]:
    """What links to a page's headings say, as GitHub makes it of their words."""
    text = re.sub(
        r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_way_a_tool_s_call_can_fail_is_on_the_page_of_tools():
    """What else the log, HTTP, commands and settings name is in docs/reference/, which is made of the code."""
    assert [name for name in get_args(ToolErrorType) if f"`{name}`" not in text("tools.md")] == []


def commands() -> list[tuple[str, click.Command]]:
    """Every command, and every command of a group, by what is typed."""
    context = click.Context(main)
    found: list[tuple[str, click.Command]] = []
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        assert command is not None, name
        found.append((f"litro {name}", command))
        if isinstance(command, click.Group):
            found += [(f"litro {name} {own}", inner) for own, inner in command.commands.items()]
    return found


def test_every_command_has_a_section():
    for typed, _ in commands():
        section = text("commands.md").partition(f"## `{' '.join(typed.split()[:2])}")[2]
        section = section.partition("\n## ")[0]
        assert section, typed
        if typed.count(" ") > 1:
            assert f"`{typed}" in section, typed


def test_the_help_of_every_command_has_an_example():
    for typed, command in commands():
        assert f"  {typed}" in (command.epilog or ""), typed
