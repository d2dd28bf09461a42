"""What is said through `<litro-chat>` while an answer is written."""

from element import Element
from playwright.sync_api import BrowserContext, expect
from serving_page import Server


def test_what_is_said_meanwhile_waits_in_sight_and_is_answered_in_order(
    chat: Element, server: Server, session: str
):
    chat.ask(f"gate {session}")
    expect(chat.log).to_contain_text("The sec")
    chat.ask("One")
    chat.ask("Two")
    expect(chat.outbox.get_by_role("listitem")).to_have_count(2)
    expect(chat.outbox.get_by_text("Waits for the answer before it")).to_have_count(2)
    expect(chat.said).to_have_count(1)
    (server.gates / session).touch()
    chat.shows("You said: One", "You said: Two")
    expect(chat.said).to_have_text([f"gate {session}", "One", "Two"])
    chat.ends()


def test_what_waits_can_be_withdrawn(chat: Element, server: Server, session: str):
    chat.ask(f"gate {session}")
    chat.ask("One")
    chat.ask("Two")
    expect(chat.outbox.get_by_role("listitem")).to_have_count(2)
    chat.button("Withdraw").first.press("Enter")
    expect(chat.outbox.get_by_role("listitem")).to_have_count(1)
    expect(chat.input).to_be_focused()
    (server.gates / session).touch()
    chat.shows("You said: Two")
    chat.ends()
    expect(chat.said).to_have_text([f"gate {session}", "Two"])


def test_what_waits_is_there_after_a_reload(chat: Element, server: Server, session: str):
    chat.ask(f"gate {session}")
    chat.ask("One")
    expect(chat.button("Withdraw")).to_be_visible()
    chat.page.reload()
    expect(chat.button("Withdraw")).to_be_visible()
    (server.gates / session).touch()
    chat.shows("You said: One")


def test_where_the_element_says_so_a_message_joins_the_answer(
    context: BrowserContext, server: Server, session: str
):
    chat = Element(context.new_page(), server.url, session, on_busy="steer")
    chat.ask(f"count {session}")
    expect(chat.log).to_contain_text("3 of 10")
    chat.ask("Stay at home")
    expect(chat.outbox).to_contain_text("Joins the answer at its next step")
    (server.gates / session).touch()
    chat.shows("You said: Stay at home")
    chat.ends()
    expect(chat.log.locator("section")).to_have_count(1)


def test_where_the_element_says_so_nothing_can_be_sent_meanwhile(
    context: BrowserContext, server: Server, session: str
):
    chat = Element(context.new_page(), server.url, session, on_busy="reject")
    chat.ask(f"gate {session}")
    expect(chat.log).to_contain_text("The sec")
    chat.ask("One")
    expect(chat.button("Send")).to_be_disabled()
    expect(chat.input).to_have_value("One")
    (server.gates / session).touch()
    chat.ends()
    chat.button("Send").click()
    chat.shows("You said: One")
