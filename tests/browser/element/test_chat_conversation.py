"""A person talks to an agent through `<litro-chat>`."""

from element import Element
from playwright.sync_api import expect
from serving_page import Server


def test_a_question_is_answered_with_a_card_in_place(chat: Element):
    chat.ask("What is the weather in Lisbon?")
    chat.ends()
    chat.shows("What is the weather in Lisbon?", "Let me look.", "It is a good day for a walk.")
    card = chat.page.locator("litro-chat weather-card")
    assert "Lisbon" in card.evaluate("card => card.shadowRoot.textContent")
    above, below = chat.answers.nth(0).bounding_box(), chat.answers.nth(1).bounding_box()
    assert above["y"] < card.bounding_box()["y"] < below["y"]


def test_a_suggestion_is_sent_with_one_click(chat: Element):
    chat.button("think").click()
    chat.shows("I have thought.")
    expect(chat.input).to_be_focused()
    expect(chat.button("think")).to_be_hidden()


def test_a_reload_in_the_middle_of_a_turn_shows_the_whole_turn_once(
    chat: Element, server: Server, session: str
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


def test_stop_ends_the_turn_and_it_can_be_asked_again(chat: Element, server: Server, session: str):
    chat.ask(f"gate {session}")
    expect(chat.log).to_contain_text("The sec")
    chat.stop.click()
    chat.shows("Stopped.")
    expect(chat.input).to_be_focused()
    (server.gates / session).touch()
    chat.button("Ask again").click()
    chat.shows("The first half. The second half.")
    expect(chat.button("Ask again")).to_have_count(0)
    expect(chat.input).to_be_focused()


def test_a_link_of_an_answer_opens_no_other_chat_and_turns_stand_close(chat: Element, session: str):
    chat.ask("[another chat](#another)")
    chat.ends()
    expect(chat.answers).to_have_text("You said: another chat")
    expect(chat.log.get_by_role("link")).to_have_count(0)
    chat.ask("Hello")
    chat.ends()
    above, below = chat.answers.first.bounding_box(), chat.said.last.bounding_box()
    assert 24 < below["y"] - above["y"] - above["height"] < 50
