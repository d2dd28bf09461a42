"""Components under `litro dev`: an edit counts from the next turn on, and what is broken is told while the last good one renders."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from developing import AGENT, Process, Project, Stream, events

CARD = """
import { LitElement, html } from "lit";
import { words } from "../lib/words.js";
class Card extends LitElement {
  static properties = { city: {} };
  render() { return html`<b>${this.city}: ${words}</b>`; }
}
customElements.define("demo-card", Card);
"""
TOOL = '''
from litro import tool
from litro.ui import element, ui

@tool
def version(gate: str):
    """Show a card."""
    return ui(element("demo-card", city=gate), data={})
'''


@pytest.fixture
def project(tmp_path: Path) -> Project:
    files = {
        "agents/demo/agent.py": AGENT,
        "agents/demo/tools/version.py": TOOL,
        "components/card.js": CARD,
        "lib/words.js": "export const words = 'first';",
    }
    return Project(tmp_path / "shop", files)


def shown(dev: Process, session: str) -> str:
    """What a turn shows, or why it shows nothing."""
    with dev.post(session, "Graz") as stream:
        found = {event["kind"]: event["payload"] for event in events(stream.rest())}
    return found["ui"]["html"] if "ui" in found else found["tool-error"]["message"]


def told(page: Stream, is_it: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """What an open page is told, as soon as it is this."""
    while not is_it(state := page.state()):
        pass
    return state


def test_an_edited_component_is_in_the_next_turn_and_open_pages_hear_of_it(
    start: Callable[..., Process], project: Project
):
    dev = start(project)
    assert "<b>" in shown(dev, "s1")
    with dev.page() as page:
        build = page.state()["components"]
        assert build
        project.edit("components/card.js", "<b>", "<i>")
        dev.says("reloaded components")
        told(page, lambda state: state["components"] != build)
    assert "<i>" in shown(dev, "s2")


def test_a_broken_component_is_told_with_its_line_while_the_last_good_one_renders(
    start: Callable[..., Process], project: Project
):
    dev = start(project)
    assert "first" in shown(dev, "s1")
    with dev.page() as page:
        project.edit("components/card.js", "class Card", "class class")
        dev.says(r"error: components/card\.js:4: ")
        (problem,) = told(page, lambda state: state["problems"])["problems"]
        assert problem["place"] == "components/card.js:4"
        assert ">    4  class class" in problem["detail"]
        assert "first" in shown(dev, "s2")
        project.edit("components/card.js", "class class", "class Card")
        dev.says("reloaded components")
        told(page, lambda state: not state["problems"])


def test_what_a_component_imports_from_beside_is_watched_as_well(
    start: Callable[..., Process], project: Project
):
    dev = start(project)
    assert "first" in shown(dev, "s1")
    project.edit("lib/words.js", "first", "second")
    dev.says("reloaded components")
    assert "second" in shown(dev, "s2")


def test_the_first_component_of_a_project_is_made_when_it_comes(
    start: Callable[..., Process], project: Project
):
    (project.folder / "components/card.js").unlink()
    (project.folder / "components").rmdir()
    dev = start(project)
    assert "<demo-card> is registered by no component" in shown(dev, "s1")
    project.write("components/card.js", CARD)
    dev.says("reloaded components")
    assert "first" in shown(dev, "s2")


def test_without_node_the_page_says_what_to_do(start: Callable[..., Process], project: Project):
    dev = start(project, LITRO_NODE=str(project.folder / "no-node"))
    dev.says(r"error: components: LITRO_NODE: '.*no-node' cannot be run")
    with dev.page() as page:
        (problem,) = told(page, lambda state: state["problems"])["problems"]
    assert "pip install 'litro[components]'" in problem["text"]
