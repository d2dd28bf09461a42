"""Which files of mcp-apps/ are apps, which names no document can have, and how files are loaded."""

import os
from pathlib import Path

import pytest

from litro.errors import Problem
from litro.mcp.apps.loading import load
from litro.mcp.apps.sources import find

APP = "from litro.mcp import McpApp\nfrom markupsafe import Markup\napp = McpApp(Markup('<p>'))\n"


def write(folder: Path, *names: str, text: str = APP) -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def names_in(folder: Path) -> list[str]:
    found = find(folder)
    assert found.problems == ()
    return [file.name for file in found.files]


def told(folder: Path) -> list[str]:
    return [problem.text for problem in find(folder).problems]


def test_apps_are_found_in_folders_too_by_name(tmp_path: Path):
    write(tmp_path, "z.py", "a/b/card.py", "a/index.py", "notes.md", "data.json")
    assert names_in(tmp_path) == ["a/b/card", "a/index", "z"]


@pytest.mark.parametrize(
    "name",
    [
        *("_helper.py", "_shared/card.py", "-card.py", ".card.py", ".git/card.py", "__init__.py"),
        *("test_card.py", "card_test.py", "card.test.py", "card.spec.py", "conftest.py"),
        *("card.pyc", "__pycache__/card.py"),
    ],
)
def test_helpers_tests_and_what_is_switched_off_are_passed_over(tmp_path: Path, name: str):
    assert names_in(write(tmp_path, "card.py", name)) == ["card"]


def test_the_off_switch_is_the_files_not_the_folders(tmp_path: Path):
    assert names_in(write(tmp_path, "-old/card.py")) == ["-old/card"]


@pytest.mark.parametrize("has_folder", [True, False])
def test_where_there_is_no_app_that_is_told(tmp_path: Path, has_folder: bool):
    folder = tmp_path / "mcp-apps"
    if has_folder:
        write(folder, "_helper.py")
    (problem,) = find(folder).problems
    assert str(problem).startswith(f"{folder}: no app files found here")


def test_links_are_followed_and_those_without_an_end_are_not(tmp_path: Path):
    write(tmp_path / "elsewhere", "card.py")
    folder = write(tmp_path / "apps", "a/own.py")
    (folder / "linked").symlink_to(tmp_path / "elsewhere")
    (folder / "a" / "up").symlink_to(folder)
    (folder / "a" / "same").symlink_to(folder / "a")
    (folder / "file.py").symlink_to(tmp_path / "elsewhere" / "card.py")
    assert names_in(folder) == ["a/own", "file", "linked/card"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("a\\b.py", "a backslash"),
        ("a\\#\n.py", "a backslash"),
        (".py", "no name before .py"),
        ("...py", "a part of its path is . or .."),
        ("a#b.py", "its name has #"),
        ("sub?/b.py", "its name has ?"),
        ("a\nb.py", "U+000A"),
        ("a\u2028b.py", "U+2028"),
        (os.fsdecode(b"a\xff.py"), "no UTF-8"),
        ("weather.v2.py", "a dot"),
        ("v1.2/card.py", "a dot"),
    ],
)
def test_names_that_no_document_can_have_are_told(tmp_path: Path, name: str, said: str):
    write(tmp_path, name)
    (problem,) = find(tmp_path).problems
    assert said in problem.text
    assert "An explicit uri does not help" in problem.text
    assert str(problem).encode().count(b"\n") == 0


@pytest.mark.parametrize("name", ["a\x7fb.py", "größe.py", "a b.py", "[id].py"])
def test_other_names_are_a_matter_of_the_address_alone(tmp_path: Path, name: str):
    assert names_in(write(tmp_path, name)) == [name.removesuffix(".py")]


@pytest.mark.parametrize("name", ["manifest.py", "Manifest.py", "manife\u017ft.py"])
def test_no_app_takes_the_place_of_the_manifest(tmp_path: Path, name: str):
    (text,) = told(write(tmp_path, name))
    assert "manifest.json" in text


def test_a_manifest_in_a_folder_is_like_any_other(tmp_path: Path):
    assert names_in(write(tmp_path, "sub/manifest.py")) == ["sub/manifest"]


def test_documents_that_differ_by_case_alone_are_refused(tmp_path: Path):
    (text,) = told(write(tmp_path, "Card.py", "card.py", "other.py"))
    assert "'Card' and 'card'" in text


def test_everything_that_is_wrong_is_told_at_once(tmp_path: Path):
    assert len(told(write(tmp_path, "a#.py", "b?.py", "manifest.py", "good.py"))) == 3


def loaded(project: Path) -> tuple[dict[str, str], list[Problem]]:
    folder = project / "mcp-apps"
    problems: list[Problem] = []
    apps = load(project, folder, find(folder).files, problems)
    return {file.name: str(app.title) for file, app in apps.items()}, problems


def test_files_import_helpers_beside_them(tmp_path: Path):
    write(tmp_path, "mcp-apps/_words.py", text="TITLE = 'Weather'\n")
    source = "from .._words import TITLE\n" + APP.replace(
        "app = McpApp(", "app = McpApp(title=TITLE, shell="
    )
    write(tmp_path, "mcp-apps/sub/card.py", text=source)
    assert loaded(tmp_path) == ({"sub/card": "Weather"}, [])


def test_a_folder_elsewhere_is_loaded_as_well(tmp_path: Path):
    folder = write(tmp_path / "apps.v2", "card.py")
    apps = load(tmp_path / "project", folder, find(folder).files, [])
    assert [file.name for file in apps] == ["card"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 1\n", "holds no `app`, which is the McpApp that is looked for"),
        ("app = 7\n", "`app` is a int, so an instance of McpApp is required"),
        ("from litro.mcp import McpApp as app\n", "`app` is the class McpApp"),
        (APP.replace("app =", "card ="), "holds no `app`, but the McpApp 'card'"),
        ("1 / 0\n", "ZeroDivisionError"),
        ("import sys; sys.exit(3)\n", "SystemExit"),
        ("from litro.mcp import McpApp\napp = McpApp(7)\n", "shell is 7"),
        ("def\n", "SyntaxError"),
    ],
)
def test_each_file_binds_one_app(tmp_path: Path, text: str, said: str):
    write(tmp_path, "mcp-apps/bad.py", text=text)
    write(tmp_path, "mcp-apps/good.py")
    apps, (problem,) = loaded(tmp_path)
    assert [*apps] == ["good"]
    assert problem.path == tmp_path / "mcp-apps" / "bad.py"
    assert said in problem.text
