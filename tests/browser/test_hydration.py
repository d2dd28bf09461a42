"""Cards of Lit and of FAST in a real browser: what the server rendered is kept, wakes up, and is live."""

import json
import re
import shutil
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

import pytest
from card_site import CARDS, Cards, Site
from playwright.sync_api import BrowserContext, Page, expect

from litro.ui.composing import Template, element, html

DAYS = [{"name": "Mo", "tempC": 5}, {"name": "Tu", "tempC": 6}]
HOSTILE = '"><img onerror=x> </script> {{tempC}} \u2028'
MOUNTS = pytest.mark.parametrize("mount", ["", "deep/mount/"], ids=["root", "mount"])
KINDS = pytest.mark.parametrize("kind", ["lit", "f"])
EARLY = pytest.mark.parametrize("early", [True, False], ids=["card-first", "module-first"])


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with Site(Cards(CARDS, tmp_path_factory.mktemp("built"))).serving() as site:
        yield site


@pytest.fixture(scope="session")
def old(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Cards]:
    """The cards as they were before somebody gave them another heading, with more, fewer, or as many bindings."""
    headings = {
        "more": ("<h3>{{title}} {{tempC}}</h3>", "<h3>${this.title} ${this.tempC}</h3>"),
        "less": ("<h3>Weather</h3>", "<h3>Weather</h3>"),
        "other": ("<h3 id='{{title}}'></h3>", "<h3 id=${this.title}></h3>"),
    }
    return {name: _changed(tmp_path_factory.mktemp(name), *tags) for name, tags in headings.items()}


def _changed(folder: Path, in_fast: str, in_lit: str) -> Cards:
    shutil.copytree(CARDS, folder / "cards")
    for file, now, new in (
        ("f-card/f-card.html", "<h2>{{title}}</h2>", in_fast),
        ("lit-card.js", "<h2>${this.title}</h2>", in_lit),
    ):
        path = folder / "cards" / file
        text = path.read_text()
        assert now in text
        path.write_text(text.replace(now, new))
    return Cards(folder / "cards", folder / "built")


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()


def card(kind: str, **changes: Any) -> Template:
    """One card, with what its state begins with: a server cannot know what FAST's class would set."""
    props: dict[str, Any] = {"title": HOSTILE, "tempC": 21, "days": DAYS, **changes}
    if kind == "f":
        props["clicks"] = 0
    return element(f"{kind}-card", "slotted", **props)


def arrive(page: Page, result: dict[str, Any], mount: str = "") -> dict[str, int]:
    script = "async ([client, result]) => (await import('/card_probe.js')).arrive(client, result)"
    return page.evaluate(script, [f"/{mount}__litro/client.js", result])


def load_first(page: Page, result: dict[str, Any], mount: str = "") -> None:
    page.evaluate(
        "async ([base, names]) => { for (const name of names) await import(base + name.slice(1)); await new Promise(r => setTimeout(r, 30)); }",
        [f"/{mount}", result["hydrate"]["modules"]],
    )


def expect_live(page: Page, kind: str) -> None:
    shown = page.locator(f"{kind}-card").last
    shown.get_by_role("button").click()
    expect(shown.get_by_role("button")).to_have_text("1 clicks")
    shown.evaluate(
        "card => { card.title = 'Porto'; card.days = card.days.slice(1); card.tempC = 30; }"
    )
    expect(shown.locator("h2")).to_have_text("Porto")
    expect(shown.locator("li")).to_have_text(["Tu: 6"])
    expect(shown.locator(f"{kind}-badge span")).to_have_text("30°C")


