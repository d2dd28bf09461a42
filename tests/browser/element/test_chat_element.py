"""What a page can say to `<litro-chat>`, and hear from it."""

from element import Element
from playwright.sync_api import BrowserContext, expect
from serving_page import Server

HEARD = """
    () => {
        window.heard = [];
        for (const name of ["litro-session", "litro-turn-end", "litro-error"]) {
            document.addEventListener(name, ({ type, detail }) => window.heard.push([type, detail]));
        }
    }
"""


def test_a_page_hears_of_sessions_turns_and_errors(chat: Element):
    chat.page.evaluate(HEARD)
    chat.ask("Hello")
    chat.ends()
    chat.ask("fail")
    expect(chat.problem).to_be_visible()
    session = chat.page.evaluate("document.querySelector('litro-chat').session")
    chat.page.evaluate("document.querySelector('litro-chat').newChat()")
    heard = chat.page.evaluate("heard")
    assert [name for name, _ in heard] == [
        "litro-turn-end",
        "litro-turn-end",
        "litro-error",
        "litro-session",
    ]
    assert heard[0][1] == {"turn": 1, "status": "completed"}
    assert heard[1][1] == {"turn": 2, "status": "failed"}
    assert heard[2][1]["type"] == "overloaded"
    assert heard[3][1]["session"] not in {session, ""}


def test_a_page_can_speak_and_choose_the_session(chat: Element, session: str):
    chat.page.evaluate("document.querySelector('litro-chat').send('Hello')")
    chat.shows("You said: Hello")
    chat.page.evaluate("document.querySelector('litro-chat').open('elsewhere')")
    expect(chat.log).to_be_empty()
    assert chat.page.url.endswith("#elsewhere")
    chat.page.evaluate("id => document.querySelector('litro-chat').open(id)", session)
    chat.shows("You said: Hello")


def test_its_words_can_be_others_also_when_they_are_set_before_it_is_there(
    context: BrowserContext, server: Server, session: str
):
    page = context.new_page()
    page.add_init_script(
        "document.addEventListener('readystatechange', () => {"
        " const chat = document.querySelector('litro-chat');"
        " if (chat && !customElements.get('litro-chat')) chat.texts = { send: 'Senden', newChat: 'Neuer Chat' };"
        "})"
    )
    chat = Element(page, server.url, session)
    expect(chat.button("Neuer Chat")).to_be_visible()
    expect(chat.button("Senden")).to_be_visible()
    expect(chat.button("Stop")).to_have_count(0)


def test_its_colours_and_parts_are_the_page_s(chat: Element):
    chat.page.evaluate(
        """() => {
            const sheet = new CSSStyleSheet();
            sheet.replaceSync("litro-chat { --litro-mine: rgb(1, 2, 3) } litro-chat::part(composer) { border-radius: 4px }");
            document.adoptedStyleSheets = [sheet];
        }"""
    )
    chat.ask("Hello")
    chat.ends()
    assert chat.said.evaluate("said => getComputedStyle(said).backgroundColor") == "rgb(1, 2, 3)"
    composer = chat.page.locator("form")
    assert composer.evaluate("form => getComputedStyle(form).borderTopLeftRadius") == "4px"


def test_a_narrow_chat_has_room_for_its_heading(
    context: BrowserContext, server: Server, session: str
):
    page = context.new_page()
    page.set_viewport_size({"width": 360, "height": 640})
    chat = Element(page, server.url, session, heading="A shop for tea")
    heading = chat.page.get_by_role("heading", name="A shop for tea")
    assert heading.evaluate("heading => heading.scrollWidth <= heading.clientWidth")
    assert chat.button("New chat").evaluate("button => button.clientWidth") < 48


def test_a_page_may_begin_with_the_focus_in_it(
    context: BrowserContext, server: Server, session: str
):
    chat = Element(context.new_page(), server.url, session, autofocus="")
    expect(chat.input).to_be_focused()


def test_an_element_that_is_moved_goes_on(chat: Element, server: Server, session: str):
    chat.ask(f"gate {session}")
    expect(chat.log).to_contain_text("The sec")
    chat.page.evaluate("document.body.prepend(document.querySelector('litro-chat'))")
    expect(chat.log).to_contain_text("The sec")
    (server.gates / session).touch()
    chat.ends()
    expect(chat.answers).to_have_text("The first half. The second half.")


def test_the_page_s_own_styles_reach_a_card_and_the_chat_s_do_not(chat: Element):
    chat.ask("weather")
    chat.ends()
    card = chat.page.locator("weather-card")
    assert card.evaluate("card => card.getRootNode() === document")
    assert card.evaluate("card => card.closest('litro-chat') !== null")


def test_without_the_list_and_the_inspector_nothing_of_them_is_loaded(chat: Element):
    with chat.page.expect_request("**/chat/markdown.js"):
        chat.ask("Hello")
    chat.ends()
    loaded = chat.page.evaluate("performance.getEntriesByType('resource').map(({ name }) => name)")
    assert not [name for name in loaded if name.endswith("/sessions.js") or "inspector" in name]


def test_the_list_is_loaded_when_it_is_asked_for(
    context: BrowserContext, server: Server, session: str
):
    page = context.new_page()
    # Where there is room for it beside the chat, it opens by itself.
    page.set_viewport_size({"width": 600, "height": 700})
    chat = Element(page, server.url, session, sessions="")
    button = chat.button("Chats")
    expect(button).to_have_attribute("aria-expanded", "false")
    button.click()
    expect(button).to_have_attribute("aria-expanded", "true")


def test_a_page_whose_policy_has_no_inline_style_complains_of_nothing(
    context: BrowserContext, server: Server, session: str
):
    chat = Element(context.new_page(), server.url, session, strict="")
    chat.ask(f"count {session}")
    expect(chat.log).to_contain_text("3 of 10")
    done = chat.page.locator(".bar > div")
    assert done.evaluate("done => done.offsetWidth / done.parentElement.offsetWidth") > 0.2
    (server.gates / session).touch()
    chat.ends()
    assert chat.said.evaluate("said => getComputedStyle(said).borderTopLeftRadius") == "20px"


def test_a_large_answer_is_drawn_once_a_frame_and_not_once_a_piece(chat: Element):
    chat.ask("Hello")
    chat.ends()
    chat.page.evaluate(
        """() => {
            window.changes = 0;
            const log = document.querySelector("litro-chat").shadowRoot.querySelector("[role=log]");
            new MutationObserver((records) => (window.changes += records.length)).observe(log, { childList: true, subtree: true });
        }"""
    )
    chat.ask("pieces 2000")
    chat.shows("Piece 1999.")
    chat.ends()
    assert chat.page.evaluate("changes") < 1500
