"""Which session `<litro-chat>` shows, and several tabs of one."""

from element import Element
from playwright.sync_api import Browser, BrowserContext, expect
from serving_page import Server


def test_a_new_chat_is_another_session_and_the_old_one_is_a_step_back(chat: Element):
    chat.ask("Hello")
    chat.shows("You said: Hello")
    chat.button("New chat").click()
    expect(chat.log).to_be_empty()
    expect(chat.input).to_be_focused()
    chat.button("What is the weather in Lisbon?").click()
    chat.shows("It is a good day for a walk.")
    chat.page.go_back()
    chat.shows("You said: Hello")
    expect(chat.page.locator("weather-card")).to_have_count(0)


def test_the_chat_of_this_browser_is_there_again(
    chat: Element, context: BrowserContext, server: Server, session: str
):
    chat.ask("Hello")
    chat.shows("You said: Hello")
    chat.page.close()
    again = Element(context.new_page(), server.url, "")
    again.shows("You said: Hello")
    assert again.page.url.endswith(f"#{session}")


def test_a_session_that_the_page_names_is_the_one(
    chat: Element, context: BrowserContext, server: Server, session: str
):
    chat.ask("Hello")
    chat.shows("You said: Hello")
    named = Element(context.new_page(), server.url, "another", session=session)
    named.shows("You said: Hello")
    named.button("New chat").click()
    expect(named.log).to_be_empty()
    named.page.locator("litro-chat").evaluate(
        "(chat, id) => chat.setAttribute('session', id)", session
    )
    named.shows("You said: Hello")


def test_a_session_that_is_gone_is_told_and_a_new_chat_is_a_click_away(
    chat: Element, context: BrowserContext, server: Server, session: str
):
    chat.ask("Hello")
    chat.shows("You said: Hello")
    context.add_cookies([{"name": "user", "value": "bob", "url": server.url}])
    chat.page.reload()
    expect(chat.problem).to_contain_text("This chat is not there any more.")
    chat.button("Start a new chat").click()
    expect(chat.button("What is the weather in Lisbon?")).to_be_visible()
    assert session not in chat.page.url
    chat.ask("Hello")
    chat.shows("You said: Hello")


def test_a_session_that_was_deleted_meanwhile_is_told(chat: Element, session: str):
    chat.ask("Hello")
    chat.ends()
    chat.page.evaluate(
        "id => fetch(`/__litro/agent/demo/${id}`, {method: 'DELETE', headers: {'x-litro-agent': '1'}})",
        session,
    )
    chat.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(chat.problem).to_contain_text("This chat is not there any more.")
    chat.button("Start a new chat").click()
    chat.ask("Hello")
    chat.shows("You said: Hello")


def test_two_tabs_show_the_same_at_once(
    chat: Element, context: BrowserContext, server: Server, session: str
):
    other = Element(context.new_page(), server.url, session)
    expect(other.button("think")).to_be_visible()
    chat.ask(f"gate {session}")
    expect(other.log).to_contain_text("The sec")
    other.ask("And I?")
    expect(chat.outbox).to_contain_text("And I?")
    (server.gates / session).touch()
    for tab in (chat, other):
        tab.shows("The second half.", "You said: And I?")
        expect(tab.said).to_have_text([f"gate {session}", "And I?"])
        tab.ends()


def test_a_card_in_both_tabs_is_shown_once_in_each(
    chat: Element, context: BrowserContext, server: Server, session: str
):
    other = Element(context.new_page(), server.url, session)
    chat.ask("weather")
    for tab in (chat, other):
        tab.shows("It is a good day for a walk.")
        expect(tab.page.locator("weather-card")).to_have_count(1)


def test_what_another_device_has_said_is_there_when_somebody_comes_back_to_the_tab(
    chat: Element, browser: Browser, server: Server, session: str
):
    chat.ask("Hello")
    chat.ends()
    with browser.new_context() as phone:
        other = Element(phone.new_page(), server.url, session)
        other.shows("You said: Hello")
        other.ask("From the phone")
        other.ends()
    chat.page.evaluate("dispatchEvent(new Event('focus'))")
    chat.shows("You said: From the phone")


def test_what_is_being_written_is_there_after_a_reload_and_belongs_to_its_chat(chat: Element):
    chat.input.fill("Half a ques")
    chat.page.reload()
    expect(chat.input).to_have_value("Half a ques")
    chat.button("New chat").click()
    expect(chat.input).to_have_value("")
    chat.page.go_back()
    expect(chat.input).to_have_value("Half a ques")
    chat.ask("Hello")
    chat.ends()
    chat.page.reload()
    chat.shows("You said: Hello")
    expect(chat.input).to_have_value("")
