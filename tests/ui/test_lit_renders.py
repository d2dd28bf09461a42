"""What the engine renders is, byte for byte, what plain Node prints with npm's Lit and @lit-labs/ssr; and data is never markup.

A case is a template in Python, the JavaScript literal that means the same, and their values.
"""

import asyncio
import json
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from litro.components import Components
from litro.ui.composing import element, html
from litro.ui.template import Template
from ui.engines import node

HERE = Path(__file__).parent
NPM = HERE.parent.parent / "js"

NASTY = "</script><script>x</script>\"'><img src=x onerror=alert(1)>{{x}} ${x} <!--/lit-part--> &amp; \u2028"
ROWS = [[f"r{row}c{column} <&>" for column in range(5)] for row in range(200)]
ITEMS = [{"id": n, "name": f"Ort {n} ä"} for n in range(7)]


def same(template: str, **values: Any) -> tuple[Template, str, dict[str, Any]]:
    """A template that JavaScript writes alike, with a $ before each hole."""
    return html(template, **values), template.replace("{", "${"), values


CASES = {
    "text": same("<p>{x}</p>", x="Graz"),
    "text alone": same("{x}", x="Graz"),
    "nothing but text": same("<p>hello</p>"),
    "two": same("{a}{b}", a="1", b="2"),
    "escapes": same("<p>{x}</p>", x=NASTY),
    "an escaped attribute": same("<p title={x}></p>", x=NASTY),
    "a quoted attribute": same('<p title="{x}"></p>', x=NASTY),
    "parts of an attribute": same("<p title='a {x} b {y} c'></p>", x="1", y=NASTY),
    "several attributes": same('<p id={a} class="b {c}" lang=de title={d}></p>', a="1", c="2", d="3"),
    "an empty text": same("<p title={x}>{x}</p>", x=""),
    "null": same("<p title={x}>{x}</p>", x=None),
    "true": same("<p ?hidden={x}>{x}</p>", x=True),
    "false": same("<p ?hidden={x}>{x}</p>", x=False),
    "zero": same("<p title={x}>{x}</p>", x=0),
    "numbers": same("{a} {b} {c}", a=-1.5, b=1e21, c=0.1),
    "unicode": same("<p title={x}>{x}</p>", x="日本語 😀 e\u0301 \u202e \u2028 \x00"),
    "white space": same("<p>\n  {x}\n\t</p>\n", x=" a\n b "),
    "a list": same("<ul>{x}</ul>", x=["a", "<b>", 3, None, True]),
    "lists in lists": same("{x}", x=[["a", ["b"]], [], "c"]),
    "a void element": same("<br>{x}<hr><input value={y}>", x="1", y="2"),
    "a comment": same("<!-- x -->{x}", x="1"),
    "a table": same("<table><tbody><tr><td>{x}</td></tr></tbody></table>", x="1"),
    "an svg": same("<svg viewBox='0 0 1 1'><path d={x}></path></svg>", x="M0 0"),
    "a component": same("<demo-card .city={c} .tempC={t}></demo-card>", c="Wien", t=21),
    "its attributes": same("<demo-card city={c} tempC={t} hot></demo-card>", c=NASTY, t="21"),
    "its booleans": same("<demo-card ?hot={h} .city={c}></demo-card>", h=True, c="Wien"),
    "its children": same("<demo-card .city={c}><b slot=x>{d}</b> text</demo-card>", c="a", d=NASTY),
    "slots": same(
        "<demo-frame .label={l} .width={w} .href={h}><h1 slot='head'>{t}</h1>{b}</demo-frame>",
        l="L", w="10px", h="/x", t="T", b="B",
    ),
    "nothing and undefined": same("<demo-frame .label={l}></demo-frame>", l=""),
    "repeat": same("<demo-list .items={x}></demo-list>", x=ITEMS),
    "an empty repeat": same("<demo-list .items={x}></demo-list>", x=[]),
    "Intl": same("<demo-price .amount={a} .when={w}></demo-price>", a=1234.5, w=86_400_000 * 365),
    "a table of 200 rows": same("<demo-table .rows={x}></demo-table>", x=ROWS),
    "hostile data": same("<demo-any .value={x}></demo-any>", x=NASTY),
    "data as an object": same("<demo-any .value={x}></demo-any>", x={"t": {"s": ["<b>"], "v": []}}),
    "an unknown element": same("<not-there .x={x} y={y}>{z}</not-there>", x=1, y=2, z=3),
    "components in components": same(
        "<demo-frame .label={l}><demo-card .city={c}><demo-any .value={x}></demo-any></demo-card></demo-frame>",
        l="L", c="C", x=[1, None, {"a": "b"}],
    ),
    "a template in a template": (
        html("<div>{x}</div>", x=html("<b title={y}>{y}</b>", y=NASTY)),
        "<div>${html`<b title=${y}>${y}</b>`}</div>",
        {"y": NASTY},
    ),
    "a list of templates": (
        html("<ul>{x}</ul>", x=[html("<li>{n}</li>", n=n) for n in range(20)]),
        "<ul>${x.map((n) => html`<li>${n}</li>`)}</ul>",
        {"x": list(range(20))},
    ),
    "an element": (
        element("demo-card", "text & <b>", html("<i>{x}</i>", x="y"), slot="s", city="Wien", tempC=3),
        "<demo-card .city=${c} .tempC=${t} slot=${s}>${a}${html`<i>${x}</i>`}</demo-card>",
        {"c": "Wien", "t": 3, "s": "s", "a": "text & <b>", "x": "y"},
    ),
    "braces": (html("<style>p {{ x: y }}</style>{a}", a="1"), "<style>p { x: y }</style>${a}", {"a": "1"}),
}  # fmt: skip


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    (folder / "components").mkdir()
    shutil.copy(HERE / "lit_components.mjs", folder / "components")
    return folder


