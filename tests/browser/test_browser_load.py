"""What the page that `litro new` writes loads, and how large that is."""

import pytest
from chat_page import Chat
from playwright.sync_api import BrowserContext, Request, expect
from serving_page import Server
from test_browser_chat import QUESTION

FIRST = 60_000
WHOLE = 80_000


def bytes_of(requests: list[Request]) -> int:
    """Of JavaScript, compressed, as it came."""
    return sum(request.sizes()["responseBodySize"] for request in requests)


@pytest.mark.parametrize("width", [600, 1280], ids=["phone", "desktop-with-the-list"])
def test_the_first_load_is_at_most_60_kb_of_javascript_and_markdown_comes_with_the_first_answer(
    context: BrowserContext, server: Server, session: str, width: int
):
    page = context.new_page()
    page.set_viewport_size({"width": width, "height": 700})
    loaded: list[Request] = []
    page.on(
        "requestfinished",
        lambda request: loaded.append(request) if request.resource_type == "script" else None,
    )
    chat = Chat(page, server.url, session)
    expect(chat.button(QUESTION)).to_be_visible()
    page.wait_for_load_state("networkidle")
    names = {request.url.rsplit("/", 1)[-1] for request in loaded}
    assert "markdown.js" not in names
    assert ("sessions.js" in names) == (width == 1280)
    assert 20_000 < bytes_of(loaded) <= FIRST
    chat.ask("weather")
    chat.ends()
    expect(page.locator(".text.md")).to_have_count(2)
    page.wait_for_load_state("networkidle")
    assert bytes_of(loaded) <= WHOLE
