"""The script of a live app: its components take over the nodes that were painted, from one document, in Chromium."""

import asyncio
import gzip
import shutil
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect

from litro.components import Components
from litro.components.rendering import Renderer
from litro.components.scan import scan
from litro.mcp.apps.toolchain import make_scripts
from litro.ui import element
from litro.ui.engine import find_node

CARD = r"""
import { LitElement, css, html } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { shared } from "./_shared.js";

export const raw = String.raw`<script>\n<!-- </script>`;
globalThis.said = [raw, "<!--<script></SCRIPT>", /<!--|<script/.test("<script"), `${shared}<script`];

@customElement("lit-card")
export class LitCard extends LitElement {
  static styles = css`b { color: green }`;
  @property() city = "nowhere";
  @property({ attribute: false }) days: string[] = [];
  @state() private count = 0;
  first = "";
  override willUpdate() { this.first ||= this.city; }
  override render() {
    return html`<!-- <script> --><b>${this.city}</b><button @click=${() => this.count++}>${this.count}</button>
      <ul>${this.days.map((day) => html`<li>${day}</li>`)}</ul>`;
  }
  async later() { return (await import("./_later.js")).later; }
}
"""
FAST_HTML = """
<f-template name="fast-card"><template><b>{{city}}</b><fast-dot name="{{city}}"></fast-dot><button @click="{add()}">{{count}}</button></template></f-template>
"""
FAST = """
import { FASTElement, attr, observable } from "@microsoft/fast-element";
import { declarativeTemplate } from "@microsoft/fast-element/declarative.js";
export class FastCard extends FASTElement {
  add() { this.count++; }
}
attr(FastCard.prototype, "city");
observable(FastCard.prototype, "count");
FastCard.define({ name: "fast-card", template: declarativeTemplate() });
"""
DOT_HTML = '<f-template name="fast-dot"><template><i>{{name}}</i></template></f-template>'
DOT = """
import { FASTElement, attr } from "@microsoft/fast-element";
import { declarativeTemplate } from "@microsoft/fast-element/declarative.js";
export class FastDot extends FASTElement {}
attr(FastDot.prototype, "name");
FastDot.define({ name: "fast-dot", template: declarativeTemplate() });
"""
OTHER = """
import { LitElement, html } from "lit";
import { classMap } from "lit/directives/class-map.js";
customElements.define("other-card", class extends LitElement {
  render() { return html`<p class=${classMap({ on: true })}></p>`; }
});
"""
FILES = {
    "components/lit-card.ts": CARD,
    "components/_shared.ts": "export const shared = '</script>' as string;",
    "components/_later.ts": "export const later = 'later';",
    "components/other-card.js": OTHER,
    "components/fast-card.js": FAST,
    "components/fast-card.html": FAST_HTML,
    "components/fast-dot.js": DOT,
    "components/fast-dot.html": DOT_HTML,
    # Whoever wrote that thought of what is imported from it, not of what registers tags.
    "package.json": '{"sideEffects": false}',
}
SETS = (("lit-card",), ("fast-card",), ("lit-card", "other-card"))

REMEMBER = """
const shadow = (tag) => document.querySelector(tag)?.shadowRoot;
window.painted = ["lit-card", "fast-card"].map((tag) => [...(shadow(tag)?.querySelectorAll("b, button") ?? [])]);
window.textBefore = [...shadow("lit-card")?.querySelectorAll("b, button, li") ?? []].map((node) => node.textContent);
"""


@dataclass(frozen=True, slots=True)
class Made:
    """Of each set, the script; of each component, its markup."""

    bundles: Mapping[tuple[str, ...], str]
    bridge: str
    shells: Mapping[str, str]

    def document(self, *names: str) -> str:
        shells = "".join(self.shells[name] for name in names if name in self.shells)
        return f"<!doctype html><body>{shells}<script>{REMEMBER}</script><script>{self.bundles[names]}</script>"


