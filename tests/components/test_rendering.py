"""Templates of a project's components, rendered: which adapter, which tags, and what brings them to life."""

import json
from collections.abc import AsyncIterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from components.projects import CARD, components_of, write
from litro.components.rendering import Renderer
from litro.errors import RenderFailed, SettingsError, TemplateError
from litro.ui import element, html

F_CARD = '<f-template name="f-card"><template><b>{{city}}</b></template></f-template>'
F_CARD_JS = """
import { FASTElement } from "@microsoft/fast-element";
export class FCard extends FASTElement {}
FCard.define({ name: "f-card" });
"""


class Chosen:
    """An adapter that changes while the app runs."""

    name = "lit"

    def __call__(self) -> str:
        return self.name


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    files = {"demo-card.js": CARD, "f/f-card.html": F_CARD, "f/f-card.js": F_CARD_JS}
    return write(tmp_path_factory.mktemp("project"), files)


@pytest.fixture
def adapter() -> Chosen:
    return Chosen()


@pytest.fixture
async def renderer(project: Path, adapter: Chosen) -> AsyncIterator[Renderer]:
    async with components_of(project) as components:
        yield Renderer(components, adapter)


def attributes_of(markup: str, tag: str) -> dict[str, str | None]:
    found: list[dict[str, str | None]] = []

    class Parser(HTMLParser):
        def handle_starttag(self, name: str, attrs: list[tuple[str, str | None]]) -> None:
            if name == tag:
                found.append(dict(attrs))

    Parser().feed(markup)
    return found[0]


async def test_hydrate_has_the_roots_properties_and_the_stable_addresses(renderer: Renderer):
    rendered = await renderer.render(element("demo-card", city="Graz", tempC=21))
    assert ">Graz<" in rendered.html
    assert rendered.hydrate == {
        "modules": ["/__litro/components/demo-card.js"],
        "props": {"city": "Graz", "tempC": 21},
    }


async def test_other_components_than_the_root_bring_their_own_properties(renderer: Renderer):
    cards = [element("demo-card", city=city) for city in ("Graz", "<b>")]
    rendered = await renderer.render(html("<section>{cards}</section>", cards=cards))
    assert rendered.hydrate["props"] == {}
    props = attributes_of(rendered.html.partition("</demo-card>")[2], "demo-card")
    assert json.loads(props["data-litro-props"] or "") == {"city": "<b>"}


async def test_a_component_of_a_page_says_for_itself_what_brings_it_to_life(renderer: Renderer):
    page = await renderer.page(html("<p>{card}</p>", card=element("demo-card", city='"<Graz>')))
    attributes = attributes_of(page, "demo-card")
    assert "defer-hydration" in attributes
    assert json.loads(attributes["data-litro-hydrate"] or "") == {
        "props": {"city": '"<Graz>'},
        "modules": ["/__litro/components/demo-card.js"],
    }


async def test_the_adapter_is_chosen_at_each_render(renderer: Renderer, adapter: Chosen):
    assert "Graz" in (await renderer.render(element("demo-card", city="Graz"))).html
    adapter.name = "fast"
    assert "Graz" in (await renderer.render(element("f-card", city="Graz"))).html


async def test_any_other_adapter_is_an_error_that_names_the_two(
    renderer: Renderer, adapter: Chosen
):
    adapter.name = "vue"
    with pytest.raises(SettingsError, match="'vue', so 'lit' or 'fast'"):
        await renderer.render(element("demo-card"))


async def test_a_tag_that_no_component_registers_is_named_beside_a_registered_one(
    renderer: Renderer,
):
    template = html("<demo-card></demo-card><no-such></no-such>")
    for rendering in (renderer.render, renderer.page):
        with pytest.raises(RenderFailed, match="<no-such> is registered by no component") as failed:
            await rendering(template)
        assert "Registered for it are: demo-card." in str(failed.value)


@pytest.mark.parametrize(("name", "tag"), [("lit", "f-card"), ("fast", "demo-card")])
async def test_a_component_of_the_other_adapter_is_no_empty_tag(
    renderer: Renderer, adapter: Chosen, name: str, tag: str
):
    adapter.name = name
    with pytest.raises(RenderFailed, match=f"<{tag}> is registered by a component of"):
        await renderer.render(element(tag))


@pytest.mark.parametrize(("name", "tag"), [("lit", "f-card"), ("fast", "demo-card")])
async def test_a_shell_is_rendered_by_the_adapter_that_knows_its_components(
    renderer: Renderer, adapter: Chosen, name: str, tag: str
):
    adapter.name = name
    shell = await renderer.shell(element(tag), live=False)
    assert "shadowrootmode" in shell.html
    with pytest.raises(RenderFailed, match="is registered by a component of"):
        await renderer.shell(html("<demo-card></demo-card><f-card></f-card>"), live=False)


async def test_a_value_without_json_is_told_with_its_place(renderer: Renderer):
    with pytest.raises(TemplateError, match="city of <demo-card>"):
        await renderer.render(element("demo-card", city=object()))
