"""The overlay that `dev.js` shows, in a browser, on a page with a strict Content-Security-Policy."""

import shutil
from collections.abc import Callable, Iterator

import pytest
from developing import TOOL, WITH_APP, Process, Project

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright drives the browser")

PAGE = """
from fastapi.responses import HTMLResponse

POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'"

@app.get("/")
async def page():
    html = (
        "<!doctype html><html lang='en'><title>Shop</title><main><h1>Shop</h1></main>"
        "<script type='module' src='/ai/__litro/client.js'></script>"
    )
    return HTMLResponse(html, headers={"content-security-policy": POLICY})
"""


@pytest.fixture
def page() -> Iterator["sync_api.Page"]:
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("Chromium is required: apt-get install chromium")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser.new_page()
        browser.close()


def test_problems_stand_over_the_page_until_they_are_solved(
    start: Callable[..., Process], with_app: Project, page: "sync_api.Page"
):
    complaints: list[str] = []
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    with_app.write("app.py", WITH_APP["app.py"] + PAGE)
    dev = start(with_app, mount="/ai")
    page.goto(dev.url)
    overlay = page.get_by_role("region", name="Problems in the project")
    expect = sync_api.expect
    expect(overlay).to_have_count(0)

    # What looks like markup is text.
    with_app.write("agents/demo/tools/version.py", "<img src=x onerror=alert(1)>\n")
    expect(overlay).to_contain_text("agents/demo/tools/version.py:1")
    expect(overlay).to_contain_text("<img src=x onerror=alert(1)>")
    expect(overlay.get_by_role("img")).to_have_count(0)

    overlay.get_by_role("button", name="Dismiss").press("Escape")
    expect(overlay).to_have_count(0)

    with_app.write("agents/demo/tools/version.py", "1/0\n")
    expect(overlay).to_contain_text("ZeroDivisionError")
    # A restart takes nothing away, and the page hears of the next process by itself.
    with_app.write("answers.py", "import nothing_of_this_name\n")
    expect(overlay).to_contain_text("Traceback")
    with_app.write("answers.py", "ANSWER = 2\n")
    expect(overlay).to_contain_text("ZeroDivisionError")
    with_app.write("agents/demo/tools/version.py", TOOL)
    expect(overlay).to_have_count(0)
    assert page.get_by_role("heading", name="Shop").is_visible()
    assert complaints == []


CARD = """
customElements.define("demo-card", class extends HTMLElement {
  connectedCallback() { this.textContent = "first"; }
});
"""


def test_a_page_loads_itself_again_where_it_has_loaded_a_component_that_was_made_anew(
    start: Callable[..., Process], with_app: Project, page: "sync_api.Page"
):
    loads = PAGE.replace(
        "</main>",
        "<demo-card></demo-card></main><script type='module' src='/ai/__litro/components/card.js'></script>",
    )
    with_app.write("components/card.js", CARD)
    with_app.write("app.py", WITH_APP["app.py"] + loads)
    dev = start(with_app, mount="/ai")
    page.goto(dev.url)
    card = page.locator("demo-card")
    expect = sync_api.expect
    expect(card).to_have_text("first")

    # The overlay tells of what is broken, and the page stays what it is.
    page.evaluate("window.isTheSame = true")
    with_app.write("components/card.js", CARD.replace("extends", "class"))
    expect(page.get_by_role("region", name="Problems in the project")).to_contain_text(
        "components/card.js:2", timeout=30_000
    )
    assert page.evaluate("window.isTheSame")
    with_app.write("components/card.js", CARD.replace("first", "second"))
    expect(card).to_have_text("second", timeout=30_000)
    assert page.evaluate("window.isTheSame === undefined")
