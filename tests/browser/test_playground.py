"""The example in a real browser: the card that the agent's tool answers with, and the same card on an ordinary page."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import pytest
from axe_report import violations
from chat_page import Chat
from playwright.sync_api import BrowserContext, Locator, Page, expect
from serving_page import HERE, Server

pytestmark = [pytest.mark.once, pytest.mark.timeout(120)]

EXAMPLE = HERE.parents[1] / "examples/weather"
PAGES = ("page/index.html", "page/weather.html")
QUESTION = "What is the weather in Lisbon?"
TAGS = {"lit": "demo-weather-card", "fast": "f-weather-card"}
FILES = {
    "lit": "components/demo-weather-card.ts",
    "fast": "components/f-weather-card/f-weather-card.html",
}


@dataclass(frozen=True, slots=True)
class Playground:
    """The example behind a server.

    Attributes:
        mount: Where Litro is: `/` or `/ai/`.
        tag: The component that shows.
    """

    server: Server
    mount: str
    tag: str

    @property
    def component(self) -> str:
        folder = "" if self.tag == TAGS["lit"] else f"{self.tag}/"
        return f"{self.mount}__litro/components/{folder}{self.tag}.js"

    def told(self, context: BrowserContext, session: str) -> dict[str, Any]:
        """What the log has of the card."""
        url = f"{self.server.url}{self.mount[1:]}__litro/agent/demo/{session}"
        # As the visitor whose session it is.
        answer = context.request.get(url, fail_on_status_code=True)
        lines = answer.text().split("\n")
        events = [orjson.loads(line) for line in lines if line]
        [card] = [event for event in events if event.get("kind") == "ui"]
        return card["payload"]


def make_playground(folder: Path, mount: str = "/") -> Path:
    """A copy of the example, with Litro at `mount` and a probe in its pages."""
    skip = shutil.ignore_patterns(".litro", "__pycache__", ".env")
    shutil.copytree(EXAMPLE, folder, ignore=skip)
    for probe in ("card_probe.js", "playground_watch.js"):
        shutil.copy(HERE / probe, folder / "page")
    for name in PAGES:
        text = (folder / name).read_text(encoding="utf-8")
        watched = (
            '<script type="module" src="/page/playground_watch.js"></script>\n    <script type'
        )
        text = text.replace("/__litro/", f"{mount}__litro/").replace("<script type", watched, 1)
        (folder / name).write_text(text, encoding="utf-8")
    app = (folder / "app.py").read_text(encoding="utf-8")
    mounted = app.replace('Mount("/", litro)', f'Mount("{mount.rstrip("/") or "/"}", litro)')
    assert "litro)" in mounted
    (folder / "app.py").write_text(mounted, encoding="utf-8")
    return folder


@pytest.fixture(
    scope="module",
    params=[("lit", "/ai/"), ("fast", "/")],
    ids=["lit-ai", "fast"],
)
def playground(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Playground]:
    adapter, mount = request.param
    project = make_playground(tmp_path_factory.mktemp("playground") / "weather", mount)
    server = Server(project, LITRO_ADAPTER=adapter)
    yield Playground(server, mount, TAGS[adapter])
    said = server.stop()
    assert b"Traceback" not in said, said.decode()


def expect_live(card: Locator) -> None:
    """It shows °F, and a click shows what else its properties say."""
    expect(card.locator("h2, h3")).to_have_text("Lisbon")
    expect(card.locator(".temperature")).to_have_text("70 °F")
    card.get_by_role("button").click()
    expect(card.locator(".temperature")).to_have_text("21 °C")
    card.get_by_role("button").click()
    expect(card.locator(".temperature")).to_have_text("70 °F")


def expect_kept(page: Page, tag: str) -> None:
    """Every node that the server sent is still there, and nothing was put in."""
    page.evaluate("tag => customElements.whenDefined(tag).then(() => null)", tag)
    report = page.evaluate("window.settled().then(() => window.probe.report())")
    assert report["sent"] > 15
    assert report["lostBeyondBlank"] == report["changesBeyondBlank"] == 0
    if tag == TAGS["lit"]:
        assert report["lost"] == report["changes"] == 0


def shoot(page: Page, name: str) -> None:
    if folder := os.environ.get("SCREENSHOTS"):
        page.screenshot(path=Path(folder) / f"{name}.png")


def test_the_person_s_card_says_70_where_the_model_s_data_says_21(
    context: BrowserContext, playground: Playground, session: str
):
    chat = Chat(context.new_page(), playground.server.url, session)
    chat.ask(QUESTION)
    chat.ends()
    card = chat.cards.locator(playground.tag)
    expect_kept(chat.page, playground.tag)
    expect_live(card)
    assert violations(chat.page) == []
    shoot(chat.page, f"playground-{playground.tag}")
    told = playground.told(context, session)
    assert told["data"] == {"city": "Lisbon", "temp_c": 21, "summary": "sunny"}
    assert "70 °F" in told["html"] or "70<!--fe:/b--> °F" in told["html"]


def test_the_same_component_is_alive_on_an_ordinary_page(
    context: BrowserContext, playground: Playground
):
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    answer = page.goto(f"{playground.server.url}weather/Lisbon")
    assert answer is not None
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    expect_kept(page, playground.tag)
    expect_live(page.locator(playground.tag))
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert violations(page) == []
    shoot(page, f"playground-page-{playground.tag}")
    assert playground.server.url.rstrip("/") + playground.component in asked


def test_a_reload_brings_the_stored_card_back_alive(
    context: BrowserContext, playground: Playground, session: str
):
    chat = Chat(context.new_page(), playground.server.url, session)
    chat.ask(QUESTION)
    chat.ends()
    chat.page.reload()
    expect(chat.cards.locator(playground.tag)).to_have_count(1)
    expect_kept(chat.page, playground.tag)
    expect_live(chat.cards.locator(playground.tag))


def test_a_city_is_text_whatever_it_is_called(context: BrowserContext, playground: Playground):
    page = context.new_page()
    page.goto(f"{playground.server.url}weather/%3Cimg src=x onerror=alert(1)%3E%7B%7BtempC%7D%7D")
    city = "<img src=x onerror=alert(1)>{{tempC}}"
    expect(page.locator("h1")).to_have_text(f"The weather in {city}")
    page.locator(playground.tag).get_by_role("button").click()
    expect(page.locator(playground.tag).locator("h2")).to_have_text(city)
    assert page.locator("img").count() == 0


@pytest.mark.parametrize("adapter", ["lit", "fast"])
def test_a_card_stored_before_its_component_changed_is_alive_after_a_restart(
    context: BrowserContext, tmp_path: Path, session: str, adapter: str
):
    project = make_playground(tmp_path / "weather")
    server = Server(project, LITRO_ADAPTER=adapter)
    chat = Chat(context.new_page(), server.url, session)
    chat.ask(QUESTION)
    chat.ends()
    expect(chat.cards.locator("h2")).to_have_text("Lisbon")
    assert b"Traceback" not in server.stop()
    source = project / FILES[adapter]
    text = source.read_text(encoding="utf-8")
    assert "<h2>" in text
    source.write_text(text.replace("<h2>", "<h3>").replace("</h2>", "</h3>"), encoding="utf-8")
    server = Server(project, server.port, LITRO_ADAPTER=adapter)
    chat.page.reload()
    card = chat.cards.locator(TAGS[adapter])
    expect(card.locator("h3")).to_have_text("Lisbon")
    expect(card.locator("h2")).to_have_count(0)
    expect(card.get_by_role("button")).to_have_count(1)
    expect_live(card)
    assert b"Traceback" not in server.stop()
