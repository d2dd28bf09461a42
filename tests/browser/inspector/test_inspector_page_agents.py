"""What the inspector tells of agents, whole and broken."""

import shutil

from inspector_page import Inspector
from playwright.sync_api import expect
from serving_page import Server

OTHER = """from litro import Agent
from litro.providers import scripted

agent = Agent(scripted(lambda request, turn: ["Hello."]))
"""


def test_an_agents_model_instructions_settings_and_tools_are_told(inspector: Inspector):
    inspector.open(agent="demo")
    expect(inspector.main.get_by_role("heading", name="demo")).to_be_visible()
    for words in (
        "told · script-1",
        "You answer questions about the weather.",
        "max_rounds",
        "5 tools",
    ):
        expect(inspector.main).to_contain_text(words)
    expect(inspector.main).to_contain_text("(name, days, stops, budget?, pace?, way?")
    inspector.main.get_by_role("link", name="get-weather").click()
    inspector.is_at(agent="demo", tool="get-weather")


def test_a_broken_agent_is_marked_and_shown_first_with_its_traceback(inspector: Inspector):
    inspector.open()
    expect(inspector.side.get_by_role("link", name="broken broken")).to_be_visible()
    expect(inspector.main).to_contain_text("This agent cannot be loaded")
    expect(inspector.main).to_contain_text("agents/broken/agent.py:5")
    expect(inspector.main).to_contain_text("agent = import_module")


def test_what_is_edited_is_shown_without_a_reload(inspector: Inspector, server: Server):
    inspector.open(agent="demo")
    expect(inspector.main).to_contain_text("5 tools")
    folder = server.gates.parent / "agents/other"
    folder.mkdir()
    (folder / "agent.py").write_text(OTHER)
    expect(inspector.side.get_by_role("link", name="other")).to_be_visible()
    (folder / "agent.py").write_text("agent = 1\n")
    expect(inspector.side.get_by_role("link", name="other stale")).to_be_visible()
    inspector.side.get_by_role("link", name="other").click()
    expect(inspector.main).to_contain_text("so the last good version answers")
    shutil.rmtree(folder)
    expect(inspector.main).to_contain_text('There is no agent "other"')


def test_of_instructions_that_a_function_makes_the_function_is_told(inspector: Inspector):
    inspector.open(agent="clock")
    expect(inspector.main).to_contain_text("instructions() makes them anew for each request")


def test_text_of_the_project_never_becomes_markup(inspector: Inspector, server: Server):
    folder = server.gates.parent / "agents/hostile"
    folder.mkdir()
    (folder / "instructions.md").write_text("<img src=x onerror=alert(1)> & more")
    (folder / "agent.py").write_text(OTHER)
    inspector.open(agent="hostile")
    expect(inspector.main).to_contain_text("<img src=x onerror=alert(1)> & more")
    expect(inspector.page.locator("img")).to_have_count(0)
    shutil.rmtree(folder)
