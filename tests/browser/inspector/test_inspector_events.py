"""The log as it grows."""

import re

from inspector_page import Inspector
from playwright.sync_api import expect
from serving_page import Server


def test_the_log_is_followed_as_it_grows(inspector: Inspector, server: Server):
    inspector.say("many 200")
    inspector.look(tab="events")
    rows = inspector.events.get_by_role("option")
    expect(rows.last).to_contain_text("turn-end")
    inspector.begin(f"gate {inspector.session}")
    expect(rows.last).to_contain_text("The first half. The sec")
    expect(rows.last).to_be_in_viewport()
    (server.gates / inspector.session).touch()
    expect(rows.last).to_contain_text("completed")


def test_only_what_is_seen_of_a_long_log_is_in_the_page(inspector: Inspector):
    inspector.say("many 3000")
    inspector.look(tab="events")
    expect(inspector.main).to_contain_text("3,005 events")
    rows = inspector.events.get_by_role("option")
    expect(rows.last).to_contain_text("turn-end")
    assert rows.count() < 100
    inspector.events.focus()
    inspector.page.keyboard.press("Home")
    expect(rows.first).to_contain_text("turn-start")
    assert rows.count() < 100
    expect(inspector.page.get_by_label("Follow")).not_to_be_checked()


def test_events_are_filtered_by_kind_and_by_text(inspector: Inspector):
    inspector.say("weather Lisbon", "many 20")
    inspector.look(tab="events")
    kinds = inspector.page.get_by_role("group", name="Kinds of events")
    deltas = kinds.get_by_role("button", name=re.compile("^text-delta"))
    expect(deltas).to_have_attribute("aria-pressed", "true")
    deltas.click()
    expect(inspector.events.get_by_text("text-delta", exact=True)).to_have_count(0)
    deltas.click()
    inspector.page.get_by_label("Filter by text").fill("PIECE 7 ")
    expect(inspector.events.get_by_role("option")).to_have_count(2)
    expect(inspector.main).to_contain_text("2 of 39 events")


def test_an_event_is_chosen_by_keyboard_and_the_address_is_its_link(inspector: Inspector):
    inspector.say("weather Lisbon")
    inspector.look(tab="events")
    expect(inspector.events.get_by_role("option").last).to_contain_text("turn-end")
    inspector.events.focus()
    inspector.page.keyboard.press("Home")
    inspector.page.keyboard.press("ArrowDown")
    expect(inspector.event).to_contain_text("#2 message")
    expect(inspector.event).to_contain_text('"text": "weather Lisbon"')
    inspector.is_at(seq=2)
    inspector.look(seq=5)
    expect(inspector.event).to_contain_text("#5")
    chosen = inspector.events.get_by_role("option", selected=True)
    expect(chosen).to_have_count(1)
    expect(inspector.events).to_have_attribute("aria-activedescendant", "event-5")
    inspector.event.get_by_role("link", name="turn 1").click()
    expect(inspector.person(1)).to_be_visible()
