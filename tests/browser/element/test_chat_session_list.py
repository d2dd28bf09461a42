"""The list of sessions: read page by page, searched, renamed in place, deleted, and used by keyboard alone."""

from urllib.parse import parse_qs, urlsplit

from axe_playwright_python.sync_playwright import Axe
from element import Element
from playwright.sync_api import BrowserContext, Locator, Route, expect
from serving_page import Server

TURN_BEFORE = """
    async ([from, count]) => {
        for (let at = from; at < from + count; at++) {
            const body = JSON.stringify({ text: `Chat number ${at}` });
            const headers = { "content-type": "application/json", "x-litro-agent": "1" };
            const answer = await fetch(`/__litro/agent/demo/listed-${at}`, { method: "POST", headers, body });
            await answer.text();
        }
    }
"""


class Chats:
    """The list of sessions of an open page, for somebody who has no others."""

    def __init__(
        self, context: BrowserContext, server: Server, session: str, width: int = 1280
    ) -> None:
        context.add_cookies([{"name": "user", "value": f"user-{session}", "url": server.url}])
        page = context.new_page()
        page.set_viewport_size({"width": width, "height": 700})
        self.chat = Element(page, server.url, f"{session}-chat", sessions="")
        self.page = page

    @property
    def opener(self) -> Locator:
        return self.page.locator("header.head").get_by_role("button", name="Chats", exact=True)

    @property
    def panel(self) -> Locator:
        return self.page.locator(".sessions")

    @property
    def titles(self) -> Locator:
        return self.panel.locator(".session .title")

    @property
    def search(self) -> Locator:
        return self.panel.get_by_label("Search chats")

    def row(self, title: str) -> Locator:
        return self.panel.locator(".session").filter(has_text=title)

    def ask(self, *texts: str) -> None:
        """Say each in a session of its own."""
        for at, text in enumerate(texts):
            if at:
                self.chat.button("New chat").click()
            self.chat.ask(text)
            self.chat.shows(f"You said: {text}")
            self.chat.ends()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)


def test_where_there_is_room_the_list_is_beside_the_chat_and_grows_with_it(
    context: BrowserContext, server: Server, session: str
):
    chats = Chats(context, server, session)
    expect(chats.panel).to_contain_text("There are no chats yet.")
    expect(chats.opener).to_have_attribute("aria-expanded", "true")
    chats.ask("One", "Two")
    expect(chats.titles).to_have_text(["Two", "One"])
    expect(chats.panel.locator("[aria-current=true]")).to_contain_text("Two")
    chats.row("One").locator(".pick").click()
    chats.chat.shows("You said: One")
    expect(chats.panel.locator("[aria-current=true]")).to_contain_text("One")


def test_another_tab_is_told_of_what_runs_and_what_has_changed(
    context: BrowserContext, server: Server, session: str
):
    here, there = (Chats(context, server, session) for _ in range(2))
    here.chat.ask(f"gate {session}")
    expect(there.row("gate")).to_contain_text("is being answered")
    (server.gates / session).touch()
    here.chat.ends()
    expect(there.row("gate").get_by_text("is being answered")).to_be_hidden()
    here.row("gate").get_by_role("button", name="Rename").click()
    here.panel.get_by_label("Name of the chat").fill("Better")
    here.press("Enter")
    expect(there.titles).to_have_text(["Better"])


def test_a_chat_is_renamed_in_its_place(context: BrowserContext, server: Server, session: str):
    chats = Chats(context, server, session)
    chats.ask("One")
    chats.row("One").locator(".pick").focus()
    chats.press("F2")
    name = chats.panel.get_by_label("Name of the chat")
    expect(name).to_be_focused()
    name.fill("Nothing of it")
    chats.press("Escape")
    expect(chats.titles).to_have_text(["One"])
    expect(chats.row("One").locator(".pick")).to_be_focused()
    chats.press("F2")
    name.fill("Lisbon")
    chats.press("Enter")
    expect(chats.titles).to_have_text(["Lisbon"])
    expect(chats.row("Lisbon").locator(".pick")).to_be_focused()
    chats.page.reload()
    expect(chats.titles).to_have_text(["Lisbon"])


def test_a_chat_is_deleted_once_somebody_has_said_so_twice(
    context: BrowserContext, server: Server, session: str
):
    chats = Chats(context, server, session)
    chats.ask("One", "Two")
    chats.row("One").locator(".pick").focus()
    chats.press("Delete")
    expect(chats.panel).to_contain_text("Delete “One” for good?")
    expect(chats.panel.get_by_role("button", name="Cancel")).to_be_focused()
    chats.press("Enter")
    expect(chats.titles).to_have_text(["Two", "One"])
    chats.press("Delete", "Tab", "Enter")
    expect(chats.titles).to_have_text(["Two"])
    assert chats.chat.focused().startswith("Two")
    chats.press("Delete", "Tab", "Enter")
    expect(chats.panel).to_contain_text("There are no chats yet.")
    expect(chats.chat.log).to_be_empty()
    expect(chats.search).to_be_focused()


def test_a_chat_that_is_being_answered_is_not_deleted_and_that_is_said(
    context: BrowserContext, server: Server, session: str
):
    chats = Chats(context, server, session)
    chats.chat.ask(f"gate {session}")
    expect(chats.row("gate")).to_contain_text("is being answered")
    chats.row("gate").locator(".pick").focus()
    chats.press("Delete", "Tab", "Enter")
    expect(chats.panel.get_by_role("alert")).to_contain_text("It could not be deleted: ")
    (server.gates / session).touch()
    chats.chat.ends()


