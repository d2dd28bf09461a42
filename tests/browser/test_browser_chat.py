"""A person talks to an agent in a real browser."""

from pathlib import Path

from chat_page import Chat
from playwright.sync_api import BrowserContext, expect
from serving_page import Server, make_project


def test_a_question_is_answered_with_a_card_in_place(chat: Chat):
    chat.ask("What is the weather in Lisbon?")
    chat.ends()
    chat.shows("What is the weather in Lisbon?", "Let me look.", "It is a good day for a walk.")
    expect(chat.log.locator(".tool")).to_have_text("get-weather is done")
    card = chat.log.locator("weather-card")
    assert "Lisbon" in card.evaluate("card => card.shadowRoot.textContent")
    expect(card.get_by_text("70")).to_be_visible()
    order = chat.log.evaluate("log => Array.from(log.children, child => child.className)")
    assert order == ["said you", "said agent", "tool", "card", "said agent"]


def test_a_card_s_own_style_applies_under_the_page_s_policy(chat: Chat):
    chat.ask("weather")
    chat.ends()
    padding = "card => getComputedStyle(card.shadowRoot.querySelector('article')).paddingLeft"
    assert chat.log.locator("weather-card").evaluate(padding) == "16px"


def test_a_card_appears_in_a_browser_without_set_html_unsafe(chat: Chat):
    chat.page.add_init_script("delete Element.prototype.setHTMLUnsafe")
    chat.page.reload()
    chat.ask("weather")
    chat.ends()
    assert "Lisbon" in chat.log.locator("weather-card").evaluate(
        "card => card.shadowRoot.textContent"
    )


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
    expect(chat.log.locator(".agent")).to_have_text("Agent: The first half. The second half.")
    expect(chat.log.locator(".you")).to_have_count(1)


def test_a_page_that_is_closed_in_the_middle_and_opened_again_shows_the_whole_turn(
    chat: Chat, context: BrowserContext, server: Server, session: str
):
    chat.ask(f"gate {session}")
    expect(chat.log).to_contain_text("The sec")
    chat.page.close()
    (server.gates / session).touch()
    again = Chat(context.new_page(), server.url, "")
    again.shows("The first half.", "The second half.")
    assert again.page.url.endswith(f"#{session}")


def test_stop_ends_the_turn_and_the_conversation_goes_on(chat: Chat):
    chat.ask("endless")
    expect(chat.log).to_contain_text("I begin.")
    chat.stop.click()
    chat.shows("Stopped.")
    expect(chat.input).to_be_focused()
    chat.ask("Hello")
    chat.shows("You said: Hello")


def test_two_tabs_of_one_session_show_the_same_conversation_in_the_same_order(
    chat: Chat, context: BrowserContext, server: Server, session: str
):
    chat.ask(f"gate {session}")
    other = Chat(context.new_page(), server.url, session)
    expect(other.log).to_contain_text("The sec")
    (server.gates / session).touch()
    chat.ends()
    other.ends()
    chat.ask("One")
    chat.shows("You said: One")
    other.ask("Two")
    other.shows("You said: One", "You said: Two")
    said = other.log.locator(".you").all_text_contents()
    assert said == [f"You: gate {session}", "You: One", "You: Two"]


def test_a_tab_that_speaks_while_another_s_turn_runs_loses_nothing(
    chat: Chat, context: BrowserContext, server: Server, session: str
):
    other = Chat(context.new_page(), server.url, session)
    expect(other.button("What is the weather")).to_be_visible()
    chat.ask(f"gate {session}")
    expect(chat.log).to_contain_text("The sec")
    other.ask("And I?")
    expect(other.log.locator(".problem")).to_be_visible()
    expect(other.log).to_contain_text("The sec")
    (server.gates / session).touch()
    other.ends()
    expect(other.input).to_have_value("And I?")
    other.button("Send").click()
    other.shows("You said: And I?")


def test_a_refusal_is_told_in_the_server_s_words_and_can_be_sent_again(
    chat: Chat, context: BrowserContext, server: Server
):
    context.add_cookies([{"name": "refused", "value": "1", "url": server.url}])
    chat.ask("Hello")
    chat.shows("Your trial has ended. Ask Ada for access.")
    expect(chat.input).to_have_value("Hello")
    context.clear_cookies()
    chat.button("Send again").click()
    chat.shows("You said: Hello")
    expect(chat.input).to_have_value("")
    expect(chat.button("Send again")).to_have_count(0)


def test_a_turn_that_fails_says_why_and_can_be_asked_again(chat: Chat):
    chat.ask("fail")
    chat.shows("I try.")
    expect(chat.log.locator(".problem")).to_contain_text("model")
    chat.button("Ask again").click()
    expect(chat.log.locator(".problem")).to_have_count(2)
    expect(chat.button("Ask again")).to_have_count(1)


def test_a_server_that_is_killed_in_the_middle_comes_back_and_the_page_goes_on(
    context: BrowserContext, tmp_path: Path, session: str
):
    project = make_project(tmp_path / "my-app")
    server = Server(project)
    page = Chat(context.new_page(), server.url, session)
    page.ask("endless")
    expect(page.log).to_contain_text("I begin.")
    server.stop(kill=True)
    expect(page.page.get_by_role("status")).to_have_text("The connection broke. Trying again…")
    server = Server(project, server.port)
    page.ends()
    page.ask("Hello")
    page.shows("You said: Hello")
    server.stop()


def test_a_new_chat_is_another_session_and_the_old_one_is_a_step_back(chat: Chat, session: str):
    chat.ask("Hello")
    chat.shows("You said: Hello")
    chat.button("New chat").click()
    expect(chat.log).to_be_empty()
    chat.button("What is the weather in Lisbon?").click()
    chat.shows("It is a good day for a walk.")
    chat.page.go_back()
    chat.shows("You said: Hello")
    expect(chat.log.locator("weather-card")).to_have_count(0)


def test_a_session_that_is_gone_is_told_and_a_new_chat_is_a_click_away(
    chat: Chat, context: BrowserContext, server: Server, session: str
):
    chat.ask("Hello")
    chat.shows("You said: Hello")
    context.add_cookies([{"name": "user", "value": "bob", "url": server.url}])
    chat.page.reload()
    chat.button("Start a new chat").click()
    expect(chat.button("What is the weather in Lisbon?")).to_be_visible()
    assert session not in chat.page.url
    chat.ask("Hello")
    chat.shows("You said: Hello")
