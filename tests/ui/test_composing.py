"""`element()` and `html()`: what they make, and what they say where they cannot."""

import math
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from litro.encoding import to_jsonable
from litro.errors import EncodingError, TemplateError
from litro.ui.composing import element, html
from litro.ui.template import Template


@dataclass
class Part:
    value: object
    expression: str = ""
    conversion: str | None = None
    format_spec: str = ""


@dataclass
class Strings:
    """What Python 3.14 makes of a t-string, as far as PEP 750 goes."""

    strings: tuple[str, ...]
    interpolations: tuple[Part, ...]


def test_an_element_binds_properties_and_takes_children() -> None:
    made = element("demo-card", "text", html("<b>{x}</b>", x=1), slot="s", city="Wien", tempC=21)
    assert made.payload() == {
        "s": ["<demo-card .city=", " .tempC=", " slot=", ">", "", "</demo-card>"],
        "v": [
            {"j": "Wien"},
            {"j": 21},
            {"j": "s"},
            "text",
            {"t": {"s": ["<b>", "</b>"], "v": [1]}},
        ],
    }


def test_a_t_string_is_the_same_template() -> None:
    t = Strings(("<demo-card .city=", ">\r\n", "</demo-card>"), (Part("Wien"), Part("x")))
    written = html("<demo-card .city={city}>\n{x}</demo-card>", city="Wien", x="x")
    assert html(t).payload() == written.payload()


@pytest.mark.parametrize("part", [Part(1, conversion="r"), Part(1, format_spec=".2f")])
def test_a_t_string_with_a_format_is_refused(part: Part) -> None:
    with pytest.raises(TemplateError, match="Format it before"):
        html(Strings(("<p>", "</p>"), (part,)))


@pytest.mark.parametrize("given_", [3, None, b"<p>", Strings((), (3,)), ["<p>"]])  # type: ignore[arg-type]
def test_what_is_no_template_is_refused(given_: Any) -> None:
    with pytest.raises(TemplateError, match="format string"):
        html(given_)


@pytest.mark.parametrize(
    "tag", ["p", "Demo-Card", "demo card", "1-a", "-a", "", "a-b>", "a-b x=y", "ä-b", "a-\ud800", 3]
)
def test_what_names_no_component_is_refused(tag: Any) -> None:
    with pytest.raises(TemplateError, match="no custom element"):
        element(tag)


@pytest.mark.parametrize(
    "name", ["innerHTML", "__proto__", "a b", "a=", "outerHTML", "constructor", ""]
)
def test_a_property_that_cannot_be_set_is_refused(name: str) -> None:
    with pytest.raises(TemplateError, match="cannot be set"):
        element("demo-card", **{name: "x"})


@pytest.mark.parametrize(
    ("template", "values", "place", "told"),
    [
        ("<p>{a}</p>", {}, (1, 4), "there is no value for {a}"),
        ("<p>\n {a} {b}</p>", {"a": 1}, (2, 6), "there is no value for {b}"),
        ("<p></p>", {"a": 1}, (1, 1), "'a' stands nowhere"),
        ("<p>{a}</p>", {"a": {"x": 1}}, (1, 4), "it is a dict"),
        ("<p>{a}</p>", {"a": Markup("<b>")}, (1, 4), "markup already"),
        ("<p>{a}</p>", {"a": [1, [Markup("<b>")]]}, (1, 4), "markup already"),
        ("<p title={a}></p>", {"a": [1]}, (1, 10), "it is a list"),
        ("<p ?x={a}></p>", {"a": "yes"}, (1, 7), "is not True or False"),
        ("<x-y .a={a}></x-y>", {"a": html("<b></b>")}, (1, 9), "a template is no property"),
        ("<a href={a}></a>", {"a": "javascript:x"}, (1, 9), "run as a script"),
        ("<p {a}></p>", {"a": 1}, (1, 4), "an attribute's name"),
    ],
)
def test_a_mistake_is_told_with_its_place(
    template: Any, values: dict[str, Any], place: tuple[int, int], told: str
) -> None:
    with pytest.raises(TemplateError, match=told) as raised:
        html(template, **values)
    assert f"line {place[0]}, column {place[1]}:" in str(raised.value)


@pytest.mark.parametrize("value", [math.nan, math.inf, object(), 2**70, {1: object()}])
def test_a_property_without_json_is_told(value: object) -> None:
    with pytest.raises(TemplateError, match="a of <x-y>"):
        html("<x-y .a={a}></x-y>", a=value).payload()


def test_a_template_is_no_data_and_no_markup() -> None:
    made = html("<p>{x}</p>", x="secret")
    assert not hasattr(made, "__html__")
    assert "secret" not in repr(made)
    with pytest.raises(EncodingError):
        to_jsonable({"card": made})


def test_a_template_that_is_nested_too_deeply_is_told_by_the_engine() -> None:
    from litro.errors import RenderFailed
    from litro.ui.engine.frames import packed

    made = html("<p></p>")
    for _ in range(200):
        made = html("<p>{x}</p>", x=made)
    with pytest.raises(RenderFailed, match="cannot be handed to the engine"):
        packed(made.payload())


def test_half_a_character_in_a_template_is_told() -> None:
    with pytest.raises(TemplateError, match="lone surrogate"):
        Template(("<p>\ud800</p>",), ())


@given(st.text())
def test_any_text_is_a_value_that_comes_through_as_it_is(text: str) -> None:
    made = html("<p title={x} .y={x}>{x}</p>", x=text).payload()
    shown = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert made["v"] == [{"j": shown}, {"j": shown}, shown]
