"""The inspector without a mouse, in little room, and in the dark."""

import pytest
from inspector_page import Inspector
from playwright.sync_api import expect

VIEWS = [
    {"agent": "demo"},
    {"agent": "broken"},
    {"agent": "demo", "tool": "plan-trip"},
    {"agent": "demo", "tab": "channels"},
    {"agent": "demo", "tab": "timeline"},
    {"agent": "demo", "tab": "events"},
]


def test_tabs_are_chosen_by_arrows_and_the_address_has_them(inspector: Inspector):
    inspector.say("Hello")
    inspector.look()
    inspector.tab("Two channels").focus()
    inspector.page.keyboard.press("ArrowRight")
    expect(inspector.tab("Timeline")).to_be_focused()
    expect(inspector.tab("Timeline")).to_have_attribute("aria-selected", "true")
    inspector.is_at(tab="timeline")
    inspector.page.keyboard.press("End")
    expect(inspector.tab("Events")).to_be_focused()
    expect(inspector.page.get_by_role("tabpanel", name="Events")).to_be_visible()
    inspector.page.reload()
    expect(inspector.events).to_be_visible()


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: "-".join(view.values()))
def test_at_400_percent_nothing_is_scrolled_sideways(inspector: Inspector, view: dict[str, str]):
    inspector.say("weather Lisbon")
    inspector.page.set_viewport_size({"width": 320, "height": 256})
    at = {**view, "session": inspector.session} if "tab" in view else view
    inspector.open(**at)
    expect(inspector.main.get_by_role("heading").first).to_be_visible()
    wide = inspector.page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 320


def test_on_a_phone_the_side_is_behind_a_button(inspector: Inspector):
    inspector.say("Hello")
    inspector.page.set_viewport_size({"width": 390, "height": 800})
    inspector.open(agent="demo")
    expect(inspector.side).to_be_hidden()
    inspector.button("Agents").click()
    inspector.side.get_by_role("link", name="Hello").first.click()
    expect(inspector.side).to_be_hidden()
    expect(inspector.button("Agents")).to_have_attribute("aria-expanded", "false")


def test_one_heading_is_the_first_and_the_landmarks_are_there_once(inspector: Inspector):
    inspector.say("Hello")
    inspector.look()
    expect(inspector.person(1)).to_be_visible()
    expect(inspector.page.get_by_role("heading", level=1)).to_have_text("Litro inspector")
    for role in ("banner", "main", "navigation"):
        expect(inspector.page.get_by_role(role)).to_have_count(1)
    inspector.page.keyboard.press("Tab")
    expect(inspector.page.get_by_text("Skip to the content")).to_be_focused()
    inspector.page.keyboard.press("Enter")
    expect(inspector.main).to_be_focused()
    inspector.is_at(session=inspector.session)
