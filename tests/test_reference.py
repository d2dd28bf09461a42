"""The reference is what the code says: scripts/reference writes it, and nothing of the code goes without words."""

import ast
import importlib
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import click
import pytest

ROOT = Path(__file__).parents[1]
REFERENCE = sorted((ROOT / "docs/reference").glob("*.md"))

pytestmark = pytest.mark.once

Import = Callable[[str], ModuleType]


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> Import:
    """Imports a module of scripts/pages."""
    monkeypatch.syspath_prepend(ROOT / "scripts")
    return lambda name: importlib.import_module(f"pages.{name}")


def test_the_reference_is_what_the_code_says(pages: Import):
    reference = pages("__main__")
    assert reference.differences(reference.wanted()) == []


def test_a_page_that_was_changed_by_hand_is_told_with_the_remedy(pages: Import):
    reference = pages("__main__")
    page = REFERENCE[0]
    told = reference.differences({page: "another"})
    assert f"docs/reference/{page.name}: is not what the code says. Run scripts/reference." in told


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    found: list[str] = []
    for heading in re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        anchor = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        before = sum(re.sub(r"-\d+$", "", other) == anchor for other in found)
        found.append(f"{anchor}-{before}" if before else anchor)
    return set(found)


@pytest.mark.parametrize("page", REFERENCE, ids=lambda page: page.name)
def test_every_link_of_the_reference_leads_to_a_page_and_to_a_heading_there(page: Path):
    for target, anchor in re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", page.read_text("utf-8")):
        other = page.parent / target if target else page
        assert other.exists(), target
        assert not anchor or anchor in anchors(other), f"{target}#{anchor}"


def test_every_name_that_the_documentation_imports_is_in_the_reference(pages: Import):
    written = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    written += (ROOT / "src/litro/scaffold").rglob("*.py")
    names = {
        (module, name.strip())
        for path in written
        for module, imported in re.findall(
            r"^from (litro[\w.]*) import ([\w, ]+)$", path.read_text("utf-8"), re.MULTILINE
        )
        for name in imported.split(",")
    }
    api = pages("api")
    known = {(one.module, one.name) for page in api.PAGES for one in api.names_of(page)}
    assert len(names) > 20
    assert sorted(names - known) == []


@pytest.mark.parametrize(
    "source",
    [
        "os.environ['WANTED']",
        "os.environ.get('WANTED', '')",
        "os.getenv('WANTED')",
        "environ.get('WANTED')",
        "self._environ.pop('WANTED')",
        "NAME: Final = 'WANTED'\nos.environ.pop(NAME)",
        "NAMES = ('WANTED',)\n{name: os.environ[name] for name in NAMES}",
        "for name in ('WANTED',):\n    os.environ.get(name)",
    ],
)
def test_every_way_to_read_a_variable_is_found(pages: Import, source: str):
    assert pages("variables").variables_in(ast.parse(source)) == {"WANTED"}


def test_a_name_that_passes_through_arguments_is_found_by_its_looks(pages: Import):
    found = pages("variables").variables_in(ast.parse("ApiKey(key, 'SOME_API_KEY')"))
    assert found == {"SOME_API_KEY"}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ({"old": ""}, "'new' is in the code"),
        ({"old": "", "new": "", "gone": ""}, "'gone' has words"),
    ],
)
def test_a_name_without_words_and_words_without_a_name_are_refused(
    pages: Import, words: dict[str, str], told: str
):
    markdown = pages("markdown")
    with pytest.raises(markdown.Undocumented, match=told):
        markdown.words_for(["old", "new"], words, what="the error type", where="errors.py")


def test_an_option_without_help_is_refused(pages: Import):
    with pytest.raises(pages("markdown").Undocumented, match="--quiet has no help"):
        pages("cli").option_row("litro serve", click.Option(["--quiet"]))


@pytest.mark.parametrize(
    ("source", "status", "kind"),
    [
        ('failure(404, "gone", message)', 404, "gone"),
        ('Refusal(403, "gone", "Because.")', 403, "gone"),
        ('failure(error.status, "gone", "")', 0, "gone"),
        ('TABLE = ((Gone, 410, "gone", ()),)', 410, "gone"),
        ('answer = {"type": "gone", "message": "", "status": 409}', 409, "gone"),
        ('def of(what):\n    failure(400, f"go{what}", "")\nof("ne")', 400, "gone"),
    ],
)
def test_every_way_to_tell_a_failure_is_found(pages: Import, source: str, status: int, kind: str):
    failures = pages("failures")
    found = {(one.status, one.type) for one in failures.told_in(ast.parse(source))}
    assert found == {(status, kind)}