@MOUNTS
@EARLY
@KINDS
def test_a_card_keeps_every_node_and_is_live(
    site: Site, page: Page, kind: str, early: bool, mount: str
):
    result = site.cards.result(card(kind), f"{kind}-card")
    page.goto(site.url + mount)
    if not early:
        load_first(page, result, mount)
    report = arrive(page, result, mount)
    assert report["sent"] > 20
    assert report["lostBeyondBlank"] == report["changesBeyondBlank"] == 0
    if kind == "lit":
        assert report["lost"] == report["changes"] == 0
    shown = page.locator(f"{kind}-card")
    expect(shown.locator("h2")).to_have_text(HOSTILE)
    assert shown.evaluate("card => [card.tempC, card.days, card.title]") == [21, DAYS, HOSTILE]
    assert page.locator("img").count() == 0
    expect_live(page, kind)


def expect_one(page: Page, kind: str) -> None:
    shown = page.locator(f"{kind}-card")
    for part in ("h2", "button", "ul", f"{kind}-badge"):
        expect(shown.locator(part)).to_have_count(1)
    expect(shown.locator("h3")).to_have_count(0)
    expect(shown.locator("h2")).to_have_text(HOSTILE)
    expect(shown.locator("li")).to_have_text(["Mo: 5", "Tu: 6"])
    expect(shown).to_contain_text("slotted")


@EARLY
@KINDS
@pytest.mark.parametrize("change", ["more", "less", "other"])
def test_a_card_stored_before_its_component_changed_is_rendered_from_its_properties(
    site: Site, old: dict[str, Cards], page: Page, kind: str, change: str, early: bool
):
    result = old[change].result(card(kind), f"{kind}-card")
    assert "<h3" in result["html"]
    page.goto(site.url)
    if not early:
        load_first(page, result)
    arrive(page, result)
    expect_one(page, kind)
    if kind == "lit":
        color = "h2 => getComputedStyle(h2).color"
        assert page.locator("lit-card h2").evaluate(color) == "rgb(1, 2, 3)"
    expect_live(page, kind)


@KINDS
def test_properties_that_are_not_those_of_the_markup_win(site: Site, page: Page, kind: str):
    result = site.cards.result(card(kind, days=[DAYS[0]]), f"{kind}-card")
    result["hydrate"]["props"]["days"] = DAYS
    page.goto(site.url)
    arrive(page, result)
    expect_one(page, kind)
    expect_live(page, kind)


@KINDS
def test_a_card_that_was_sent_empty_is_filled_later(site: Site, page: Page, kind: str):
    result = site.cards.result(card(kind, title=""), f"{kind}-card")
    page.goto(site.url)
    arrive(page, result)
    expect(page.locator(f"{kind}-card h2")).to_have_text("")
    expect_live(page, kind)


def test_markup_whose_comments_were_taken_out_is_rendered_anew(site: Site, page: Page):
    result = site.cards.result(card("lit"), "lit-card")
    result["html"] = re.sub("<!--.*?-->", "", result["html"])
    page.goto(site.url)
    arrive(page, result)
    expect_one(page, "lit")
    expect_live(page, "lit")


@KINDS
def test_without_any_runtime_the_card_shows(site: Site, page: Page, kind: str):
    result = site.cards.result(card(kind))
    page.goto(site.url)
    report = arrive(page, result)
    assert report["changes"] == 0
    expect_one(page, kind)


@KINDS
def test_a_module_that_is_gone_is_told_once_and_the_card_shows(site: Site, page: Page, kind: str):
    warnings: list[str] = []
    page.on("console", lambda said: warnings.append(said.text) if said.type == "warning" else None)
    result = site.cards.result(card(kind))
    result["hydrate"]["modules"] = ["/__litro/components/gone.js"]
    page.goto(site.url)
    for _ in range(2):
        arrive(page, result)
    assert page.locator(f"{kind}-card h2").all_text_contents() == [HOSTILE, HOSTILE]
    assert len(warnings) == 1
    assert '"/__litro/components/gone.js" was not loaded' in warnings[0]