async def _rendered(project: Path, templates: list[Template]) -> list[dict[str, Any]]:
    components = Components(project, node=None, processes=1, development=False)
    try:
        generation = await components.generation()
        assert generation.problems == ()
        requests = [
            {"op": "render", "adapter": "lit", "template": template.payload()}
            for template in templates
        ]
        return [await generation.pool.request(request, timeout=10) for request in requests]
    finally:
        await components.close()


@pytest.fixture(scope="module")
def ours(project: Path) -> dict[str, str]:
    answers = asyncio.run(_rendered(project, [template for template, _, _ in CASES.values()]))
    return dict(zip(CASES, (answer.get("html", str(answer)) for answer in answers), strict=True))


@pytest.fixture(scope="module")
def nodes() -> dict[str, str]:
    if not (NPM / "node_modules" / "lit").is_dir():
        pytest.skip("js/node_modules is not there: npm ci --prefix js")
    asked = [{"literal": literal, "values": values} for _, literal, values in CASES.values()]
    command = [node().path, HERE / "lit_in_node.mjs", NPM, HERE / "lit_components.mjs"]
    done = subprocess.run(
        command, input=json.dumps(asked).encode(), capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    return dict(zip(CASES, json.loads(done.stdout), strict=True))


@pytest.mark.parametrize("case", CASES)
def test_the_engine_renders_what_node_prints(
    ours: dict[str, str], nodes: dict[str, str], case: str
) -> None:
    assert ours[case] == nodes[case]


class _Markup(HTMLParser):
    """The tags and attributes of HTML."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, tuple[str, ...]]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, tuple(name for name, _ in attrs)))


HOSTILE = (
    NASTY,
    "</p></b></demo-any></template><script>alert(1)</script>",
    "<!-- --!> <![CDATA[ <?x ?>",
    "\ud800 lone \udfff surrogates \udc00\ud800",
    '{"_$litType$":1,"strings":["<img onerror=x>"],"values":[]}',
    "{{constructor.constructor('x')()}}",
    "x" * 1_000_000,
    "<" * 300_000,
    "\x00\x01\x08\x0b\x0c\x7f\ufffe\uffff",
    "--><script>",
    "&lt;img&gt;&#60;",
    "\ue000",
)


def _every_place(value: Any) -> Template:
    return html(
        '<p title={v} class="a {v} b">{v}</p><demo-any .value={v} id={v}>{v}</demo-any>'
        "<demo-raw .value={v}></demo-raw><demo-list .items={items}></demo-list>{rest}",
        v=value,
        items=[{"id": value, "name": value}],
        rest=[value, html("<i lang={v}>{v}</i>", v=value)],
    )


def test_hostile_text_is_never_markup(project: Path) -> None:
    harmless, *answers = asyncio.run(
        _rendered(project, [_every_place(value) for value in ("x", *HOSTILE)])
    )
    expected = _Markup(harmless["html"]).found
    for value, answer in zip(HOSTILE, answers, strict=True):
        if not answer["ok"]:
            assert answer["name"] == "TooLarge", answer
            continue
        assert _Markup(answer["html"]).found == expected, value[:80]


TREACHEROUS = (
    {"_$litType$": 1, "strings": ["<img src=x onerror=alert(1)>"], "values": []},
    {"_$litType$": 2, "strings": ["<img src=x onerror=alert(1)>"], "values": []},
    {"_$litType$": {"h": ["<img src=x onerror=alert(1)>"], "parts": []}, "values": []},
    {"_$litType$": 1, "strings": {"raw": ["<img>"], "0": "<img>", "length": 1}, "values": []},
    {"_$litDirective$": {}, "values": ["<img>"]},
    {"_$litStatic$": "<img>", "r": "<img>"},
    {"t": {"s": ["<img src=x onerror=alert(1)>"], "v": []}},
    {"j": "<img>"},
    {"s": ["<img>"], "v": []},
    {"__html__": "<img>"},
    {"__proto__": {"t": {"s": ["<img>"], "v": []}}, "toString": "<img>", "then": "x"},
    [{"t": {"s": ["<img>"], "v": []}}],
)


@pytest.mark.parametrize("tag", ["demo-raw", "demo-any"])
def test_data_that_poses_as_a_template_is_never_one(project: Path, tag: str) -> None:
    answers = asyncio.run(_rendered(project, [element(tag, value=value) for value in TREACHEROUS]))
    for value, answer in zip(TREACHEROUS, answers, strict=True):
        # Lit may refuse what it knows to be false.
        if answer["ok"]:
            tags = {tag for tag, _ in _Markup(answer["html"]).found}
            assert tags == {tag, "template", "p"}, (value, answer["html"])


@settings(max_examples=20, deadline=None)
@given(st.lists(st.text() | st.sampled_from(["<", ">", '"', "'", "</p>", "<!--", "&", "="])))
@example(["<", "img", ">"])
def test_no_text_at_all_is_markup(project: Path, parts: list[str]) -> None:
    text = "".join(parts)
    harmless, *answers = asyncio.run(
        _rendered(project, [_every_place(value) for value in ("x", text, *parts[:20])])
    )
    expected = _Markup(harmless["html"]).found
    assert all(_Markup(answer["html"]).found == expected for answer in answers)
