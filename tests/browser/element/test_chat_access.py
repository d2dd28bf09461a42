"""`<litro-chat>` without a mouse, and without eyes."""

from element import Element
from playwright.sync_api import BrowserContext, expect
from serving_page import Server


def test_everything_is_reached_and_used_by_keyboard(chat: Element, server: Server, session: str):
    chat.input.press_sequentially("One")
    chat.input.press("Shift+Enter")
    chat.input.press_sequentially("Two")
    chat.input.press("Enter")
    chat.shows("You said: One")
    chat.ends()
    names = []
    for _ in range(6):
        chat.page.keyboard.press("Shift+Tab")
        names.append(chat.focused())
    assert names[:3] == ["Copy the answer", "Edit the message", "Copy"]
    chat.input.fill(f"gate {session}")
    chat.input.press("Enter")
    expect(chat.log).to_contain_text("The sec")
    chat.page.keyboard.press("Tab")
    assert chat.focused() == "Stop"
    chat.page.keyboard.press("Enter")
    chat.shows("Stopped.")
    expect(chat.input).to_be_focused()


def test_sentences_are_announced_as_they_are_finished_and_once(
    chat: Element, server: Server, session: str
):
    live = chat.page.locator("[aria-live=polite]")
    chat.ask(f"gate {session}")
    expect(chat.log).to_contain_text("The sec")
    expect(live.locator("p")).to_have_text(["The first half."])
    (server.gates / session).touch()
    chat.ends()
    expect(live.locator("p")).to_have_text(["The first half.", "The second half."])
    expect(chat.log).to_have_attribute("aria-live", "off")


def test_what_was_said_before_the_page_was_opened_is_not_read_out(chat: Element):
    chat.ask("weather")
    chat.ends()
    chat.page.reload()
    chat.shows("It is a good day for a walk.")
    expect(chat.page.locator("[aria-live=polite]")).to_be_empty()
    chat.ask("Hello")
    expect(chat.page.locator("[aria-live=polite] p")).to_have_text(["You said: Hello"])


def test_calls_and_failures_are_announced(chat: Element):
    live = chat.page.locator("[aria-live=polite] p")
    chat.ask("break")
    expect(live.nth(1)).to_contain_text("break-it failed")
    chat.ask("fail")
    expect(live.last).to_contain_text("The model's server is overloaded.")


def test_at_400_percent_nothing_is_cut_off_and_everything_can_be_reached(
    context: BrowserContext, server: Server, session: str
):
    page = context.new_page()
    page.set_viewport_size({"width": 320, "height": 180})
    chat = Element(page, server.url, session, sessions="")
    chat.ask("lines 5")
    chat.ends()
    chat.ask("break")
    chat.ends()
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    assert (
        page.locator(".scroller").evaluate(
            "scroller => scroller.scrollWidth - scroller.clientWidth"
        )
        == 0
    )
    expect(chat.input).to_be_in_viewport()
    chat.fold("break-it").locator("summary").click()
    expect(chat.fold("break-it").get_by_label("Error", exact=True)).to_be_visible()
    chat.input.scroll_into_view_if_needed()
    expect(chat.input).to_be_in_viewport()


def test_right_to_left_is_a_mirror(chat: Element):
    chat.page.evaluate("document.documentElement.dir = 'rtl'")
    chat.ask("Hello")
    chat.ends()
    bubble, log = chat.said.bounding_box(), chat.log.bounding_box()
    assert bubble["x"] - log["x"] < 2
    direction = chat.answers.evaluate("answer => getComputedStyle(answer).direction")
    assert direction == "ltr", "each text has its own"
    chat.page.locator("litro-chat").evaluate("chat => chat.setAttribute('sessions', '')")
    row = chat.page.locator(".session.open")
    ends = """part => {
        const words = document.createRange();
        words.selectNodeContents(part);
        return words.getBoundingClientRect().right;
    }"""
    title, when = row.locator(".title").evaluate(ends), row.locator("small").evaluate(ends)
    assert abs(title - when) < 2


def test_who_wants_less_motion_gets_none(context: BrowserContext, server: Server, session: str):
    page = context.new_page()
    page.emulate_media(reduced_motion="reduce")
    chat = Element(page, server.url, session)
    chat.ask(f"count {session}")
    expect(chat.log).to_contain_text("3 of 10")
    assert page.locator(".dot").evaluate("dot => getComputedStyle(dot).animationName") == "none"
    (server.gates / session).touch()
    chat.ends()
