"""axe-core finds nothing on our pages, at any moment. The list of sessions and Markdown are in `element/`, the inspector in `inspector/`."""

from collections.abc import Callable
from typing import Literal

import pytest
from axe_report import violations
from chat_page import Chat
from playwright.sync_api import expect
from serving_page import Server
from test_browser_chat import QUESTION

Scheme = Literal["light", "dark"]
Shoot = Callable[[Chat, str], None]

MARKDOWN = "# One\n\n* two, with `code` and a [link](https://example.org)\n\n```python\nprint(3)\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
SIZES = {"desktop": (1280, 800), "phone": (360, 640)}


@pytest.fixture(params=["light-desktop", "dark-phone"])
def looked_at(request: pytest.FixtureRequest, chat: Chat) -> Chat:
    """The chat in this light, in a window of this size, under its name."""
    scheme, _, size = request.param.partition("-")
    width, height = SIZES[size]
    chat.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    chat.page.set_viewport_size({"width": width, "height": height})
    chat.page.reload()
    chat.name = request.param
    return chat


def test_the_chat_page_has_no_violation_at_any_moment(
    looked_at: Chat, server: Server, session: str, screenshot: Shoot
):
    chat, page = looked_at, looked_at.page
    found: list[str] = []

    def look(moment: str) -> None:
        found.extend(violations(page, moment))
        screenshot(chat, f"{chat.name}-{moment}")

    expect(chat.button(QUESTION)).to_be_visible()
    look("1-empty")
    chat.button(QUESTION).click()
    chat.ends()
    chat.log.locator("summary").click()
    look("2-call-open")
    chat.ask(MARKDOWN)
    expect(chat.answers.last.locator("table")).to_be_visible()
    chat.ends()
    look("3-markdown")
    chat.ask("fail")
    expect(chat.problem).to_be_visible()
    look("4-error")
    chat.button("Edit the message").last.click()
    look("5-edit")
    page.keyboard.press("Escape")
    chat.ask(f"gate {session}")
    expect(chat.log).to_contain_text("The sec")
    chat.ask("And then?")
    expect(chat.outbox).to_contain_text("And then?")
    look("6-running-and-queued")
    (server.gates / session).touch()
    chat.ends()
    opener = chat.button("Chats")
    if opener.get_attribute("aria-expanded") == "false":
        opener.click()
        expect(page.get_by_label("Search chats")).to_be_visible()
        look("7-sessions")
    assert found == []


def test_what_was_not_sent_and_a_chat_that_is_gone_have_no_violation(
    looked_at: Chat, server: Server, screenshot: Shoot
):
    chat, page = looked_at, looked_at.page
    expect(chat.button(QUESTION)).to_be_visible()
    page.context.add_cookies([{"name": "refused", "value": "1", "url": server.url}])
    chat.ask("Hello")
    expect(chat.outbox).to_contain_text("Not sent.")
    found = violations(page, "unsent")
    screenshot(chat, f"{chat.name}-8-unsent")
    page.context.clear_cookies()
    chat.button("Send again").click()
    chat.ends()
    page.context.add_cookies([{"name": "user", "value": "bob", "url": server.url}])
    page.reload()
    expect(chat.problem).to_contain_text("not there any more")
    found += violations(page, "gone")
    screenshot(chat, f"{chat.name}-9-gone")
    assert found == []


def test_right_to_left_has_no_violation(chat: Chat, screenshot: Shoot):
    chat.page.evaluate("document.documentElement.dir = 'rtl'")
    chat.ask("مرحبا، ما حال الطقس؟")
    chat.ends()
    chat.ask("weather")
    chat.ends()
    assert violations(chat.page) == []
    screenshot(chat, "rtl")


def test_at_400_percent_there_is_no_violation(chat: Chat, screenshot: Shoot):
    chat.page.set_viewport_size({"width": 320, "height": 200})
    chat.page.reload()
    chat.ask("weather")
    chat.ends()
    assert violations(chat.page) == []
    screenshot(chat, "zoom-400")
