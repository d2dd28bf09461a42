"""The document that an app becomes, as text: its order, its escapes, and what is refused."""

import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from litro.mcp import McpApp
from litro.mcp.apps.document import MIME, Parts, assembled, descriptor, refusals


def parts_of(
    *, bundle: str | None = None, uri: str = "ui://demo/card", name: str = "card", **given: Any
) -> Parts:
    app = McpApp(Markup("<demo-card></demo-card>"), **given)
    return Parts(
        app=app,
        uri=uri,
        name=name,
        shell="<demo-card></demo-card>",
        bundle=bundle,
        bridge="bridge()",
    )


class _Reading(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.texts: dict[str, list[str]] = {}
        self.opened: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.opened.append(tag)
        self.texts.setdefault(tag, []).append("")

    def handle_data(self, data: str) -> None:
        self.texts.setdefault(self.opened[-1] if self.opened else "", [""])[-1] += data


def texts_of(document: str, tag: str) -> list[str]:
    reading = _Reading()
    reading.feed(document)
    reading.close()
    return [text.removesuffix("\n") for text in reading.texts.get(tag, [])]


def test_a_document_has_everything_in_its_order():
    document = assembled(
        parts_of(
            title="Weather", styles="b{}", bundle="live()", runtime="run()", apply="(e, d) => {}"
        )
    )
    assert document == (
        '<!doctype html>\n<html>\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<title>Weather</title>\n<style>b{}</style>\n</head>\n<body>\n<demo-card></demo-card>\n"
        '<script>window.__litroMcpApp = {"name":"card","version":"0.0.0","displayModes":["inline"]};</script>\n'
        "<script>live()</script>\n<script>run()</script>\n"
        "<script>window.litroMcpApply = ((e, d) => {}\n);</script>\n<script>bridge()</script>\n</body>\n</html>\n"
    )


def test_the_least_document_has_the_meta_and_the_bridge():
    scripts = texts_of(assembled(parts_of()), "script")
    assert [script[:6] for script in scripts] == ["window", "bridge"]


def test_the_title_is_escaped_and_by_default_the_address():
    assert "<title>a&lt;b&gt;&amp;&quot;</title>" in assembled(parts_of(title='a<b>&"'))
    assert "<title>ui://demo/card</title>" in assembled(parts_of())


def test_the_apps_own_data_cannot_end_its_script():
    hostile = "</script><!--<script>"
    (meta, _) = texts_of(assembled(parts_of(name=hostile, version=hostile)), "script")
    assert "<" not in meta
    told = json.loads(meta.removeprefix("window.__litroMcpApp = ").removesuffix(";"))
    assert told["name"] == told["version"] == hostile


@pytest.mark.parametrize("closing", ["</script>", "</SCRIPT\n", "</Script"])
def test_what_would_end_a_script_is_escaped(closing: str):
    document = assembled(parts_of(runtime=f'say("{closing}")', apply=f'(e) => "{closing}"'))
    _, runtime, apply, _ = texts_of(document, "script")
    assert runtime == f'say("<\\/{closing[2:]}")'
    assert apply == f'window.litroMcpApply = ((e) => "<\\/{closing[2:]}"\n);'


def test_what_would_end_the_styles_is_escaped():
    document = assembled(parts_of(styles='b::after { content: "</STYLE><p>" }'))
    assert '<style>b::after { content: "<\\/STYLE><p>" }</style>\n</head>' in document


def test_a_comparison_is_left_as_it_is():
    assert "<script>if (1 < 2 && a</b/.c) x()</script>" in assembled(
        parts_of(runtime="if (1 < 2 && a</b/.c) x()")
    )


@pytest.mark.parametrize("name", ["runtime", "apply"])
@pytest.mark.parametrize("sequence", ["<!--", "<script", "<SCRIPT"])
def test_what_could_swallow_the_document_is_refused(name: str, sequence: str):
    app = McpApp(Markup("<p>"), **{name: f'"{sequence}"'})  # type: ignore[arg-type]
    (text,) = refusals(app)
    assert text.startswith(f"{name} has {sequence!r}, ")


def test_every_script_with_such_a_sequence_is_told():
    app = McpApp(Markup("<p>"), runtime='"<!--<script"', apply='"<script"')
    first, second = refusals(app)
    assert "'<!--' and '<script'" in first
    assert second.startswith("apply has")


@given(
    st.lists(st.sampled_from([*"</!-sS> \n", "</script", "</style", "<!--", "cript"])).map("".join),
    st.booleans(),
)
def test_no_script_that_is_not_refused_ends_early(text: str, is_apply: bool):
    app = McpApp(Markup("<p>"), **{"apply" if is_apply else "runtime": f"x{text}"})  # type: ignore[arg-type]
    if not [*refusals(app)]:
        parts = Parts(app=app, uri="ui://a", name="a", shell="", bundle=None, bridge="bridge()")
        assert len(re.findall(r"</script", assembled(parts), re.IGNORECASE)) == 3


def test_a_descriptor_nests_what_the_host_is_told():
    told = descriptor(
        parts_of(
            csp={"connect_domains": ["https://a"]},
            permissions=["camera"],
            domain="x.example",
            prefers_border=False,
        )
    )
    assert told == {
        "uri": "ui://demo/card",
        "name": "card",
        "mimeType": MIME,
        "_meta": {
            "ui": {
                "csp": {"connectDomains": ["https://a"]},
                "permissions": {"camera": {}},
                "domain": "x.example",
                "prefersBorder": False,
            }
        },
    }


def test_a_descriptor_has_no_more_than_was_given():
    assert descriptor(parts_of())["_meta"] == {"ui": {}}
    assert descriptor(parts_of(csp={}))["_meta"] == {"ui": {"csp": {}}}
    assert MIME == "text/html;profile=mcp-app"