def in_a_thread(work: Coroutine[Any, Any, Made]) -> Made:
    """Playwright's event loop lives in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


async def made_of(project: Path, sets: Sequence[tuple[str, ...]]) -> Made:
    files = {file.name: file for file in scan(project)}
    components = Components(project, node=None, processes=1, development=False)
    shells: dict[str, str] = {}
    try:
        for adapter, tag, props in (
            ("lit", "lit-card", {"city": "Graz", "days": ["Mon", "Tue"]}),
            ("fast", "fast-card", {"city": "Graz", "count": 3}),
        ):
            renderer = Renderer(components, lambda adapter=adapter: adapter)
            shells[tag] = (await renderer.shell(element(tag, **props), live=True)).html
    finally:
        await components.close()
    asked = [[files[name] for name in names] for names in sets]
    made = await make_scripts(find_node(None), project, asked, components=tuple(files.values()))
    return Made(dict(zip(sets, made.bundles, strict=True)), made.bridge, shells)


def written(project: Path) -> Path:
    for name, text in FILES.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return project


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("project"))


@pytest.fixture(scope="module")
def made(project: Path) -> Made:
    return in_a_thread(made_of(project, SETS))


@pytest.fixture
def show(browser: Browser, tmp_path: Path) -> Iterator[Callable[[str], Page]]:
    """Shows a document, which may load nothing and complain of nothing."""
    asked: list[str] = []

    def hear(said: ConsoleMessage) -> None:
        # Of what a test does on purpose.
        if not said.text.startswith("Found declarative shadowrootmode"):
            asked.append(said.text)

    page = browser.new_page()
    page.on("pageerror", lambda error: asked.append(str(error)))
    page.on("console", hear)

    def opened(html: str) -> Page:
        file = tmp_path / "document.html"
        file.write_text(html)
        page.goto(file.as_uri())
        page.on("request", lambda request: asked.append(request.url))
        return page

    yield opened
    page.close()
    assert asked == []


def test_a_lit_card_takes_over_the_painted_nodes_and_renders_what_it_is_given(
    made: Made, show: Callable[[str], Page]
):
    page = show(made.document("lit-card"))
    assert page.evaluate("textBefore") == ["Graz", "0", "Mon", "Tue"]
    card = page.locator("lit-card")
    card.locator("button").click()
    card.evaluate("async (card) => { card.city = 'Linz'; await card.updateComplete; }")
    assert card.locator("b").text_content() == "Linz"
    expect(card.locator("button")).to_have_text("1")
    same = "(card) => [...card.shadowRoot.querySelectorAll('b, button')].every((node, at) => node === painted[0][at])"
    assert card.evaluate(same)
    assert card.evaluate("(card) => card.shadowRoot.querySelectorAll('li').length") == 2


def test_properties_are_there_before_a_card_wakes_up(made: Made, show: Callable[[str], Page]):
    card = show(made.document("lit-card")).locator("lit-card")
    assert card.evaluate("(card) => [card.first, card.days]") == ["Graz", ["Mon", "Tue"]]
    assert card.get_attribute("data-litro-hydrate") is None
    assert card.get_attribute("defer-hydration") is None


def test_a_fast_card_takes_over_the_painted_nodes_and_those_that_its_template_names(
    made: Made, show: Callable[[str], Page]
):
    page = show(made.document("fast-card"))
    card = page.locator("fast-card")
    card.locator("button").click()
    expect(card.locator("button")).to_have_text("4")
    card.evaluate("(card) => { card.city = 'Linz'; }")
    expect(card.locator("b")).to_have_text("Linz")
    expect(card.locator("fast-dot i")).to_have_text("Linz")
    same = "(card) => [...card.shadowRoot.querySelectorAll('b, button')].every((node, at) => node === painted[1][at])"
    assert card.evaluate(same)


def test_roots_that_the_host_left_templates_are_attached(made: Made, show: Callable[[str], Page]):
    page = show("<!doctype html><body>")
    page.evaluate(
        """([shell, script]) => {
          document.body.innerHTML = shell;
          window.wasTemplate = Boolean(document.querySelector("lit-card > template"));
          document.body.append(Object.assign(document.createElement("script"), { textContent: script }));
        }""",
        [made.shells["lit-card"], made.bundles["lit-card",]],
    )
    assert page.evaluate("wasTemplate")
    card = page.locator("lit-card")
    assert card.locator("template").count() == 0
    assert card.locator("b").all_text_contents() == ["Graz"]
    card.locator("button").click()
    expect(card.locator("button")).to_have_text("1")


def test_an_app_has_one_lit_and_its_imports_are_inside(made: Made, show: Callable[[str], Page]):
    page = show(made.document("lit-card", "other-card"))
    assert page.evaluate("[litElementVersions.length, litHtmlVersions.length]") == [1, 1]
    assert page.evaluate("Boolean(customElements.get('other-card'))")
    assert page.locator("lit-card").evaluate("(card) => card.later()") == "later"
    assert not any("import(" in script for script in made.bundles.values())


def test_what_would_end_or_swallow_the_script_is_spelled_otherwise_and_means_the_same(
    made: Made, show: Callable[[str], Page]
):
    for script in (*made.bundles.values(), made.bridge):
        assert not any(part in script.lower() for part in ("</script", "<script", "<!--"))
    said = show(made.document("lit-card")).evaluate("said")
    assert said == [
        r"<script>\n<!-- </script>", "<!--<script></SCRIPT>", True, "</script><script",
    ]  # fmt: skip


def test_the_same_files_make_the_same_bytes_wherever_they_are_and_whatever_is_made_beside_them(
    made: Made, project: Path, tmp_path: Path
):
    other = tmp_path / "else" / "where"
    shutil.copytree(project, other, ignore=shutil.ignore_patterns(".litro"))
    again = in_a_thread(made_of(other, SETS[:1]))
    assert again.bundles["lit-card",] == made.bundles["lit-card",]
    assert again.bridge == made.bridge
    assert again.shells == made.shells


@pytest.mark.parametrize(("names", "most"), [(("lit-card",), 15_000), (("fast-card",), 33_000)])
def test_a_live_document_is_small(made: Made, names: tuple[str, ...], most: int):
    document = made.document(*names) + made.bridge
    assert len(gzip.compress(document.encode())) <= most