def test_all_pages_are_searched_and_read_as_somebody_scrolls(
    context: BrowserContext, server: Server, session: str
):
    chats = Chats(context, server, session)
    chats.page.evaluate(TURN_BEFORE, [1, 70])
    chats.page.reload()
    expect(chats.titles.first).to_have_text("Chat number 70")
    expect(chats.titles).to_have_count(50)
    chats.panel.locator(".pages").evaluate("pages => pages.scrollTo(0, pages.scrollHeight)")
    expect(chats.titles).to_have_count(70)
    chats.page.reload()
    chats.search.fill("NÚMBER 3")
    expect(chats.panel.get_by_role("status")).to_have_text("16 chats")
    chats.search.fill("elsewhere")
    expect(chats.panel.get_by_role("status")).to_have_text("No chat has that in its name.")
    chats.press("Escape")
    expect(chats.titles.first).to_have_text("Chat number 70")
    chats.press("ArrowDown", "ArrowDown", "Enter")
    chats.chat.shows("You said: Chat number 69")


def test_where_there_is_no_room_the_list_is_over_the_chat_until_it_is_left(
    context: BrowserContext, server: Server, session: str
):
    chats = Chats(context, server, session, width=400)
    chats.ask("One", "Two")
    expect(chats.panel).to_have_count(0)
    chats.opener.press("Enter")
    expect(chats.page.get_by_role("dialog", name="Chats")).to_be_visible()
    expect(chats.search).to_be_focused()
    expect(chats.titles).to_have_text(["Two", "One"])
    assert chats.page.locator(".main").evaluate("main => main.inert")
    chats.press("Escape")
    expect(chats.panel).to_be_hidden()
    expect(chats.opener).to_be_focused()
    chats.opener.press("Enter")
    chats.row("One").locator(".pick").click()
    expect(chats.panel).to_be_hidden()
    expect(chats.chat.input).to_be_focused()
    chats.chat.shows("You said: One")


def test_a_list_that_opened_by_itself_goes_where_there_is_no_more_room_for_it(
    context: BrowserContext, server: Server, session: str
):
    chats = Chats(context, server, session)
    expect(chats.panel).to_be_visible()
    chats.chat.input.fill("Half a")
    chats.page.set_viewport_size({"width": 500, "height": 700})
    expect(chats.panel).to_be_hidden()
    expect(chats.opener).to_have_attribute("aria-expanded", "false")
    expect(chats.chat.input).to_be_focused()


def test_what_cannot_be_listed_says_why_and_is_tried_again(
    context: BrowserContext, server: Server, session: str
):
    chats = Chats(context, server, session, width=400)
    chats.ask("One")
    chats.page.route("**/__litro/agent/demo", lambda route: route.abort())
    chats.opener.press("Enter")
    expect(chats.panel.get_by_role("alert")).to_contain_text("The chats could not be listed: ")
    chats.page.unroute_all()
    chats.panel.get_by_role("button", name="Try again").click()
    expect(chats.titles).to_have_text(["One"])
    expect(chats.panel.get_by_role("alert")).to_have_count(0)


def test_a_thousand_chats_are_read_searched_and_walked_through(
    context: BrowserContext, server: Server, session: str
):
    chats = Chats(context, server, session, width=400)
    chats.page.route("**/__litro/agent/demo?*", listed)
    chats.page.route("**/__litro/agent/demo", listed)
    chats.opener.press("Enter")
    expect(chats.titles).to_have_count(50)
    chats.search.fill("chat")
    expect(chats.panel.get_by_role("status")).to_have_text("1000 chats")
    chats.search.fill("7 77")
    expect(chats.titles).to_have_count(19)
    chats.search.fill("")
    chats.press("ArrowDown", "End")
    assert chats.chat.focused().startswith("Chat 0")
    stops = "rows => rows.filter((row) => row.tabIndex === 0).length"
    assert chats.panel.locator(".pick").evaluate_all(stops) == 1


def listed(route: Route) -> None:
    """A thousand sessions, as the server lists them."""
    query = parse_qs(urlsplit(route.request.url).query)
    first = int(query.get("cursor", ["0"])[0])
    last = min(1000, first + int(query.get("limit", ["50"])[0]))
    common: dict[str, object] = {"created": 0, "tail": 4, "running": None}
    sessions = [
        {
            **common,
            "session": f"t{at}",
            "title": f"Chat {999 - at}",
            "updated": 1_700_000_000_000 - at,
        }
        for at in range(first, last)
    ]
    route.fulfill(json={"sessions": sessions, "next": str(last) if last < 1000 else None})


def test_the_list_has_no_violation_of_axe(context: BrowserContext, server: Server, session: str):
    chats = Chats(context, server, session)
    chats.ask("One", "Two", "Three")
    chats.chat.ask(f"gate {session}")
    expect(chats.row("Three")).to_contain_text("is being answered")
    chats.row("One").locator(".pick").press("F2")
    chats.row("Two").locator(".pick").press("Delete")
    for width, scheme in ((1280, "light"), (400, "dark")):
        chats.page.set_viewport_size({"width": width, "height": 800})
        chats.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        expect(chats.page.locator(".shade")).to_have_count(int(width < 800))
        violations = Axe().run(chats.page).response["violations"]
        assert [(it["id"], [node["html"] for node in it["nodes"]]) for it in violations] == []
    (server.gates / session).touch()
