"""What the page that `litro new` writes loads, and how large that is."""

import re
from pathlib import Path

import pytest
from chat_page import Chat
from playwright.sync_api import BrowserContext, Request, expect
from serving_page import Server
from test_browser_chat import QUESTION

ASSETS = Path(__file__).parents[2] / "src/litro/assets"
IMPORT = re.compile(r'^import\s+(?:[^;"]+\sfrom\s+)?"(\./|\.\./)([^"]+)";', re.MULTILINE)
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


def imports(module: str) -> set[str]:
    """What it imports, by its place in the folder. What others wrote imports nothing."""
    if module.startswith("vendor/"):
        return set()
    folder = module.rpartition("/")[0]
    found = IMPORT.findall((ASSETS / module).read_text(encoding="utf-8"))
    return {f"{folder}/{name}" if folder and up == "./" else name for up, name in found}


def everything(module: str) -> set[str]:
    """What it imports, and what that imports."""
    found, new = set[str](), imports(module)
    while new:
        found |= new
        new = {deeper for name in new for deeper in imports(name)} - found
    return found


def test_whatever_the_chat_needs_is_asked_for_at_once_and_not_level_by_level():
    """Each level would be a round trip, before anything is seen."""
    needs = everything("chat.js")
    assert len(needs) > 20
    assert needs - imports("chat.js") == set()
    for later in ("chat/sessions.js", "chat/markdown.js"):
        assert everything(later) - imports(later) - needs - {"chat.js"} == set()
