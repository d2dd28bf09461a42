"""`litro mcp preview` in Chromium: the page that plays the host."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from packs import REFRESH, TOOL, card, project
from playwright.sync_api import Browser, Page, expect
from preview_page import PREVIEW, Outside, Preview, document, matches, shop

from dev.developing import Process, Project

Show = Callable[..., Preview]

BUTTON = """<button onclick="litroMcp.callTool('{tool}', {{}}).then(
  (result) => litroMcp.applyResult(result), (error) => (this.textContent = error.message))">Again</button>"""
ONLY_FOR_THE_MODEL = REFRESH.replace('"app",', '"model",')
SHOW = TOOL.format(app="weather-card")
CARDS = {
    "weather-card": "",
    "calls-refresh": BUTTON.format(tool="refresh"),
    "calls-consult": BUTTON.format(tool="consult"),
    "modes": "<script>window.__litroMcpApp = {displayModes: ['inline', 'fullscreen']}</script>",
    "listens": '<script>window.heard = []; addEventListener("message", ({ data }) => heard.push(data))</script>',
}


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
    page.set_default_timeout(20_000)
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    page.close()
    assert complaints == []


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """A preview of several cards. Nobody edits it."""
    folder = tmp_path_factory.mktemp("preview") / "shop"
    tools = {"show": SHOW, "refresh": REFRESH, "consult": ONLY_FOR_THE_MODEL}
    packed = [card(document(more), name) for name, more in CARDS.items()]
    process = Process(Project(project(folder, *packed, tools=tools), {}), command=PREVIEW)
    yield process
    process.end()


@pytest.fixture
def look(page: Page, served: Process) -> Show:
    return lambda query="?tool=show": Preview(page, served, query)


@pytest.fixture
def show(page: Page) -> Iterator[Show]:
    """Starts a preview of a project's own."""
    processes: list[Process] = []

    def start(project: Project) -> Preview:
        processes.append(Process(project, command=PREVIEW))
        return Preview(page, processes[-1], "?tool=show")

    yield start
    for process in processes:
        process.end()


def test_a_typed_result_fills_the_card_and_the_model_reads_its_own_words(
    show: Show, tmp_path: Path
):
    preview = show(shop(tmp_path, document()))
    expect(preview.card.locator("temp-card")).to_have_text("waits")
    preview.result.fill('{"temp_c": 21}')
    preview.press("Send result")
    expect(preview.card.locator("temp-card")).to_have_text("70 °F")
    expect(preview.page.locator("#model-result")).to_have_text('{"temp_c":21}')


def test_the_real_tool_runs_with_what_was_typed(look: Show):
    preview = look()
    expect(preview.arguments).to_have_value('{\n  "city": "Graz"\n}')
    preview.arguments.fill('{"city": "Linz"}')
    preview.press("Run the tool")
    expect(preview.card.locator("temp-card")).to_have_text("70 °F")
    assert json.loads(preview.result.input_value())["structuredContent"] == {
        "city": "Linz", "temp_c": 21,
    }  # fmt: skip


def test_a_card_calls_a_tool_back(look: Show):
    preview = look("?app=calls-refresh")
    preview.card.get_by_role("button").click()
    expect(preview.card.locator("temp-card")).to_have_text("72 °F")
    expect(preview.answers("answer to tools/call")).to_contain_text('"temp_c": 22')


def test_a_card_calls_no_tool_that_is_the_models_alone(look: Show):
    preview = look("?app=calls-consult")
    preview.card.get_by_role("button").click()
    expect(preview.card.get_by_role("button")).to_contain_text("is not for apps")


def test_the_log_has_every_message_in_its_order(look: Show):
    preview = look()
    expect(preview.page.locator("#log > li")).to_have_count(4)
    for name in ("Send input", "Send an error result", "Cancel", "Tear down"):
        preview.press(name)
    expect(preview.said).to_have_text("The card has answered, and was torn down.")
    assert [line for line in preview.logged() if "size" not in line] == [
        "< ui/initialize",
        "> answer to ui/initialize",
        "< ui/notifications/initialized",
        "> ui/notifications/tool-input",
        "> ui/notifications/tool-result",
        "> ui/notifications/tool-cancelled",
        "> ui/resource-teardown",
        "< answer to ui/resource-teardown",
    ]
    preview.page.get_by_label("Filter messages").fill("cancelled")
    expect(preview.page.locator("#log > li:visible")).to_have_count(1)


def test_partial_input_grows(look: Show):
    preview = look("?app=listens")
    preview.arguments.fill('{"city": "Graz"}')
    preview.press("Send partial")
    expect(preview.said).to_contain_text("in parts")
    partial = "ui/notifications/tool-input-partial"
    heard = preview.page.frames[1].evaluate("heard")
    parts = [one["params"]["arguments"] for one in heard if one.get("method") == partial]
    assert parts == [{}, {"city": "Gr"}, {"city": "Graz"}]


