"""The page for everybody: by keyboard, to a screen reader, in the dark, on a phone."""

from collections.abc import Callable
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from chat_page import Chat
from playwright.sync_api import expect
from serving_page import Server

PHONE = {"width": 360, "height": 640}


def violations(chat: Chat) -> list[str]:
    results = Axe().run(chat.page).response
    return [f"{found['id']}: {found['nodes'][0]['html']}" for found in results["violations"]]


def test_everything_can_be_done_by_keyboard_alone(chat: Chat):
    keys = chat.page.keyboard
    expect(chat.input).to_be_focused()
    expect(chat.button("What is the weather")).to_be_visible()
    keys.press("Shift+Tab")
    expect(chat.button("What is the weather")).to_be_focused()
    keys.press("Enter")
    chat.shows("It is a good day for a walk.")
    expect(chat.input).to_be_focused()
    keys.type("endless")
    keys.press("Enter")
    expect(chat.log).to_contain_text("I begin.")
    keys.press("Tab")
    keys.press("Tab")
    expect(chat.stop).to_be_focused()
    keys.press("Enter")
    chat.shows("Stopped.")
    expect(chat.input).to_be_focused()
    keys.type("One")
    keys.press("Shift+Enter")
    keys.type("two")
    keys.press("Enter")
    expect(chat.log.locator(".you").last).to_have_text("You: One\ntwo")


def test_the_focus_is_visible(chat: Chat):
    chat.page.keyboard.press("Tab")
    style = chat.page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert style == "solid"


def test_a_screen_reader_hears_sentences_and_not_what_is_still_being_written(
    chat: Chat, server: Server, session: str
):
    expect(chat.log).to_have_attribute("role", "log")
    chat.ask(f"gate {session}")
    expect(chat.log).to_contain_text("The sec")
    assert chat.log.locator("[aria-hidden=true]").all_inner_texts() == ["The sec"]
    assert chat.log.get_attribute("aria-live") == "polite"
    (server.gates / session).touch()
    chat.ends()
    expect(chat.log.locator("[aria-hidden=true]")).to_have_count(0)
    spoken = chat.log.locator(".agent span:not(.heard)").all_inner_texts()
    assert spoken == ["The first half. ", "The second half."]


def test_what_was_said_before_is_not_read_out_on_a_reload(chat: Chat):
    chat.ask("Hello")
    chat.shows("You said: Hello")
    chat.page.add_init_script(
        "addEventListener('DOMContentLoaded', () => new MutationObserver((changes, observer) => {"
        "window.live = document.getElementById('chat-log').ariaLive; observer.disconnect();"
        "}).observe(document.getElementById('chat-log'), {childList: true}))"
    )
    chat.page.reload()
    chat.shows("You said: Hello")
    assert chat.page.evaluate("window.live") == "off"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", ["desktop", "phone"])
def test_axe_finds_no_violation_at_any_moment(
    chat: Chat,
    server: Server,
    session: str,
    scheme: Literal["light", "dark"],
    width: str,
    screenshot: Callable[[Chat, str], None],
):
    chat.page.emulate_media(color_scheme=scheme)
    if width == "phone":
        chat.page.set_viewport_size(PHONE)
    expect(chat.button("What is the weather")).to_be_visible()
    found = violations(chat)
    screenshot(chat, f"{scheme}-{width}-1-empty")
    chat.ask("What is the weather in Lisbon?")
    chat.ends()
    chat.ask("fail")
    chat.ends()
    found += violations(chat)
    screenshot(chat, f"{scheme}-{width}-2-answered")
    chat.ask(f"gate {session}")
    expect(chat.log).to_contain_text("The sec")
    found += violations(chat)
    screenshot(chat, f"{scheme}-{width}-3-running")
    (server.gates / session).touch()
    chat.ends()
    assert found == []


def test_a_phone_scrolls_in_one_direction_only(chat: Chat):
    chat.page.set_viewport_size({"width": 320, "height": 640})
    chat.ask("W" * 400)
    chat.ends()
    assert chat.page.evaluate("document.documentElement.scrollWidth") == 320


def test_nothing_moves_where_the_person_asked_for_stillness(
    chat: Chat, server: Server, session: str
):
    chat.page.emulate_media(reduced_motion="reduce")
    chat.ask(f"gate {session}")
    expect(chat.log).to_contain_text("The sec")
    assert chat.page.evaluate("document.getAnimations().length") == 0
    (server.gates / session).touch()
