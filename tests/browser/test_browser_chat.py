"""The page that `litro new` writes, in a real browser. What its `<litro-chat>` can do by itself is in `element/`."""

import re

from chat_page import Chat
from playwright.sync_api import BrowserContext, expect
from serving_page import Server

QUESTION = "What is the weather in Lisbon?"


def test_a_question_is_answered_with_a_card_in_place(chat: Chat):
    chat.button(QUESTION).click()
    chat.ends()
    chat.shows(QUESTION, "Let me look.", "It is a good day for a walk.")
    expect(chat.log.locator("summary")).to_contain_text("get-weather")
    card = chat.cards.locator("weather-card")
    assert "Lisbon" in card.evaluate("card => card.shadowRoot.textContent")
    expect(card.get_by_text("70")).to_be_visible()
    above, below = chat.answers.first.bounding_box(), chat.answers.last.bounding_box()
    assert above["y"] < card.bounding_box()["y"] < below["y"]


def test_a_card_s_own_style_applies_under_the_page_s_policy(chat: Chat):
    chat.ask("weather")
    chat.ends()
    padding = "card => getComputedStyle(card.shadowRoot.querySelector('article')).paddingLeft"
    assert chat.cards.locator("weather-card").evaluate(padding) == "16px"


def test_a_card_appears_in_a_browser_without_set_html_unsafe(chat: Chat):
    chat.page.add_init_script("delete Element.prototype.setHTMLUnsafe")
    chat.page.reload()
    chat.ask("weather")
    chat.ends()
    card = chat.cards.locator("weather-card")
    assert "Lisbon" in card.evaluate("card => card.shadowRoot.textContent")


def test_a_reload_in_the_middle_of_a_turn_shows_the_whole_turn_once(
    chat: Chat, server: Server, session: str
):
    chat.ask(f"gate {session}")
    expect(chat.log).to_contain_text("The sec")
    chat.page.reload()
    expect(chat.log).to_contain_text("The first half. The sec")
    expect(chat.stop).to_be_visible()
    (server.gates / session).touch()
    chat.ends()
    expect(chat.answers).to_have_text("The first half. The second half.")
    expect(chat.said).to_have_count(1)


def test_a_page_that_is_closed_in_the_middle_and_opened_again_shows_the_whole_turn(
    chat: Chat, context: BrowserContext, server: Server, session: str
):
    chat.ask(f"gate {session}")
    expect(chat.log).to_contain_text("The sec")
    chat.page.close()
    (server.gates / session).touch()
    again = Chat(context.new_page(), server.url, "")
    again.shows("The first half. The second half.")
    assert again.page.url.endswith(f"#{session}")


def test_stop_ends_the_turn_and_the_conversation_goes_on(chat: Chat):
    chat.ask("endless")
    expect(chat.log).to_contain_text("I begin.")
    chat.stop.click()
    chat.shows("Stopped.")
    expect(chat.input).to_be_focused()
    chat.ask("Hello")
    chat.shows("You said: Hello")


def test_tabs_of_one_session_show_the_same_conversation_in_the_same_order(
    chat: Chat, context: BrowserContext, server: Server, session: str
):
    other = Chat(context.new_page(), server.url, session)
    expect(other.button(QUESTION)).to_be_visible()
    chat.ask(f"gate {session}")
    expect(other.log).to_contain_text("The sec")
    # The page before refused it while a turn ran; now it waits, in sight of both.
    other.ask("And I?")
    expect(chat.outbox).to_contain_text("And I?")
    (server.gates / session).touch()
    other.shows("You said: And I?")
    chat.ask("Two")
    for tab in (chat, other):
        tab.shows("You said: Two")
        expect(tab.said).to_have_text([f"gate {session}", "And I?", "Two"])


def test_a_turn_that_fails_says_why_and_can_be_asked_again(chat: Chat):
    chat.ask("fail")
    chat.shows("I try.")
    expect(chat.problem).to_contain_text("model")
    chat.button("Ask again").click()
    expect(chat.problem).to_have_count(2)
    expect(chat.button("Ask again")).to_have_count(1)


def test_the_chats_are_listed_and_opened(chat: Chat):
    chat.ask("The first one")
    chat.ends()
    chat.button("New chat").click()
    chat.ask("The second one")
    chat.ends()
    chats = chat.page.get_by_role("list", name="Chats")
    chats.get_by_role("button", name=re.compile("^The first one")).click()
    chat.shows("You said: The first one")


def test_without_javascript_the_page_says_what_is_missing(context: BrowserContext, server: Server):
    browser = context.browser
    assert browser is not None
    page = browser.new_page(java_script_enabled=False)
    page.goto(server.url)
    expect(page.locator("noscript p")).to_be_visible()
    expect(page.locator("button")).to_be_hidden()
    page.close()
