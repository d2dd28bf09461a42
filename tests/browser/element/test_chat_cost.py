"""What a long session costs its page: no more than a short one."""

from element import Element
from playwright.sync_api import BrowserContext, Route
from serving_page import Server
from test_chat_long import write_session

WATCH = """() => {
    const log = document.querySelector("litro-chat").shadowRoot.querySelector("[role=log]");
    window.found = { draws: 0, turns: new Set(), taken: 0 };
    new MutationObserver((records) => {
        found.draws++;
        for (const { target, removedNodes } of records) {
            found.turns.add((target instanceof Element ? target : target.parentElement).closest(".turn, [role=log]"));
            found.taken += removedNodes.length;
        }
    }).observe(log, { childList: true, characterData: true, attributes: true, subtree: true });
}"""


def nodes(chat: Element) -> int:
    return chat.page.evaluate(
        "document.querySelector('litro-chat').shadowRoot.querySelectorAll('*').length"
    )


def test_what_is_drawn_of_a_session_does_not_grow_with_its_length(
    context: BrowserContext, server: Server, session: str
):
    drawn: list[int] = []
    for turns in (400, 1000):
        write_session(server, f"{session}-{turns}", turns)
        chat = Element(context.new_page(), server.url, f"{session}-{turns}")
        chat.shows(f"Answer {turns}.")
        drawn.append(nodes(chat))
    assert drawn[0] == drawn[1]


def test_an_answer_that_grows_changes_nothing_but_its_own_turn(
    context: BrowserContext, server: Server, session: str
):
    write_session(server, session, 1000)
    chat = Element(context.new_page(), server.url, session)
    chat.shows("Answer 1000.")
    chat.ask(f"gate {session}")
    chat.shows("The first half. The sec")
    chat.page.evaluate(WATCH)
    (server.gates / session).touch()
    chat.ends()
    found = chat.page.evaluate("({ ...found, turns: found.turns.size })")
    assert found["draws"] > 0
    assert found["turns"] == 1
    assert found["taken"] == 0


def test_a_session_is_shown_before_it_is_known_what_waits_in_it(
    context: BrowserContext, server: Server, session: str
):
    write_session(server, session, 1000)
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    context.route("**/queue", hold)
    chat = Element(context.new_page(), server.url, session)
    chat.shows("Answer 1000.")
    chat.ask("Hello")
    held[0].continue_()
    chat.shows("You said: Hello")


def test_a_session_whose_queue_cannot_be_read_is_spoken_in_all_the_same(
    context: BrowserContext, server: Server, session: str
):
    write_session(server, session, 1000)
    context.route("**/queue", lambda route: route.abort())
    chat = Element(context.new_page(), server.url, session)
    chat.shows("Answer 1000.")
    chat.ask("Hello")
    chat.shows("You said: Hello")