def test_the_look_of_the_host_reaches_the_card(look: Show):
    preview = look()
    root = preview.card.locator("html")
    for theme in ("Dark", "Light"):
        preview.page.get_by_label(theme, exact=True).check()
        expect(root).to_have_attribute("data-theme", theme.lower())
    preview.page.get_by_label("Locale").fill("pt-PT")
    preview.page.get_by_label("Locale").blur()
    expect(root).to_have_attribute("lang", "pt-PT")
    preview.page.get_by_label("Width").fill("320")
    assert preview.page.frames[1].evaluate("innerWidth") == 320
    preview.page.get_by_text("CSS variables of the host").click()
    preview.page.get_by_label("CSS variables", exact=True).fill('{"--font-sans": "serif"}')
    preview.page.get_by_label("CSS variables", exact=True).blur()
    expect(root).to_have_css("--font-sans", "serif")


def test_a_link_is_opened_by_a_click_of_the_person_alone(look: Show):
    ask = "litroMcp.openLink('{}').then((it) => (document.title = JSON.stringify(it)), (e) => (document.title = e.message))"
    preview = look()
    card = preview.page.frames[1]
    card.evaluate(f"void {ask.format('javascript:alert(1)')}")
    card.wait_for_function("document.title.includes('is no address')")
    with Outside().listening() as outside:
        card.evaluate(f"void {ask.format(outside.url + '/page')}")
        link = preview.page.get_by_role("link", name=f"Open {outside.url}/page")
        expect(link).to_be_visible()
        assert outside.asked == []
        with preview.page.context.expect_page():
            link.click()
        card.wait_for_function("document.title === '{}'")
    expect(link).to_have_count(0)


def test_what_a_card_tells_the_model_is_shown(look: Show):
    preview = look()
    card = preview.page.frames[1]
    card.evaluate("litroMcp.sendMessage('And in Linz?')")
    for number in (1, 2):
        card.evaluate(f"litroMcp.updateModelContext({{structuredContent: {{unit: {number}}}}})")
    expect(preview.page.locator("#model-messages")).to_have_text("user: And in Linz?")
    expect(preview.page.locator("#model-context")).to_have_text(matches('"unit": 2'))


def test_a_method_that_no_host_has_is_refused(look: Show):
    preview = look()
    strange = {"jsonrpc": "2.0", "id": "__proto__", "method": "ui/fly"}
    preview.page.frames[1].evaluate(f"parent.postMessage({json.dumps(strange)}, '*')")
    expect(preview.answers("error for ui/fly")).to_contain_text("-32601")


def test_an_app_gets_the_display_mode_that_it_can_have(look: Show):
    preview = look("?app=modes")
    card = preview.page.frames[1]
    granted = [
        card.evaluate(f"litroMcp.requestDisplayMode('{mode}')") for mode in ("pip", "fullscreen")
    ]
    assert [one.get("mode", one) if isinstance(one, dict) else one for one in granted] == [
        "inline", "fullscreen",
    ]  # fmt: skip
    expect(preview.page.get_by_label("Display")).to_have_value("fullscreen")
    expect(preview.card.locator("html")).to_have_attribute("data-display-mode", "fullscreen")


HOSTILE = """<script>
const out = "{url}";
window.caught = [];
const attempt = async (name, act) => {{ try {{ await act(); }} catch (error) {{ caught.push(name); }} }};
addEventListener("load", async () => {{
  await attempt("fetch", () => fetch(out + "/fetch"));
  await attempt("own", () => fetch(location.href.split("/frame")[0] + "/rpc", {{ method: "POST" }}));
  await attempt("parent", () => parent.document.title);
  await attempt("top", () => {{ top.location = out + "/top"; }});
  await attempt("storage", () => localStorage.length);
  await attempt("worker", () => new Worker(out + "/worker.js"));
  await attempt("socket", () => new Promise((_, no) => {{ new WebSocket(out.replace("http", "ws")).onerror = no; }}));
  window.open(out + "/popup");
  new Image().src = out + "/image";
  navigator.sendBeacon?.(out + "/beacon");
  for (const [tag, set] of [["script", "src"], ["link", "href"], ["iframe", "src"], ["object", "data"]]) {{
    const made = document.createElement(tag);
    if (tag === "link") made.rel = "stylesheet";
    made[set] = out + "/" + tag;
    document.body.append(made);
  }}
  document.body.insertAdjacentHTML("beforeend", `<form action="${{out}}/form"></form><style>@import "${{out}}/css"</style>`);
  document.body.dataset.done = "true";
}});
</script>"""


