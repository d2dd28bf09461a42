"""FAST's output: what Node prints by hand, and never markup of a value."""

import asyncio
import functools
import json
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litro.errors import RenderFailed
from litro.ui.composing import Template, element, html
from litro.ui.engine import Pool, find_node
from litro.ui.renderers import fast

BY_HAND = Path(__file__).with_name("fast_by_hand.mjs")
TEMPLATES = {
    "f-badge": "<span>{{value}}°C</span>",
    "f-card": (
        '<h2 title="{{city}}">{{city}}</h2><f-badge value="{{tempC}}"></f-badge><f-when value="{{days.length}}"><ul>'
        '<f-repeat value="{{day in days}}"><li>{{day.name}}: {{day.tempC}}</li></f-repeat></ul></f-when><slot></slot>'
    ),
    "f-flag": '<i ?hidden="{{isOff}}">{{label}}</i>',
    "f-self": "<f-self></f-self>",
}
HOSTILE = [
    "</script><script>harm()</script>",
    '"><img src=x onerror=harm()>',
    "'><img src=x onerror=harm()>",
    "</template></f-card><b>",
    "{{city}} {{{city}}} {city} }}{{",
    "<!-- --> <!--fe:b-->",
    "\u2028 \u2029 \x00 \ufeff",
    "&lt;b&gt; &amp;amp; &#123;&#123;city}}",
    "\ud83d half \udca9",
    "<" * 1000,
]


def render(*templates: Template) -> list[str]:
    """Through the engine, as an app does."""
    components = {tag: {"content": content} for tag, content in TEMPLATES.items()}
    setup = {"op": "load", "modules": [{"name": "cards", "templates": components}]}

    async def all_of_them() -> list[str]:
        pool = Pool(lambda: find_node(None), size=1, setup=setup)
        try:
            return [await _html(pool, template) for template in templates]
        finally:
            await pool.close()

    return asyncio.run(all_of_them())


async def _html(pool: Pool, template: Template) -> str:
    request = {"op": "render", "adapter": "fast", "template": fast.pieces(template)}
    answer = await pool.request(request, timeout=10)
    if not answer["ok"]:
        raise RenderFailed(answer["message"])
    return answer["html"]


