"""The documentation is true: its code runs, and what exists is in it."""

import asyncio
import inspect
import re
import shutil
from functools import partial
from pathlib import Path
from typing import Any, get_args

import click
import pytest

from litro.cli.main import main
from litro.errors import ErrorType, ToolErrorType
from litro.events import EventKind, StopReason, TurnStatus
from litro.settings import SETTINGS, Setting
from litro.testing import running

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS.glob("*.md")])
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
FILE = re.compile(
    r"^```(?:ts|js|html)\n(?:// |<!-- )(components/[\w./-]+)(?: -->)?\n(.*?)^```",
    re.MULTILINE | re.DOTALL,
)


def text(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_of_python_runs(page: Path, project: Path):
    """In a project; what a block names a file is that file, and the tests that it defines pass."""
    names: dict[str, Any] = {"__name__": "docs", "__file__": str(project / "app.py")}
    text = page.read_text(encoding="utf-8")
    for block in FILE.finditer(text):
        (project / block[1]).parent.mkdir(parents=True, exist_ok=True)
        (project / block[1]).write_text(block[2], encoding="utf-8")
    for block in BLOCK.finditer(text):
        file = re.match(r"# ([\w./-]+\.py)\n", block[1])
        if file:
            (project / file[1]).parent.mkdir(parents=True, exist_ok=True)
            (project / file[1]).write_text(block[1], encoding="utf-8")
        line = text[: block.start(1)].count("\n")
        exec(compile("\n" * line + block[1], str(page), "exec"), names)
    for name, test in list(names.items()):
        if name.startswith("test_") and not hasattr(test, "pytestmark"):
            fixtures = {"litro_project": partial(running, project)}
            done = test(
                **{wanted: fixtures[wanted] for wanted in inspect.signature(test).parameters}
            )
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
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("events.md", get_args(EventKind)),
        ("events.md", get_args(ErrorType)),
        ("events.md", get_args(TurnStatus)),
        ("events.md", get_args(StopReason)),
        ("tools.md", get_args(ToolErrorType)),
    ],
)
def test_every_name_of_the_log_is_documented(page: str, names: tuple[str, ...]):
    assert [name for name in names if f"`{name}`" not in text(page)] == []


def test_every_type_that_an_http_answer_can_have_is_documented():
    source = "".join(
        path.read_text(encoding="utf-8")
        for path in [*(ROOT / "src/litro/http").glob("*.py"), ROOT / "src/litro/gates/checks.py"]
    )
    types = re.findall(
        r'(?:failure|Refusal)\(\s*(?:status=)?\d{3},\s*(?:type=)?"([a-z-]+)"', source
    )
    types += re.findall(r'^    \(\w+, \d{3}, "([a-z-]+)"', source, re.MULTILINE)
    assert len(types) > 12
    assert [name for name in types if f"`{name}`" not in text("http.md")] == []


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


def test_every_command_and_option_is_documented():
    for typed, command in commands():
        section = text("commands.md").partition(f"## `{' '.join(typed.split()[:2])}")[2]
        section = section.partition("\n## ")[0]
        assert section, typed
        if typed.count(" ") > 1:
            assert f"`{typed} " in section, typed
        for parameter in command.params:
            if isinstance(parameter, click.Option) and "--project" not in parameter.opts:
                assert any(f"`{option}" in section for option in parameter.opts), (typed, parameter)


def test_the_help_of_every_command_has_an_example():
    for typed, command in commands():
        assert f"  {typed}" in (command.epilog or ""), typed


def row(setting: Setting) -> str:
    sources = [f"`Config({setting.name}=…)`"] if "config" in setting.sources else []
    if setting.variable and "environment" in setting.sources:
        sources.append(f"`{setting.variable}`")
    if "pyproject" in setting.sources:
        sources.append(f"`[tool.litro] {setting.name}`")
    default = "" if setting.default in (None, ()) else f" Default `{setting.default}`."
    return f"| `{setting.name}` | {', '.join(sources)} | {setting.summary}{default} |"


def test_the_table_of_settings_is_the_code_s():
    table = "\n".join(["| setting | sources | |", "|---|---|---|", *map(row, SETTINGS)])
    assert table in text("settings.md"), (
        f"docs/settings.md has another table. Put this one there:\n{table}"
    )
