"""The example's apps in three hosts that others wrote, in a browser: what the person sees, and what the hosts are told.

The model's side says 21, the card 70. The cards come from `litro mcp-app build` and from `litro serve`, of a copy of the example.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import app_hosts
import mcp_rigs
import pytest
from app_hosts import Call, Shown
from playwright.sync_api import Browser, Page, expect

pytestmark = [pytest.mark.once, pytest.mark.timeout(240)]

EXAMPLE = Path(__file__).parents[2] / "examples/weather"
LISBON = {"city": "Lisbon"}
SIZE = "ui/notifications/size-changed"
HOSTS = ["appbridge", "appbridge-modern", "mcpui", "inspector"]

# The Inspector's page works for seconds before its app is there.
expect.set_options(timeout=30_000)

Opener = Callable[[str, str, dict[str, Any]], Shown]


def copied(folder: Path) -> Path:
    kept_out = shutil.ignore_patterns(".litro", "__pycache__", ".env", "dist")
    return shutil.copytree(EXAMPLE, folder, ignore=kept_out)


def build(project: Path, **more: str) -> None:
    command = [sys.executable, "-m", "litro", "mcp-app", "build", "--project", str(project)]
    environment = mcp_rigs.environment(**more)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def mcp(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the example's agent."""
    project = copied(tmp_path_factory.mktemp("apps") / "weather")
    build(project)
    with mcp_rigs.served(project) as routes:
        yield f"{routes}/demo"


@pytest.fixture(scope="module")
def pages() -> Iterator[str]:
    with app_hosts.host_pages() as address:
        yield address


@pytest.fixture(scope="module")
def inspector(tmp_path_factory: pytest.TempPathFactory) -> Iterator[app_hosts.Inspector]:
    with app_hosts.inspector(tmp_path_factory.mktemp("inspector")) as started:
        yield started


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page(color_scheme="light")
    yield page
    page.close()


@pytest.fixture
def opened(
    page: Page, mcp: str, pages: str, inspector: app_hosts.Inspector
) -> Callable[[str, str, dict[str, Any]], Shown]:
    """Show a tool's app in a host; its result is held back."""

    def opening(host: str, tool: str, args: dict[str, Any]) -> Shown:
        call = Call(mcp, tool, args)
        if host == "inspector":
            return inspector.show(page, call)
        name, _, era = host.partition("-")
        return app_hosts.show(page, pages, name, call, "2026-07-28" if era else "")

    return opening


def expect_quiet(shown: Shown) -> None:
    """It asked for nothing and broke no policy; and this test would have heard if it had."""
    assert shown.asked == shown.complaints == []
    tried = shown.evaluate(
        "() => fetch('https://example.com/').then(() => 'came', () => 'refused')"
    )
    assert tried == "refused"
    assert "https://example.com/" in shown.complaints[0]


def shoot(shown: Shown, name: str) -> None:
    if folder := os.environ.get("SCREENSHOTS"):
        shown.page.screenshot(path=Path(folder) / f"app-{name}.png")


PAINTED = "() => performance.getEntriesByName('first-contentful-paint').length"


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize(
    ("tool", "summary"), [("get-weather", "sunny"), ("get-forecast", "sunny tomorrow")]
)
def test_a_card_is_painted_empty_then_says_70_where_the_model_reads_21(
    opened: Opener, host: str, tool: str, summary: str
):
    shown = opened(host, tool, LISBON)
    card = shown.card.locator("demo-weather-card")
    expect(card.locator(".temperature")).to_have_text("- °F")
    assert shown.evaluate(PAINTED) == 1
    shoot(shown, f"{host}-{tool}-empty")
    shown.release()
    expect(card.locator(".temperature")).to_have_text("70 °F")
    expect(card.locator("h2")).to_have_text("Lisbon")
    expect(card.locator("p").last).to_have_text(summary)
    if tool == "get-weather":
        card.get_by_role("button").click()
        expect(card.locator(".temperature")).to_have_text("21 °C")
    shoot(shown, f"{host}-{tool}")
    [told] = shown.result["content"]
    assert told["text"] == f'{{"city":"Lisbon","temp_c":21,"summary":"{summary}"}}'
    # Empty and filled, with either unit, it is as high.
    shown.settle()
    [size] = shown.said(SIZE)
    assert size == {"height": pytest.approx(shown.evaluate("e => e.scrollHeight"), abs=1)}
    expect_quiet(shown)


