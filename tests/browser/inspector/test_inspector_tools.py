"""A tool called by hand."""

import json
import re

from inspector_page import Inspector
from playwright.sync_api import Locator, expect
from serving_page import Server


def data(inspector: Inspector) -> Locator:
    return inspector.result.get_by_role("group", name="Data for the model")


def test_a_form_of_the_schema_makes_the_input(inspector: Inspector):
    inspector.open(agent="demo", tool="plan-trip")
    page = inspector.page
    page.get_by_label("name", exact=True).fill("South")
    page.get_by_label("days", exact=True).fill("3")
    inspector.button("Add an item to stops").click()
    page.get_by_label("city", exact=True).fill("Faro")
    page.get_by_label("nights", exact=True).fill("2")
    page.get_by_label("pace", exact=True).select_option("fast")
    page.get_by_label("alone", exact=True).select_option("true")
    page.get_by_label("Send tags").check()
    page.get_by_label("Kind of tags").select_option("object")
    inspector.button("Add an entry").click()
    page.get_by_label("Name of an entry of tags").fill("sun")
    page.get_by_label("Value of the entry").fill("5")
    inspector.button("Call the tool").click()
    expect(inspector.result).to_contain_text(re.compile(r"Done after \d+"))
    found = json.loads(data(inspector).inner_text())
    assert found["stops"] == [{"city": "Faro", "nights": 2, "then": None}]
    assert (found["name"], found["days"], found["pace"]) == ("South", 3, "fast")
    assert (found["alone"], found["budget"], found["tags"]) == (True, None, {"sun": 5})
    assert (found["way"], found["by"]) == ("rail", None)


def test_a_schema_that_contains_itself_is_unfolded_as_far_as_wanted(inspector: Inspector):
    inspector.open(agent="demo", tool="plan-trip")
    inspector.button("Add an item to stops").click()
    page = inspector.page
    for depth in range(3):
        page.get_by_label("Send then").nth(depth).check()
        page.get_by_label("Kind of then").nth(depth).select_option("Stop")
    expect(page.get_by_label("city", exact=True)).to_have_count(4)


def test_form_and_raw_json_are_the_same_input(inspector: Inspector):
    inspector.open(agent="demo", tool="get-weather")
    page = inspector.page
    page.get_by_label("city", exact=True).fill("Lisbon")
    raw = page.get_by_label("Input as JSON")
    switch = page.get_by_role("switch", name="Raw JSON")
    switch.check()
    expect(raw).to_have_value(re.compile(r'"city": "Lisbon"'))
    raw.fill('{"city": "Po')
    expect(inspector.main).to_contain_text("This is not JSON")
    switch.click()
    expect(raw).to_be_visible()
    raw.fill('{"city": "Porto"}')
    switch.uncheck()
    expect(page.get_by_label("city", exact=True)).to_have_value("Porto")


def test_a_card_is_shown_beside_the_data_that_the_model_reads(inspector: Inspector):
    inspector.open(agent="demo", tool="get-weather")
    inspector.page.get_by_label("city", exact=True).fill("Lisbon")
    inspector.page.keyboard.press("Enter")
    expect(inspector.result.locator("weather-card")).to_contain_text("70 °F")
    assert json.loads(data(inspector).inner_text())["temp_c"] == 21
    expect(inspector.result).to_contain_text("is not in this message")
    inspector.page.reload()
    expect(inspector.page.get_by_label("city", exact=True)).to_have_value("Lisbon")


def test_progress_is_shown_and_a_call_can_be_cancelled(inspector: Inspector, server: Server):
    inspector.open(agent="demo", tool="count-to")
    inspector.page.get_by_label("name", exact=True).fill(inspector.session)
    inspector.button("Call the tool").click()
    expect(inspector.result).to_contain_text("Running: 3 of 10 counting")
    expect(inspector.page.get_by_role("progressbar")).to_have_attribute("value", "3")
    inspector.button("Cancel").click()
    expect(inspector.result).to_contain_text("Cancelled.")
    (server.gates / inspector.session).touch()
    inspector.button("Call the tool").click()
    expect(data(inspector)).to_contain_text('"counted": 10')


def test_what_fails_is_told_in_the_words_that_the_model_reads(inspector: Inspector):
    inspector.open(agent="demo", tool="break-it")
    expect(inspector.main).to_contain_text("It takes no input.")
    inspector.button("Call the tool").click()
    expect(inspector.result).to_contain_text("It is broken. Ask for another one.")
    inspector.open(agent="demo", tool="plan-trip")
    inspector.page.get_by_label("days", exact=True).fill("many")
    inspector.button("Call the tool").click()
    expect(inspector.result).to_contain_text("Failed (invalid-input)")
    expect(inspector.result).to_contain_text("days")


def test_a_call_is_made_in_somebodys_name(inspector: Inspector):
    inspector.open(agent="demo", tool="plan-trip")
    page = inspector.page
    page.get_by_role("switch", name="Raw JSON").check()
    page.get_by_label("Input as JSON").fill('{"name": "a", "days": 1, "stops": []}')
    page.get_by_text("In whose name").click()
    page.get_by_label("Principal").fill("ada")
    inspector.button("Call the tool").click()
    expect(data(inspector)).to_contain_text('"by": "ada"')
