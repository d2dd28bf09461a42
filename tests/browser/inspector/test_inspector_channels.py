"""The two channels side by side."""

import re

from inspector_page import Inspector
from playwright.sync_api import expect
from serving_page import Server


def test_the_person_saw_the_card_and_the_model_its_data(inspector: Inspector):
    inspector.say("weather Lisbon")
    inspector.look()
    expect(inspector.person(1)).to_contain_text("weather Lisbon")
    expect(inspector.person(1).locator("weather-card")).to_contain_text("70 °F")
    expect(inspector.model(2)).to_contain_text('"temp_c":21')
    expect(inspector.model(2)).to_contain_text("is not in this message")
    expect(inspector.model(2)).not_to_contain_text("°F")
    expect(inspector.person(2)).to_contain_text("It is a good day for a walk.")
    expect(inspector.main).to_contain_text("The turn was completed")


def test_a_tool_that_leaks_its_card_to_the_model_is_found_out(inspector: Inspector):
    inspector.say("leak")
    inspector.look()
    expect(inspector.person(1)).to_contain_text('The card of "Ada" & others')
    expect(inspector.model(2)).to_contain_text("The card's HTML is in this message")
    expect(inspector.model(2)).not_to_contain_text("is not in this message")


def test_only_what_is_new_to_the_model_stands_open(inspector: Inspector):
    inspector.say("Hello", "weather Porto")
    inspector.look()
    expect(inspector.model(1).get_by_text("new", exact=True)).to_have_count(2)
    expect(inspector.model(1).get_by_text("Hello", exact=True)).to_be_hidden()
    earlier = inspector.fold(inspector.model(1), "1 earlier message")
    expect(earlier.get_by_text("Hello", exact=True)).to_be_visible()
    expect(inspector.fold(inspector.model(1), "Instructions")).to_contain_text("about the weather")
    tools = inspector.fold(inspector.model(1), "5 tools")
    expect(tools).to_contain_text("Get the current weather for a city.")
    expect(inspector.model(1)).to_contain_text(re.compile(r"recorded\s*sent at \d\d:\d\d"))


def test_the_providers_own_request_and_what_it_cost_are_told(inspector: Inspector):
    inspector.say("weather Lisbon")
    inspector.look()
    expect(inspector.fold(inspector.model(2), "As posted to told")).to_contain_text(
        '"model": "script-1"'
    )
    second = inspector.page.get_by_role("region", name="Round 2")
    expect(second).to_contain_text("told script-1")
    expect(second).to_contain_text("1,003 tokens in (512 cached), 20 out")
    expect(inspector.main).to_contain_text("2,004 tokens in (1,024 cached), 40 out")


def test_instructions_that_changed_are_marked_and_their_lines_told(inspector: Inspector):
    inspector.say("One", "Two", agent="clock")
    inspector.open(agent="clock", session=inspector.session)
    expect(inspector.model(1).get_by_text("changed", exact=True)).to_be_visible()
    lines = inspector.fold(inspector.model(1), "Instructions").locator(".line")
    expect(lines).to_have_count(4)
    expect(lines.nth(1)).to_contain_text("Gone: You were asked")
    expect(lines.nth(2)).to_contain_text("New: You were asked")
    inspector.open(agent="clock", session=inspector.session, turn=1)
    expect(inspector.model(1)).to_contain_text("Instructions")
    expect(inspector.model(1).get_by_text("changed", exact=True)).to_have_count(0)


def test_pointing_at_a_card_lights_up_its_data(inspector: Inspector):
    inspector.say("weather Lisbon")
    inspector.look()
    lit = inspector.model(2).locator(".lit")
    expect(inspector.model(2)).to_contain_text("temp_c")
    expect(lit).to_have_count(0)
    inspector.person(1).locator("weather-card").hover()
    expect(lit).to_have_count(2)


def test_a_turn_is_shown_as_it_goes(inspector: Inspector, server: Server):
    inspector.say("Hello")
    inspector.look()
    expect(inspector.person(1)).to_contain_text("You said: Hello")
    inspector.begin(f"gate {inspector.session}")
    expect(inspector.person(1)).to_contain_text("The first half. The sec")
    expect(inspector.model(1)).to_contain_text(f"gate {inspector.session}")
    expect(inspector.main.get_by_text("running", exact=True)).to_be_visible()
    (server.gates / inspector.session).touch()
    expect(inspector.person(1)).to_contain_text("The second half.")
    expect(inspector.main).to_contain_text("The turn was completed")


def test_why_a_turn_failed_is_told(inspector: Inspector):
    inspector.say("fail")
    inspector.look()
    expect(inspector.person(1)).to_contain_text("The model's server is overloaded.")
    expect(inspector.main).to_contain_text("The turn was failed")


def test_turns_are_stepped_through_and_the_address_has_which(inspector: Inspector):
    inspector.say("One", "Two", "Three")
    inspector.look()
    expect(inspector.person(1)).to_contain_text("You said: Three")
    inspector.button("Turn before").click()
    expect(inspector.person(1)).to_contain_text("You said: Two")
    inspector.is_at(turn=2)
    inspector.page.reload()
    expect(inspector.person(1)).to_contain_text("You said: Two")
    inspector.page.get_by_label("Turn", exact=True).select_option("1")
    expect(inspector.person(1)).to_contain_text("You said: One")
    expect(inspector.button("Turn before")).to_be_disabled()
    inspector.page.go_back()
    expect(inspector.person(1)).to_contain_text("You said: Two")


def test_hostile_text_is_text_in_both_channels(inspector: Inspector):
    hostile = "<img src=/x onerror=alert(1)> ![x](/y) [a](javascript:alert(1))"
    inspector.say(hostile)
    inspector.look()
    expect(inspector.model(1)).to_contain_text("onerror=alert(1)")
    expect(inspector.person(1)).to_contain_text("onerror=alert(1)")
    expect(inspector.page.locator("main img")).to_have_count(0)
    expect(inspector.page.locator("main a[href^=javascript]")).to_have_count(0)
