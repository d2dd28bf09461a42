"""Sessions of whoever has them: found, spoken in, and sent again."""

import re

from inspector_page import Inspector
from playwright.sync_api import expect
from serving_page import Server


def test_anybodys_sessions_are_listed_searched_and_opened(inspector: Inspector):
    inspector.say(f"From Ada, {inspector.session}", user="ada")
    inspector.open(agent="demo")
    inspector.page.get_by_label("Search sessions").fill(f"from ada, {inspector.session}")
    found = inspector.side.get_by_role("list", name="Sessions").get_by_role("link")
    expect(found).to_have_count(1)
    expect(found).to_contain_text("ada · 6 events")
    found.click()
    inspector.is_at(session=inspector.session)
    expect(inspector.person(1)).to_contain_text(f"You said: From Ada, {inspector.session}")
    expect(inspector.main).to_contain_text("of ada")


def test_a_session_that_runs_is_marked(inspector: Inspector, server: Server):
    inspector.look()
    inspector.begin(f"gate {inspector.session}")
    mine = inspector.side.get_by_role("link", name=re.compile("running"))
    expect(mine.and_(inspector.page.locator("[aria-current=page]"))).to_be_visible()
    (server.gates / inspector.session).touch()
    expect(mine.and_(inspector.page.locator("[aria-current=page]"))).to_have_count(0)


def test_a_new_chat_is_held_beside_what_is_seen_of_it(inspector: Inspector):
    inspector.open(agent="demo")
    inspector.button("New chat").first.click()
    expect(inspector.main).to_contain_text("Nothing has been said in this session yet.")
    message = inspector.chat.get_by_label("Message", exact=True)
    message.fill("weather Faro")
    message.press("Enter")
    expect(inspector.chat.get_by_role("log")).to_contain_text("It is a good day for a walk.")
    expect(inspector.person(2)).to_contain_text("It is a good day for a walk.")
    expect(inspector.model(2)).to_contain_text('"city":"Faro"')
    inspector.button("Close the chat").click()
    expect(inspector.chat).to_be_hidden()
    expect(inspector.page.locator("#chat-toggle")).to_be_focused()


def test_a_turn_is_sent_again_otherwise_in_a_session_of_its_own(inspector: Inspector):
    inspector.say("One", "Two")
    inspector.look(turn=2)
    expect(inspector.person(1)).to_contain_text("You said: Two")
    inspector.button("Resend the turn…").click()
    text = inspector.page.get_by_label("Message", exact=True)
    expect(text).to_be_focused()
    expect(text).to_have_value("Two")
    text.fill("Three")
    inspector.button("Send it in a new session").click()
    expect(inspector.person(1)).to_contain_text("You said: Three")
    expect(inspector.page).not_to_have_url(re.compile(f"session={inspector.session}(&|$)"))
    inspector.button("Turn before").click()
    expect(inspector.person(1)).to_contain_text("You said: One")
    inspector.look(turn=2)
    expect(inspector.person(1)).to_contain_text("You said: Two")


def test_resending_is_left_by_escape(inspector: Inspector):
    inspector.say("One")
    inspector.look()
    expect(inspector.person(1)).to_contain_text("You said: One")
    inspector.button("Resend the turn…").click()
    inspector.page.keyboard.press("Escape")
    expect(inspector.button("Resend the turn…")).to_be_focused()
    expect(inspector.page.get_by_label("Message", exact=True)).to_be_hidden()