def test_a_hostile_card_reaches_neither_the_network_nor_the_page(show: Show, tmp_path: Path):
    with Outside().listening() as outside:
        preview = show(shop(tmp_path, document(HOSTILE.format(url=outside.url))))
        expect(preview.card.locator("body[data-done]")).to_be_attached()
        # Twice: the answer's policy says so as well.
        frame = preview.page.locator("#stage iframe")
        expect(frame).to_have_attribute("sandbox", "allow-scripts allow-forms")
        card = preview.page.frames[1]
        caught = ["fetch", "own", "parent", "top", "storage", "worker", "socket"]
        assert card.evaluate("caught") == caught
        # Last, because they may end the card: the frame cannot be sent anywhere either.
        for leave in ("document.forms[0].submit()", "location = out + '/away'"):
            preview.page.frames[1].evaluate(leave)
            preview.press("Reload")
            expect(preview.card.locator("body[data-done]")).to_be_attached()
        assert outside.asked == []
        assert preview.page.url.startswith(preview.url)
        assert len(preview.page.context.pages) == 1


def test_what_is_typed_and_sent_outlives_a_reload(look: Show):
    preview = look()
    preview.result.fill('{"temp_c": 10}')
    preview.press("Send result")
    expect(preview.card.locator("temp-card")).to_have_text("50 °F")
    preview.press("Reload")
    expect(preview.card.locator("temp-card")).to_have_text("50 °F")
    preview.page.reload()
    expect(preview.result).to_have_value('{"temp_c": 10}')


def test_a_card_that_was_torn_down_is_shown_again_when_it_is_told_something(look: Show):
    preview = look()
    preview.press("Tear down")
    expect(preview.phase).to_have_text("Torn down")
    preview.result.fill('{"temp_c": 10}')
    preview.press("Send result")
    expect(preview.card.locator("temp-card")).to_have_text("50 °F")
    expect(preview.said).to_have_text("The result is sent.")


APP = """
from litro.mcp import McpApp
from markupsafe import Markup

app = McpApp(Markup("<p>one</p>"), live=False, apply="(element, data) => { element.textContent = data.city }")
"""


def test_an_edit_is_shown_at_once_and_a_mistake_leaves_the_last_good_card(
    show: Show, page: Page, tmp_path: Path
):
    edited = shop(tmp_path, document())
    edited.write("pyproject.toml", '[project]\nname = "shop"\n')
    edited.write("mcp-apps/weather-card.py", APP)
    preview = show(edited)
    text = preview.card.locator("p")
    expect(text).to_have_text("one")
    preview.result.fill('{"city": "Linz"}')
    edited.edit("mcp-apps/weather-card.py", "one", "two")
    expect(text).to_have_text("two")
    expect(preview.result).to_have_value('{"city": "Linz"}')
    preview.press("Send result")
    expect(text).to_have_text("Linz")

    edited.edit("mcp-apps/weather-card.py", "live=False", "live=fals")
    problems = page.get_by_role("region", name=matches("1 problem in the project"))
    expect(problems).to_contain_text("mcp-apps/weather-card.py")
    expect(problems).to_contain_text("'fals'")
    expect(text).to_have_text("Linz")
    edited.edit("mcp-apps/weather-card.py", "live=fals", "live=False")
    expect(problems).to_have_count(0)


UNTIL_LISTED = """async (words) => {
    const headers = { "content-type": "application/json", "x-litro-agent": "1" };
    const asked = { method: "POST", headers, body: JSON.stringify({ method: "tools/list" }) };
    while (!(await (await fetch("rpc", asked)).text()).includes(words)) await new Promise(requestAnimationFrame);
}"""
"""Asks which tools there are until one of them is described so."""


def test_an_edited_tool_is_the_one_that_runs(show: Show, tmp_path: Path):
    edited = shop(tmp_path, document())
    preview = show(edited)
    edited.edit("agents/demo/tools/show.py", '"temp_c": 21', '"temp_c": 30')
    edited.edit("agents/demo/tools/show.py", "Show the", "Tell the")
    preview.page.evaluate(UNTIL_LISTED, "Tell the weather.")
    preview.press("Run the tool")
    expect(preview.card.locator("temp-card")).to_have_text("86 °F")


def test_the_page_asks_nobody_but_its_own_server(look: Show, page: Page):
    addresses: list[str] = []
    page.on("request", lambda request: addresses.append(request.url))
    preview = look()
    preview.press("Run the tool")
    expect(preview.card.locator("temp-card")).to_have_text("70 °F")
    assert addresses
    assert [url for url in addresses if not url.startswith((preview.url, "data:"))] == []