def test_components_beside_the_root_get_their_properties(site: Site, page: Page):
    badges = [html("<li><lit-badge .value={v}></lit-badge></li>", v=n) for n in (7, 8)]
    template = html(
        "<lit-card .title={t} .days={d}><lit-badge slot='x' .value={v}></lit-badge></lit-card><ul>{b}</ul>",
        t="T",
        d=DAYS,
        v=HOSTILE,
        b=badges,
    )
    result = site.cards.result(template, "lit-card")
    page.goto(site.url)
    report = arrive(page, result)
    assert report["lost"] == report["changes"] == 0
    values = "badges => badges.map((badge) => badge.value)"
    assert page.locator("main > ul lit-badge").evaluate_all(values) == [7, 8]
    assert page.locator("lit-badge[slot]").evaluate_all(values) == [HOSTILE]
    assert page.locator("[data-litro-props], [defer-hydration]").count() == 0
    page.locator("main > ul lit-badge").last.evaluate("badge => { badge.value = 9; }")
    expect(page.locator("main > ul lit-badge").last).to_have_text("9°C")


def test_several_cards_share_their_module_and_stay_apart(site: Site, page: Page):
    results = site.cards.results([card("f", title="A"), card("f", title="B")], "f-card")
    page.goto(site.url)
    for result in results:
        arrive(page, result)
    expect(page.locator("f-card h2")).to_have_text(["A", "B"])
    page.locator("f-card").first.get_by_role("button").click()
    expect(page.locator("f-card button")).to_have_text(["1 clicks", "0 clicks"])
    assert page.locator("head f-template").count() == 2


def on_page(result: dict[str, Any], tag: str) -> str:
    """As `litro.ui.render` writes it for a page."""
    hydration = escape(json.dumps(result["hydrate"]))
    start = f"<{tag}"
    return result["html"].replace(
        start, f"{start} defer-hydration data-litro-hydrate='{hydration}'", 1
    )


@MOUNTS
@KINDS
def test_a_page_wakes_its_own_components(site: Site, page: Page, kind: str, mount: str):
    result = site.cards.result(card(kind), f"{kind}-card")
    markup = on_page(result, f"{kind}-card")
    site.pages["page"] = (
        f"<!doctype html><body>{markup}<script type='module' src='/card_watch.js'></script>"
        f"<script type='module' src='/{mount}__litro/client.js'></script></body>"
    )
    page.goto(f"{site.url}{mount}page")
    page.evaluate("tag => customElements.whenDefined(tag).then(() => null)", f"{kind}-card")
    report = page.evaluate("window.settled().then(() => window.probe.report())")
    assert report["lostBeyondBlank"] == report["changesBeyondBlank"] == 0
    if kind == "lit":
        assert report["lost"] == report["changes"] == 0
    assert page.locator("[data-litro-hydrate], [defer-hydration]").count() == 0
    expect_one(page, kind)
    expect_live(page, kind)


def test_a_page_of_several_wakes_each_with_its_own_properties(site: Site, page: Page):
    template = html(
        "<lit-card .title={t}></lit-card><lit-badge .value={v}></lit-badge>", t="A", v=8
    )
    [lit, fast] = site.cards.results([template, card("f", title="B")], "lit-card", "f-card")
    lit["html"] = lit["html"].replace("<lit-badge data", "<lit-badge defer-hydration data")
    site.pages["several"] = (
        f"<!doctype html><body><div>{on_page(lit, 'lit-card')}</div>{on_page(fast, 'f-card')}"
        "<script type='module' async src='/__litro/client.js'></script></body>"
    )
    page.goto(f"{site.url}several")
    page.evaluate(
        "Promise.all(['f-card', 'lit-card'].map((t) => customElements.whenDefined(t))).then(() => null)"
    )
    page.locator("lit-card").get_by_role("button").click()
    expect(page.locator("lit-card button")).to_have_text("1 clicks")
    page.locator("f-card").get_by_role("button").click()
    expect(page.locator("f-card button")).to_have_text("1 clicks")
    assert page.locator("div > lit-badge").evaluate("badge => badge.value") == 8
    assert page.locator("lit-card, f-card").evaluate_all(
        "all => all.map((card) => card.title)"
    ) == ["A", "B"]
    assert page.locator("[data-litro-props], [data-litro-hydrate], [defer-hydration]").count() == 0