def by_hand(cases: list[tuple[str, dict[str, Any]]]) -> list[str]:
    """What Node prints with `@microsoft/fast-build` alone."""
    asked = json.dumps({"templates": TEMPLATES, "cases": cases})
    node = find_node(None).path
    done = subprocess.run([node, BY_HAND], input=asked, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


DAYS = [{"name": "Mo", "tempC": 5}, {"name": "<Tu>", "tempC": -1.5}]
EQUAL: list[tuple[Template, str, dict[str, Any]]] = [
    (element("f-badge", value=21), "<f-badge></f-badge>", {"value": 21}),
    (element("f-badge"), "<f-badge></f-badge>", {}),
    (element("f-badge", slot="x"), '<f-badge slot="{{s}}"></f-badge>', {"s": "x"}),
    (html("<f-badge value={v}></f-badge>", v=21), '<f-badge value="{{v}}"></f-badge>', {"v": 21}),
    (
        html("<f-badge value='a {v} b'></f-badge>", v="q'\""),
        '<f-badge value="{{v}}"></f-badge>',
        {"v": "a q'\" b"},
    ),
    (
        html("<f-badge value={v}></f-badge>", v=None),
        '<f-badge value="{{v}}"></f-badge>',
        {"v": None},
    ),
    (
        html("<f-badge ?inert={v}></f-badge>", v=True),
        '<f-badge ?inert="{{v}}"></f-badge>',
        {"v": True},
    ),
    (
        html("<f-badge ?inert={v}></f-badge>", v=False),
        '<f-badge ?inert="{{v}}"></f-badge>',
        {"v": False},
    ),
    (html("<f-badge hidden class=x></f-badge>"), '<f-badge hidden class="x"></f-badge>', {}),
    (
        element("f-card", city="Lis<b>", tempC=3, days=DAYS),
        "<f-card></f-card>",
        {"city": "Lis<b>", "tempC": 3, "days": DAYS},
    ),
    (element("f-card", city="x", days=[]), "<f-card></f-card>", {"city": "x", "days": []}),
    (
        element("f-card", "text & <i>", city="x"),
        "<f-card>{{c}}</f-card>",
        {"city": "x", "c": "text & <i>"},
    ),
    (
        html("<f-card .city={c} temp-c={t}><em>{e}</em></f-card>", c="x", t=4, e='"'),
        '<f-card temp-c="{{t}}"><em>{{e}}</em></f-card>',
        {"city": "x", "t": 4, "e": '"'},
    ),
    (
        element("f-flag", isOff=True, label="on"),
        "<f-flag></f-flag>",
        {"isOff": True, "label": "on"},
    ),
    (
        element("f-flag", isOff=False, label=True),
        "<f-flag></f-flag>",
        {"isOff": False, "label": True},
    ),
    (
        html("<p class={c}>{t}</p>", c="a'b", t="1 > 0"),
        '<p class="{{c}}">{{t}}</p>',
        {"c": "a'b", "t": "1 > 0"},
    ),
    (
        element("f-card", days=[{"name": str(n), "tempC": n} for n in range(200)]),
        "<f-card></f-card>",
        {"days": [{"name": str(n), "tempC": n} for n in range(200)]},
    ),
]


def test_the_output_is_what_node_prints_by_hand():
    rendered = render(*(template for template, _, _ in EQUAL))
    printed = by_hand([(entry, state) for _, entry, state in EQUAL])
    for (template, _, _), ours, theirs in zip(EQUAL, rendered, printed, strict=True):
        assert ours == theirs, template


def test_a_component_beside_the_root_sees_nothing_of_its_state():
    template = html("<f-badge .value={v}><f-badge></f-badge></f-badge>", v=7)
    [shown] = render(template)
    assert shown.count("7") == 1


def test_templates_and_lists_in_a_template_are_rendered_in_their_places():
    rows = [html("<li><f-badge value={n}></f-badge></li>", n=n) for n in (1, 2)]
    [shown] = render(
        html("<ul class='{c}'>{rows}</ul>{rest}", c="x y", rows=rows, rest=[None, True, 1.0])
    )
    assert shown.startswith(
        '<ul class="x y"><li><f-badge value="1"><template shadowrootmode="open"'
    )
    assert shown.endswith("</template></f-badge></li></ul>true1")


def test_braces_of_the_template_itself_are_text():
    [shown] = render(
        html("<b title='{{{{x}}}}'>{{{v}}}</b><f-badge value='{{{{v}}}}'></f-badge>", v="x")
    )
    assert "<b title='{{x}}'>{x}</b>" in shown
    assert '<f-badge value="{{v}}">' in shown


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.text = ""
        self.values: list[str | None] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.values += [value for _, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data


def read(shown: str) -> _Reader:
    reader = _Reader()
    reader.feed(shown)
    reader.close()
    return reader


def everywhere(value: str) -> Template:
    """One value in every position."""
    return html(
        "<f-card .city={v} .days={d} lang={v} title='a {v}'>{v}<b lang={v} title=\"{v} b\">{v}</b><f-badge value={v}></f-badge></f-card>",
        v=value,
        d=[{"name": value, "tempC": value}],
    )


@functools.cache
def tags_of_a_safe_value() -> list[str]:
    return read(render(everywhere("safe"))[0]).tags


@pytest.mark.parametrize("value", HOSTILE, ids=ascii)
def test_a_hostile_value_stays_text_in_every_position(value: str):
    reader = read(render(everywhere(value))[0])
    shown = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\x00", "")
    assert reader.tags == tags_of_a_safe_value()
    assert reader.text.replace("\x00", "").count(shown) >= 4


@settings(max_examples=15, deadline=None)
@given(st.lists(st.text(), min_size=20, max_size=40))
def test_no_value_at_all_adds_a_tag(values: list[str]):
    for shown in render(*map(everywhere, values)):
        assert read(shown).tags == tags_of_a_safe_value()


def test_a_megabyte_of_text_is_text():
    [shown] = render(element("f-badge", value="<a>{{b}}" * 60_000))
    assert read(shown).tags == ["f-badge", "template", "span"]


def test_a_component_that_holds_itself_fails_and_the_next_is_rendered():
    components = {tag: {"content": content} for tag, content in TEMPLATES.items()}
    setup = {"op": "load", "modules": [{"name": "cards", "templates": components}]}

    async def both() -> str:
        pool = Pool(lambda: find_node(None), size=1, setup=setup)
        try:
            with pytest.raises(RenderFailed, match="<f-self> is too deep, or holds itself"):
                await _html(pool, element("f-self"))
            return await _html(pool, element("f-badge", value=1))
        finally:
            await pool.close()

    assert "1" in asyncio.run(both())


def test_a_tag_without_a_template_is_named_with_those_that_have_one():
    with pytest.raises(
        RenderFailed, match=r"<x-y> has no <f-template>.* f-badge, f-card, f-flag, f-self"
    ):
        render(element("x-y"))
