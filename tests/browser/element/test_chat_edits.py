"""A message is said otherwise: the chat goes on from before it, in a session of its own."""

from element import Element
from playwright.sync_api import expect
from serving_page import Server


def test_an_edited_message_goes_on_in_a_new_chat_and_the_old_one_is_kept(
    chat: Element, session: str
):
    for text in ("One", "Two", "Three"):
        chat.ask(text)
        chat.ends()
    chat.button("Edit the message").nth(1).click()
    edited = chat.page.get_by_label("Your message, edited")
    expect(edited).to_be_focused()
    expect(edited).to_have_value("Two")
    edited.fill("Zwei")
    edited.press("Enter")
    chat.shows("You said: One", "You said: Zwei")
    expect(chat.said).to_have_text(["One", "Zwei"])
    assert session not in chat.page.url
    expect(chat.input).to_be_focused()
    chat.button("Open the earlier chat").click()
    chat.shows("You said: Three")
    expect(chat.said).to_have_text(["One", "Two", "Three"])
    assert chat.page.url.endswith(f"#{session}")
    chat.page.go_back()
    chat.shows("You said: Zwei")


def test_the_first_message_can_be_edited_too(chat: Element, session: str):
    chat.ask("One")
    chat.ends()
    chat.button("Edit the message").click()
    chat.page.get_by_label("Your message, edited").fill("Eins")
    chat.log.get_by_role("button", name="Send").click()
    chat.shows("You said: Eins")
    expect(chat.said).to_have_text(["Eins"])
    assert session not in chat.page.url


def test_an_edit_can_be_left_and_the_focus_is_where_it_was(chat: Element, session: str):
    chat.ask("One")
    chat.ends()
    chat.button("Edit the message").press("Enter")
    chat.page.get_by_label("Your message, edited").press("Escape")
    assert chat.focused() == "Edit the message"
    expect(chat.said).to_have_text(["One"])
    assert chat.page.url.endswith(f"#{session}")


def test_a_message_can_be_edited_while_it_is_answered(chat: Element, server: Server, session: str):
    chat.ask("One")
    chat.ends()
    chat.ask(f"gate {session}")
    expect(chat.log).to_contain_text("The sec")
    chat.button("Edit the message").nth(1).click()
    chat.page.get_by_label("Your message, edited").fill("Zwei")
    chat.page.get_by_label("Your message, edited").press("Enter")
    chat.shows("You said: One", "You said: Zwei")
    (server.gates / session).touch()
    chat.button("Open the earlier chat").click()
    chat.shows("The first half. The second half.")


def test_a_turn_that_fails_says_why_and_can_be_asked_again(chat: Element):
    chat.ask("fail")
    chat.shows("I try.")
    expect(chat.problem).to_contain_text("model")
    chat.button("Ask again").click()
    expect(chat.problem).to_have_count(2)
    expect(chat.button("Ask again")).to_have_count(1)
    chat.page.reload()
    expect(chat.button("Ask again")).to_have_count(1)
