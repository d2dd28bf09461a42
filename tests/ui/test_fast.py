"""FAST's pure half: what is bound through state, what is markup, and what is refused."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litro.errors import TemplateError
from litro.ui.composing import Template, element, html
from litro.ui.renderers import fast


def test_properties_of_the_root_are_its_state_and_attributes_are_bound_by_name():
    template = html(
        "<f-card .city={c} temp-c={t} ?inert={i} lang='en'>{x}</f-card>",
        c="{{c}}",
        t=3,
        i=True,
        x="<",
    )
    assert fast.pieces(template) == [
        {
            "tag": "f-card",
            "start": '<f-card temp-c="{{litro0}}" ?inert="{{litro1}}" lang="{{litro2}}">',
            "state": {"city": "{{c}}"},
            "bound": {"litro0": [3], "litro1": [True], "litro2": ["en"]},
        },
        {"text": "<"},
        "</f-card>",
    ]


def test_what_stands_around_components_is_markup_with_values_to_escape():
    template = html(
        "<!-- {{c}} --><p id=a class={c} ?hidden={h}>{t}</p>", c="x", h=False, t=[1, None]
    )
    assert fast.pieces(template) == [
        '<!-- {c} --><p id="a" class="',
        {"text": "x"},
        '">',
        {"text": 1},
        {"text": None},
        "</p>",
    ]


def test_the_parts_of_an_attribute_are_read_as_html_and_values_are_not():
    [piece, _] = fast.pieces(html("<f-card title='Tom &amp; {x} &lt;'></f-card>", x="&amp;"))
    assert not isinstance(piece, str)
    assert piece["bound"] == {"litro0": ["Tom & ", "&amp;", " <"]}


@pytest.mark.parametrize(
    "template",
    [
        html("<div><f-card .city={c}></f-card></div>", c="x"),
        html("<f-card></f-card><f-card .city={c}></f-card>", c="x"),
        html("{t}", t=html("<f-card .city={c}></f-card>", c="x")),
        html("<p .title={c}></p>", c="x"),
        html("{a}<f-card .city={c}></f-card>", a="x", c="x"),
    ],
    ids=str,
)
def test_a_property_of_anything_but_the_root_is_refused_with_its_position(template: Template):
    with pytest.raises(TemplateError, match="properties of the root alone") as refused:
        fast.pieces(template)
    assert "^" in str(refused.value)


@pytest.mark.parametrize(
    "template",
    [
        html("<f-card @click='{{x()}}'></f-card>"),
        html("<f-card :city='x'></f-card>"),
        html("<f-card .city='x'></f-card>"),
    ],
    ids=str,
)
def test_a_binding_without_a_value_is_refused(template: Template):
    with pytest.raises(TemplateError, match="has no hole"):
        fast.pieces(template)


def test_an_unquoted_value_stays_in_its_attribute():
    template = html("<p class=a{x} id={y}>t</p>", x="b onclick=harm()", y="c d")
    assert fast.pieces(template) == [
        '<p class="',
        {"text": "a"},
        {"text": "b onclick=harm()"},
        '" id="',
        {"text": "c d"},
        '">t</p>',
    ]


def test_a_slot_and_children_of_element_are_kept():
    pieces = fast.pieces(element("f-card", "a", element("f-badge", slot="s"), city="x"))
    assert [
        piece if isinstance(piece, str) else piece.get("start", piece.get("text"))
        for piece in pieces
    ] == [
        "<f-card>",
        "a",
        '<f-badge slot="{{litro0}}">',
        "</f-badge></f-card>",
    ]


FRAGMENTS = [
    "<p",
    "<f-c",
    "</p>",
    " ",
    "a",
    "=",
    '"',
    "'",
    "/",
    ">",
    "x",
    "{",
    "&amp;",
    "<!--",
    "-->",
    "<style>",
    "</style>",
]


@given(st.lists(st.sampled_from([*FRAGMENTS, None, None, None]), max_size=30))
def test_every_value_of_a_template_stands_once_and_in_order(parts: list[str | None]):
    joined = "".join("\ue000" if part is None else part for part in parts)
    strings = joined.split("\ue000")
    values = list(range(len(strings) - 1))
    try:
        template = Template(strings, values)
    except TemplateError:
        return
    assert [*numbers(fast.pieces(template))] == values


def numbers(pieces: list[fast.Piece]) -> Iterator[int]:
    for piece in pieces:
        if isinstance(piece, str):
            continue
        parts: list[Any] = [piece.get("text")]
        for bound in piece.get("bound", {}).values():
            parts += bound
        yield from (part for part in parts if isinstance(part, int))