@pytest.mark.parametrize(
    "name",
    [
        "https://elsewhere.example/x.js",
        "//elsewhere.example/x.js",
        "\\\\elsewhere.example\\x.js",
        "data:text/javascript,window.harm=1",
        "/__litro/components/../../card_probe.js",
        "/card_probe.js",
        "%2e%2e/card_probe.js",
        {"toString": 1},
    ],
)
def test_a_page_imports_nothing_but_components(site: Site, page: Page, name: object):
    hydration = escape(json.dumps({"props": {"innerHTML": "<i>harm</i>"}, "modules": [name]}))
    site.pages["hostile"] = (
        f"<!doctype html><body><x-y data-litro-hydrate='{hydration}'>safe</x-y>"
        "<script type='module' src='/__litro/client.js'></script></body>"
    )
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{site.url}hostile")
    expect(page.locator("x-y")).to_have_text("safe")
    page.evaluate("import('/__litro/client.js')")
    names = {url.removeprefix(site.url) for url in asked} - {"favicon.ico"}
    assert names == {"hostile", "__litro/client.js", "__litro/hydrate.js"}


def test_hostile_properties_change_nothing(site: Site, page: Page):
    props = {
        "__proto__": {"harm": 1},
        "constructor": 1,
        "innerHTML": "<i>x</i>",
        "outerHTML": "<i>x</i>",
        "outerText": "x",
        "textContent": "x",
        "attachShadow": 1,
        "href": "java\nscript:harm()",
        "id": "kept",
    }
    page.goto(site.url)
    for tag in ("a", "x-y"):
        arrive(page, {"html": f"<{tag}>safe</{tag}>", "hydrate": {"props": props}})
    first, second = page.locator("main > *").evaluate_all(
        "all => all.map((e) => [e.textContent, e.localName, typeof e.attachShadow, e.harm ?? null])"
    )
    assert first == ["safe", "a", "function", None]
    assert second == ["safe", "x-y", "function", None]
    assert page.locator("a").evaluate("a => [a.href, a.id]") == ["", "kept"]


@EARLY
def test_a_property_of_every_element_is_the_elements_where_no_component_wants_it(
    site: Site, page: Page, early: bool
):
    result = site.cards.result(element("lit-badge", value=3, title="Tip", lang="pt"), "lit-badge")
    page.goto(site.url)
    if not early:
        load_first(page, result)
    report = arrive(page, result)
    assert report["changes"] == 0
    badge = page.locator("lit-badge")
    assert badge.evaluate("b => [b.title, b.getAttribute('title'), b.lang, b.value]") == [
        "Tip",
        "Tip",
        "pt",
        3,
    ]


def test_a_property_that_cannot_be_set_is_told_and_the_others_are_set(site: Site, page: Page):
    warnings: list[str] = []
    page.on("console", lambda said: warnings.append(said.text) if said.type == "warning" else None)
    page.goto(site.url)
    props = {"value": "C:/file", "title": "Kept"}
    arrive(page, {"html": "<input type='file'>", "hydrate": {"props": props}})
    assert page.locator("input").get_attribute("title") == "Kept"
    assert len(warnings) == 1
    assert "value of <input> was not set" in warnings[0]


@KINDS
def test_two_apps_on_a_page_share_the_first_ones_component(site: Site, page: Page, kind: str):
    warnings: list[str] = []
    page.on("console", lambda said: warnings.append(said.text) if said.type == "warning" else None)
    result = site.cards.result(card(kind), f"{kind}-card")
    page.goto(site.url)
    arrive(page, result)
    report = arrive(page, result, "deep/mount/")
    assert report["lostBeyondBlank"] == report["changesBeyondBlank"] == 0
    expect_live(page, kind)
    assert warnings == []
