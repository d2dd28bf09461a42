"""Modules of the inspector that are no views: what goes in, and what comes out."""

from typing import Any

import pytest
from inspector_page import Inspector

CALL = """
    async ([url, name, values]) => (await import(url))[name](...values)
"""


def called(inspector: Inspector, module: str, name: str, *values: object) -> Any:
    """What a module's function answers, in the page."""
    if not inspector.page.url.startswith(inspector.url):
        inspector.open()
    return inspector.page.evaluate(CALL, [f"{inspector.url}{module}.js", name, values])


ROOT = {
    "$defs": {
        "A": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
        "B": {"type": "object", "properties": {"b": {"const": 1}}},
        "Loop": {"$ref": "#/$defs/Loop"},
        "a/b~c": {"type": "boolean"},
    }
}

KINDS: list[tuple[Any, str]] = [
    ({"$ref": "#/$defs/A"}, "object"),
    ({"$ref": "#/$defs/a~1b~0c"}, "boolean"),
    ({"$ref": "#/$defs/nowhere"}, "any"),
    ({"$ref": "#/$defs/Loop"}, "any"),
    ({"$ref": "https://e.example/schema"}, "any"),
    ({"anyOf": [{"type": "string"}]}, "string"),
    ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "variants"),
    ({"type": ["integer", "null"]}, "variants"),
    ({"type": "object"}, "any"),
    ({"type": "object", "additionalProperties": {"type": "string"}}, "object"),
    ({"enum": [1, "a", None]}, "choice"),
    ({"const": None}, "fixed"),
    ({}, "any"),
    (True, "any"),
]


def test_what_a_schema_leads_to_decides_the_field(inspector: Inspector):
    for schema, kind in KINDS:
        found = called(inspector, "schema", "resolved", schema, ROOT)
        assert called(inspector, "schema", "kindOf", found) == kind, schema


def test_schemas_that_all_hold_are_one(inspector: Inspector):
    both = {"allOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}], "description": "Both."}
    found = called(inspector, "schema", "resolved", both, ROOT)
    assert set(found["properties"]) == {"a", "b"}
    assert (found["required"], found["description"]) == (["a"], "Both.")


@pytest.mark.parametrize(
    ("value", "at"), [({"a": "x"}, 0), ({"b": 1}, 1), ("x", 2), (None, 3)], ids=str
)
def test_a_value_finds_the_variant_that_it_is_of(inspector: Inspector, value: object, at: int):
    variants = [
        {"$ref": "#/$defs/A"},
        {"$ref": "#/$defs/B"},
        {"type": "string"},
        {"type": "null"},
    ]
    fits = [called(inspector, "schema", "fits", value, variant, ROOT) for variant in variants]
    assert fits.index(True) == at


def test_an_axis_has_few_marks_at_round_numbers(inspector: Inspector):
    assert called(inspector, "spans", "marksOf", 2210) == [0, 500, 1000, 1500, 2000]
    assert called(inspector, "spans", "marksOf", 3) == [0, 1, 2, 3]
    for length in (1, 7, 99, 1234, 60_000, 3_600_000):
        marks = called(inspector, "spans", "marksOf", length)
        assert len(marks) <= 8
        assert marks[-1] <= length


def test_lines_that_changed_are_found(inspector: Inspector):
    lines = called(inspector, "difference", "difference", "a\nb\nc", "a\nx\nc\nd")
    told = [(line["kind"], line["text"]) for line in lines]
    assert told == [("same", "a"), ("gone", "b"), ("new", "x"), ("same", "c"), ("new", "d")]


def test_how_much_two_requests_share_is_their_beginning(inspector: Inspector):
    one = {"role": "user", "text": "One"}
    two = {"role": "assistant", "text": "Two"}
    for before, now, shared in [
        ([], [one], 0),
        ([one], [one, two], 1),
        ([one, two], [two], 0),
        ([one, two], [one], 1),
    ]:
        assert called(inspector, "request", "sharedBeginning", before, now) == shared
