"""Where we say that a value goes is where Lit puts it."""

import asyncio
import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from litro.errors import TemplateError
from litro.ui.holes import HOLE, Hole, shape_of
from litro.ui.template import Template
from ui.engines import pool_of

PIECES = st.sampled_from(
    (
        "<p>", "</p>", "<x-y>", "</x-y>", "<p ", "<x-y ", ">", "/>", " ", "\n", "text", "a < b", "&amp;",
        f"title={HOLE}", f'title="{HOLE}"', f"lang='a {HOLE} b {HOLE}'", f"?hidden={HOLE}", f".prop={HOLE}",
        f".prop='{HOLE}'", f'?hidden="{HOLE}"', f"x = {HOLE}", "id=plain", "checked", "a='>'", 'b="<p>"',
        HOLE, f"<b>{HOLE}</b>", "<br>", f"<hr>{HOLE}", "<!-- <p> -->", "<!---->", "<!doctype html>", "<ul><li>", "</li></ul>",
        "<svg>", "</svg>", "<style>p > a {}</style>", "<script>a<b</script>", "<title>t</title>", "<textarea></textarea>",
        "=", "'", '"', "<", "</", "<!--", "-->", "<?x>", "<1", "</ p>", "<p/x>", f"<p a=b{HOLE}>", f"<p a/{HOLE}>",
    )
)  # fmt: skip


class _Places(HTMLParser):
    """Where each marker is."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.at: dict[int, tuple[str, ...]] = {}
        self.booleans: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "hidden" and not value:
                self.booleans.append(tag)
            for n in _markers(value or ""):
                self.at[n] = ("attribute", name)

    def handle_data(self, data: str) -> None:
        for n in _markers(data):
            self.at[n] = ("child",)


def _markers(text: str) -> list[int]:
    return [int(part.split("]")[0]) for part in text.split("[M")[1:]]


def _value(hole: Hole, n: int) -> Any:
    if hole.kind == "child":
        return f"[M{n}]"
    return {"j": True if hole.kind == "boolean" else f"[M{n}]"}


def _accepted(templates: list[str]) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for template in templates:
        strings = tuple(template.split(HOLE))
        try:
            shape_of(strings)
        except TemplateError:
            continue
        found.append(strings)
    return found


async def _answers(folder: Path, accepted: list[tuple[str, ...]]) -> list[dict[str, Any]]:
    async with pool_of(folder) as pool:
        return [
            await pool.request(
                {
                    "op": "render",
                    "adapter": "lit",
                    "template": {
                        "s": strings,
                        "v": [_value(hole, n) for n, hole in enumerate(shape_of(strings).holes)],
                    },
                }
            )
            for strings in accepted
        ]


def _expected(strings: tuple[str, ...]) -> dict[int, tuple[str, ...]]:
    places: dict[int, tuple[str, ...]] = {}
    for n, hole in enumerate(shape_of(strings).holes):
        if hole.kind == "child":
            places[n] = ("child",)
        elif hole.kind == "attribute":
            places[n] = ("attribute", hole.name.lower())
    return places


@settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.lists(PIECES, max_size=7).map("".join), min_size=60, max_size=120))
def test_what_we_accept_lit_puts_where_we_say_or_refuses(
    tmp_path: Path, templates: list[str]
) -> None:
    accepted = _accepted(templates)
    for strings, answer in zip(accepted, asyncio.run(_answers(tmp_path, accepted)), strict=True):
        if answer["ok"]:
            places = _Places(answer["html"])
            assert places.at == _expected(strings), json.dumps([strings, answer["html"]])


REFUSED = {
    "a tag's name": "<{}></p>",
    "part of a tag's name": "<p{}></p>",
    "a closing tag's name": "</{}>",
    "inside a closing tag": "<p></p {}>",
    "an attribute's name": "<p {}></p>",
    "an attribute's name with a value": "<p {}=x></p>",
    "part of an attribute's name": "<p a{}=x></p>",
    "a comment": "<!-- {} -->",
    "a script": "<script>{}</script>",
    "a script in capitals": "<SCRIPT>{}</SCRIPT>",
    "a style": "<style>{}</style>",
    "a text area": "<textarea>{}</textarea>",
    "a title": "<title>{}</title>",
    "a handler": "<p onclick={}></p>",
    "a handler in capitals": "<p ONCLICK='x{}'></p>",
    "a listener": "<p @click={}></p>",
    "inner HTML": "<p .innerHTML={}></p>",
    "a frame's document": "<iframe srcdoc={}></iframe>",
    "a prototype": "<x-y .__proto__={}></x-y>",
    "a property with text": "<x-y .a='b {}'></x-y>",
    "a tag that is open": "<p title={}",
    "a value that is open": "<p title='{}",
    "a doctype": "<!doctype {}>",
}


@pytest.mark.parametrize("template", REFUSED.values(), ids=REFUSED)
def test_a_value_cannot_be(template: str) -> None:
    with pytest.raises(TemplateError) as raised:
        shape_of(tuple(template.split("{}")))
    shown, below = str(raised.value).split("\n")[1:3]
    assert shown[below.index("^")] is not None


@pytest.mark.parametrize("before", ["", "İ", "İ" * 14, "\u00a0", "ß"])
def test_letters_of_other_alphabets_move_nothing(before: str) -> None:
    shape = shape_of((f"{before}<STYLE>{before}</StYle><a href=", f">{before}</a>"))
    assert shape.tags == ("style", "a")
    assert shape.holes == (Hole(kind="attribute", name="href", tag="a", element=1),)


@given(st.lists(st.text(), min_size=1))
def test_any_strings_have_a_hole_less_than_they_are_or_are_refused(strings: list[str]) -> None:
    try:
        shape = shape_of(tuple(strings))
    except TemplateError:
        return
    assert len(shape.holes) == len(strings) - 1
    assert len(shape.ends) == len(shape.tags)


@pytest.mark.parametrize(
    "template",
    [
        "<a href='{}{}'>x</a>",
        "<a href=java{}>x</a>",
        "<a href='{}:{}'>x</a>",
        "<a href=' {}{}'>x</a>",
        "<a href='javascript:f({})'>x</a>",
        "<a HREF='{}x'>x</a>",
        "<script src={}></script>",
        "<script .text={}></script>",
        "<base href={}>",
    ],
)
def test_no_values_put_a_script_together(template: str) -> None:
    with pytest.raises(TemplateError):
        shape_of(tuple(template.split("{}")))


@pytest.mark.parametrize(
    "template",
    [
        "<a href={}>x</a>",
        "<a href='/users/{}/{}'>x</a>",
        "<a href='{}/users?x={}#{}'>x</a>",
        "<a href='mailto:{}'>x</a>",
        "<a href='?q={}'>x</a>",
        "<img src='https://{}.example/{}' alt={}>",
    ],
)
def test_addresses_are_put_together_behind_their_beginning(template: str) -> None:
    assert len(shape_of(tuple(template.split("{}"))).holes) == template.count("{}")


@pytest.mark.parametrize(
    "address", ["javascript:x", " JaVa\tscript:x", "\x01vbscript:x", "java\nscript\t:x"]
)
@pytest.mark.parametrize("binding", ["href", ".href", ".src", "xlink:href", "formaction"])
def test_no_value_is_a_script_that_is_followed(binding: str, address: str) -> None:
    with pytest.raises(TemplateError, match="would run as a script"):
        Template((f"<x-y {binding}=", "></x-y>"), [address])
