"""What goes wrong on the way is told in words by `<litro-chat>`, with a way on."""

from pathlib import Path

from element import Element
from element_page import make_element_project
from playwright.sync_api import BrowserContext, expect
from serving_page import Server


def test_a_refusal_is_told_in_the_server_s_words_and_can_be_sent_again(
    chat: Element, context: BrowserContext, server: Server
):
    expect(chat.button("think")).to_be_visible()
    context.add_cookies([{"name": "refused", "value": "1", "url": server.url}])
    chat.ask("Hello")
    expect(chat.outbox).to_contain_text("Your trial has ended. Ask Ada for access.")
    context.clear_cookies()
    chat.button("Send again").click()
    chat.shows("You said: Hello")
    chat.ends()
    expect(chat.input).to_be_focused()


def test_what_was_not_sent_can_be_written_anew(
    chat: Element, context: BrowserContext, server: Server
):
    expect(chat.button("think")).to_be_visible()
    context.add_cookies([{"name": "refused", "value": "1", "url": server.url}])
    chat.ask("Hello")
    chat.outbox.get_by_role("button", name="Edit the message").click()
    expect(chat.input).to_have_value("Hello")
    expect(chat.input).to_be_focused()
    expect(chat.outbox).to_be_empty()


def test_a_chat_that_cannot_be_opened_says_why(
    chat: Element, context: BrowserContext, server: Server
):
    chat.ask("Hello")
    chat.ends()
    context.add_cookies([{"name": "refused", "value": "1", "url": server.url}])
    chat.page.reload()
    expect(chat.problem).to_contain_text("Your trial has ended.")
    context.clear_cookies()
    chat.button("Try again").click()
    chat.shows("You said: Hello")
    expect(chat.problem).to_have_count(0)


def test_an_agent_that_is_not_there_is_told(context: BrowserContext, server: Server, session: str):
    chat = Element(context.new_page(), server.url, session, agent="nobody")
    expect(chat.problem).to_contain_text("nobody")


def test_whoever_was_offline_goes_on_by_themselves(
    chat: Element, context: BrowserContext, server: Server, session: str
):
    chat.ask("Hello")
    chat.ends()
    context.set_offline(True)
    expect(chat.status).to_contain_text("You are offline.")
    chat.ask("Are you there?")
    expect(chat.outbox).to_contain_text("Sending…")
    context.set_offline(False)
    chat.shows("You said: Are you there?")
    chat.ends()
    expect(chat.status).to_have_text("")


def test_a_server_that_is_killed_in_the_middle_comes_back_and_the_chat_goes_on(
    context: BrowserContext, tmp_path: Path, session: str
):
    project = make_element_project(tmp_path / "my-app")
    server = Server(project)
    chat = Element(context.new_page(), server.url, session)
    chat.ask(f"gate {session}")
    expect(chat.log).to_contain_text("The sec")
    server.stop(kill=True)
    expect(chat.status).to_have_text("The connection broke. Trying again…")
    server = Server(project, server.port)
    expect(chat.problem).to_contain_text("The server went away in the middle of the answer.")
    (server.gates / session).touch()
    chat.button("Ask again").click()
    chat.shows("The first half. The second half.")
    server.stop()


def test_the_page_hears_of_a_refusal(chat: Element, context: BrowserContext, server: Server):
    expect(chat.button("think")).to_be_visible()
    chat.page.evaluate(
        "document.addEventListener('litro-error', ({ detail }) => (window.heard = [detail.type, detail.status]))"
    )
    context.add_cookies([{"name": "refused", "value": "1", "url": server.url}])
    chat.ask("Hello")
    expect(chat.outbox).to_contain_text("Not sent.")
    assert chat.page.evaluate("heard") == ["refused", 403]
