"""The page for everybody: by keyboard, on a phone. What its `<litro-chat>` does for itself is in `element/test_chat_access.py`."""

from chat_page import Chat
from playwright.sync_api import expect
from test_browser_chat import QUESTION


def test_the_page_is_used_by_keyboard_from_the_first_key_on(chat: Chat):
    keys = chat.page.keyboard
    expect(chat.input).to_be_focused()
    expect(chat.button(QUESTION)).to_be_visible()
    keys.press("Shift+Tab")
    keys.press("Shift+Tab")
    expect(chat.button(QUESTION)).to_be_focused()
    keys.press("Enter")
    chat.shows("It is a good day for a walk.")
    expect(chat.input).to_be_focused()
    keys.type("endless")
    keys.press("Enter")
    expect(chat.log).to_contain_text("I begin.")
    keys.press("Tab")
    expect(chat.stop).to_be_focused()
    keys.press("Enter")
    chat.shows("Stopped.")
    expect(chat.input).to_be_focused()
    keys.type("One")
    keys.press("Shift+Enter")
    keys.type("two")
    keys.press("Enter")
    expect(chat.said.last).to_have_text("One\ntwo", use_inner_text=True)


def test_the_focus_is_visible_everywhere(chat: Chat):
    chat.ask("weather")
    chat.ends()
    chat.input.focus()
    seen: set[str] = set()
    while "New chat" not in seen:
        chat.page.keyboard.press("Shift+Tab")
        name, outline = chat.page.evaluate(
            """() => {
                let at = document.activeElement;
                while (at.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
                return [at.ariaLabel ?? at.textContent.trim(), getComputedStyle(at).outlineStyle];
            }"""
        )
        seen.add(name)
        # The field for the search has the browser's own.
        assert outline in {"solid", "auto"}, name
    assert {"Copy the answer", "Copy", "Edit the message", "Conversation"} <= seen


def test_a_phone_scrolls_in_one_direction_only(chat: Chat):
    chat.page.set_viewport_size({"width": 320, "height": 640})
    chat.page.reload()
    chat.ask("W" * 400)
    chat.ends()
    assert chat.page.evaluate("document.documentElement.scrollWidth") == 320
    scroller = chat.page.locator(".scroller")
    assert scroller.evaluate("scroller => scroller.scrollWidth - scroller.clientWidth") == 0
