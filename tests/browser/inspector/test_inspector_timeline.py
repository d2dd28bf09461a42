"""A turn as bars on an axis of time."""

import re

from inspector_page import Inspector
from playwright.sync_api import Locator, expect
from serving_page import Server


def steps(inspector: Inspector) -> Locator:
    return inspector.page.get_by_role("list", name="Steps of the turn").get_by_role("button")


def test_rounds_and_tools_are_steps_in_bars_and_in_a_table(inspector: Inspector, server: Server):
    (server.gates / inspector.session).touch()
    inspector.say(f"count {inspector.session}")
    inspector.look(tab="timeline")
    names = [r"^round 1: at \d+ ms, first piece after", "^count-to: at", "^get-weather", "^round 2"]
    expect(steps(inspector)).to_have_count(4)
    for at, name in enumerate(names):
        expect(steps(inspector).nth(at)).to_have_accessible_name(re.compile(name))
    rows = inspector.page.get_by_role("table").get_by_role("row")
    expect(rows).to_have_count(5)
    expect(rows.nth(2)).to_contain_text("3 of 10 counting")


def test_a_steps_numbers_are_told_and_its_events_a_press_away(inspector: Inspector):
    inspector.say("weather Lisbon")
    inspector.look(tab="timeline")
    steps(inspector).nth(1).focus()
    expect(inspector.page.locator(".readout")).to_contain_text(
        re.compile("get-weather: at .* runs for")
    )
    inspector.page.keyboard.press("Enter")
    inspector.is_at(tab="events")
    expect(inspector.event).to_contain_text("tool-call")


def test_what_runs_grows(inspector: Inspector, server: Server):
    inspector.look(tab="timeline")
    expect(inspector.main).to_contain_text("Nothing has been said")
    inspector.begin(f"count {inspector.session}")
    expect(steps(inspector).nth(1)).to_have_accessible_name(re.compile("not over yet.*3 of 10"))
    (server.gates / inspector.session).touch()
    expect(steps(inspector)).to_have_count(4)
    expect(inspector.page.locator(".readout")).to_contain_text("The turn took")
