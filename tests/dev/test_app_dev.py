"""MCP Apps under `litro dev`: packed at the start and at each change, and what is wrong is told while the last good ones are served."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from developing import AGENT, Process, Project, Stream
from test_mcp_in_development import post

CARD = """
import { LitElement, html } from "lit";
import { words } from "../lib/words.js";
class Card extends LitElement {
  static properties = { city: {} };
  render() { return html`<b>${this.city}: ${words}</b>`; }
}
customElements.define("demo-card", Card);
"""
APP = """
from pathlib import Path
from litro.mcp import McpApp
from litro.ui import element

app = McpApp(element("demo-card", city="Graz"), styles=Path(__file__).with_name("card.css").read_text())
"""
TOOL = '''
from litro import tool

@tool(app="weather")
def show():
    """Show."""
    return {"city": "Linz"}
'''
PACKED = r"packed weather\n"

pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def project(tmp_path: Any) -> Project:
    files = {
        "pyproject.toml": '[project]\nname = "shop"\nversion = "1"\n',
        "agents/demo/agent.py": AGENT,
        "agents/demo/tools/show.py": TOOL,
        "components/card.js": CARD,
        "lib/words.js": "export const words = 'first';",
        "mcp-apps/weather.py": APP,
        "mcp-apps/card.css": "b { color: red }",
    }
    return Project(tmp_path / "shop", files)


def asked(dev: Process, method: str, **params: Any) -> Any:
    told = post(dev, method, params).json()
    return told.get("result", told)


def address(dev: Process) -> str:
    (listed,) = asked(dev, "tools/list")["tools"]
    return listed["_meta"]["ui"]["resourceUri"]


def document(dev: Process) -> str:
    (content,) = asked(dev, "resources/read", uri=address(dev))["contents"]
    return content["text"]


def told(page: Stream, is_it: Callable[[list[dict[str, str]]], bool]) -> list[dict[str, str]]:
    """The problems that an open page is told, as soon as they are these."""
    while not is_it(problems := page.problems()):
        pass
    return problems


def test_apps_are_packed_at_the_start_and_the_first_host_waits_for_that(
    start: Callable[..., Process], project: Project
):
    dev = start(project)
    assert "Graz" in document(dev)
    dev.says(PACKED)
    manifest = json.loads((project.folder / "dist/mcp-apps/manifest.json").read_text())
    assert [app["uri"] for app in manifest] == ["ui://shop/weather"]
    assert re.fullmatch(r"ui://shop/weather\?v=[0-9a-f]{12}", address(dev))


@pytest.mark.parametrize(
    ("file", "before", "after"),
    [
        ("mcp-apps/weather.py", "Graz", "Wien"),
        ("mcp-apps/card.css", "red", "blue"),
        ("components/card.js", "<b>", "<b title=x>"),
        ("lib/words.js", "first", "second"),
    ],
)
def test_whatever_an_app_is_made_of_packs_it_anew_without_a_restart(
    start: Callable[..., Process], project: Project, file: str, before: str, after: str
):
    dev = start(project)
    first = address(dev)
    dev.says(PACKED)
    project.edit(file, before, after)
    dev.says(PACKED)
    assert after in document(dev)
    assert address(dev) != first
    assert asked(dev, "resources/read", uri=first)["contents"][0]["text"] == document(dev)
    assert "restart" not in dev.output


def test_what_cannot_be_packed_is_told_and_the_last_good_document_is_served(
    start: Callable[..., Process], project: Project
):
    dev = start(project)
    good = document(dev)
    written = (project.folder / "dist/mcp-apps/weather.html").stat()
    with dev.page() as page:
        project.edit("mcp-apps/weather.py", "element(", "element((")
        dev.says(r"error: mcp-apps/weather\.py:\d+: ")
        (problem,) = told(page, bool)
        assert problem["place"].startswith("mcp-apps/weather.py:")
        assert document(dev) == good
        project.edit("mcp-apps/weather.py", "element((", "element(")
        assert told(page, lambda problems: not problems) == []
    assert document(dev) == good
    # What is written is a change, where apps are packed into a folder that is watched.
    assert (project.folder / "dist/mcp-apps/weather.html").stat() == written


def test_a_broken_component_is_told_once_and_the_last_good_document_is_served(
    start: Callable[..., Process], project: Project
):
    dev = start(project)
    good = document(dev)
    with dev.page() as page:
        project.edit("components/card.js", "class Card", "class class")
        problems = told(page, bool)
        assert [problem["place"] for problem in problems] == ["components/card.js:4"]
        assert document(dev) == good
        project.edit("components/card.js", "class class", "class Card")
        told(page, lambda problems: not problems)


def test_a_tool_whose_app_is_not_there_is_told_with_its_line_until_it_is(
    start: Callable[..., Process], project: Project
):
    (project.folder / "mcp-apps/weather.py").rename(project.folder / "mcp-apps/_weather.py")
    dev = start(project)
    refused = asked(dev, "tools/list")
    assert refused["type"] == "broken-agent"
    assert "app is 'weather'" in refused["message"]
    dev.says(r"error: agents/demo/tools/show\.py:\d: tool 'show': app is 'weather'; but ")
    with dev.page() as page:
        told(page, bool)
        (project.folder / "mcp-apps/_weather.py").rename(project.folder / "mcp-apps/weather.py")
        told(page, lambda problems: not problems)
        assert "Graz" in document(dev)
        (project.folder / "mcp-apps/weather.py").unlink()
        told(page, bool)
    assert asked(dev, "tools/list")["type"] == "broken-agent"


def test_without_apps_nothing_is_packed_or_told(start: Callable[..., Process], project: Project):
    project.write("agents/demo/tools/show.py", TOOL.replace('(app="weather")', ""))
    for name in ("weather.py", "card.css"):
        (project.folder / "mcp-apps" / name).unlink()
    dev = start(project)
    assert asked(dev, "resources/list") == {"resources": []}
    with dev.page() as page:
        assert page.problems() == []
    assert "packed" not in dev.output
    assert not (project.folder / "dist").exists()