@pytest.mark.parametrize("host", HOSTS)
def test_a_button_calls_the_tool_back_and_shows_what_it_answers(opened: Opener, host: str):
    shown = opened(host, "watch-weather", LISBON)
    card = shown.card.locator("weather-refresh")
    expect(card.locator("time")).to_have_count(0)
    shown.release()
    first = card.locator("time").get_attribute("datetime")
    expect(card.locator(".temperature")).to_have_text("70 °F")
    card.get_by_role("button", name="Read again").click()
    expect(card.locator("time")).not_to_have_attribute("datetime", str(first))
    expect(card.get_by_role("button", name="Read again")).to_have_attribute(
        "aria-disabled", "false"
    )
    [call] = shown.said("tools/call")
    assert call == {"name": "watch-weather", "arguments": LISBON}
    shown.settle()
    assert len(shown.said(SIZE)) == 1
    shoot(shown, f"{host}-watch-weather")
    expect_quiet(shown)


@pytest.mark.parametrize("host", ["appbridge", "mcpui"])
def test_an_explorer_looks_up_what_the_person_asks_for(opened: Opener, host: str):
    shown = opened(host, "compare-weather", {"cities": ["Lisbon", "Oslo"]})
    shown.release()
    card = shown.card.locator("weather-explorer")
    expect(card.get_by_role("status")).to_have_text("Lisbon is 43 °F warmer than Oslo.")
    card.get_by_role("textbox", name="City").fill("Cairo")
    card.get_by_role("textbox", name="City").press("Enter")
    expect(card.get_by_role("status")).to_have_text("Cairo is 61 °F warmer than Oslo.")
    expect(card.get_by_role("listitem")).to_contain_text(["Cairo", "Lisbon", "Oslo"])
    shoot(shown, f"{host}-compare-weather")
    card.get_by_role("button", name="Remove Cairo").click()
    expect(card.get_by_role("listitem")).to_have_count(2)
    expect_quiet(shown)


@pytest.mark.parametrize("host", ["appbridge", "mcpui"])
def test_a_card_answers_before_it_is_taken_away(opened: Opener, host: str):
    shown = opened(host, "get-weather", LISBON)
    shown.release()
    expect(shown.card.locator(".temperature")).to_have_text("70 °F")
    shown.teardown()
    shown.page.wait_for_function("heard.some((message) => 'result' in message)")
    assert shown.answers() == [{}]


def test_a_host_is_told_that_there_are_apps_in_both_eras(opened: Opener):
    for host, revision in (("appbridge", "2025-11-25"), ("appbridge-modern", "2026-07-28")):
        shown = opened(host, "get-weather", LISBON)
        shown.release()
        told = shown.page.evaluate("({ revision: host.revision, extensions: host.extensions })")
        assert told == {"revision": revision, "extensions": {"io.modelcontextprotocol/ui": {}}}


def test_a_card_looks_as_its_host_does(opened: Opener):
    shown = opened("appbridge", "get-weather", LISBON)
    shown.release()
    heading = shown.card.locator("h2")
    expect(heading).to_have_text("Lisbon")
    expect(heading).to_have_css("color", "rgb(250, 240, 230)")
    expect(heading).to_have_css("font-family", "monospace")
    border = shown.card.locator("article")
    expect(border).to_have_css("border-top-color", "rgb(55, 58, 65)")
    shown.page.evaluate("host.change({ theme: 'light' })")
    expect(border).to_have_css("border-top-color", "rgb(220, 218, 213)")


@pytest.mark.parametrize(
    "tool", ["get-weather", "get-forecast", "watch-weather", "compare-weather"]
)
def test_a_narrow_host_has_no_need_to_scroll_sideways(opened: Opener, tool: str):
    city = "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch"
    args = {"cities": [city, "Oslo"]} if tool == "compare-weather" else {"city": city}
    shown = opened("mcpui", tool, args)
    shown.page.set_viewport_size({"width": 320, "height": 600})
    shown.release()
    expect(shown.card.get_by_text("70 °F")).to_be_visible()
    shoot(shown, f"narrow-{tool}")
    assert shown.evaluate("e => e.scrollWidth <= e.clientWidth && e.clientWidth <= 320")


def test_the_twin_in_fast_is_as_alive(
    page: Page, pages: str, tmp_path_factory: pytest.TempPathFactory
):
    project = copied(tmp_path_factory.mktemp("fast") / "weather")
    build(project, LITRO_ADAPTER="fast")
    with mcp_rigs.served(project, LITRO_ADAPTER="fast") as routes:
        shown = app_hosts.show(
            page, pages, "appbridge", Call(f"{routes}/demo", "get-weather", LISBON)
        )
        temperature = shown.card.locator("f-weather-card .temperature")
        expect(temperature).to_have_text("- °F")
        shown.release()
        expect(temperature).to_have_text("70 °F")
        expect(shown.card.locator("h2")).to_have_text("Lisbon")
        shown.card.get_by_role("button").click()
        expect(temperature).to_have_text("21 °C")
        shown.settle()
        assert len(shown.said(SIZE)) == 1
        expect_quiet(shown)
