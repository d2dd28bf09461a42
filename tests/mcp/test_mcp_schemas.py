"""Schemas as hosts accept them, judged by a JSON Schema validator."""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from mapping import serve
from pydantic import BaseModel, Field, TypeAdapter

from litro import tool
from litro.mcp.schemas import published, published_as_written


class Leaf(BaseModel):
    name: Annotated[str, Field(min_length=1, description="What it is called.")]


class Tree(BaseModel):
    leaf: Leaf = Field(description="The first.")
    other: Leaf | None = None
    trees: list["Tree"] = []


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]
    tricks: list[str]


@dataclass
class Owner:
    pet: Annotated[Cat | Dog, Field(discriminator="kind")]


def words_in(schema: Any) -> set[str]:
    if isinstance(schema, dict):
        return {*schema, *(word for item in schema.values() for word in words_in(item))}
    return {w for item in schema for w in words_in(item)} if isinstance(schema, list) else set()


def listed(function: Any) -> dict[str, Any]:
    (entry,) = serve(tool(function)).tools()["tools"]
    return entry


def test_references_are_written_out():
    def plant(tree: Tree, owner: Owner) -> Tree:
        """Plants."""
        return tree

    entry = listed(plant)
    for schema in (entry["inputSchema"], entry["outputSchema"]):
        Draft202012Validator.check_schema(schema)
        assert not words_in(schema) & {"$ref", "$defs", "discriminator"}
    tree = entry["inputSchema"]["properties"]["tree"]
    assert tree["properties"]["leaf"] == {
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 1, "description": "What it is called."}
        },
        "required": ["name"],
        "description": "The first.",
    }
    assert tree["properties"]["trees"]["items"] == {
        "type": "object",
        "description": "The same shape again: Tree.",
    }


@pytest.mark.parametrize(
    "returns", [int, str, list[Tree], Tree | None, Cat | Dog, dict[str, int], Tree, Owner]
)
def test_every_promise_is_an_object_without_alternatives_at_its_root(returns: Any):
    def answer():
        """Answers."""

    answer.__annotations__["return"] = returns
    schema = listed(answer)["outputSchema"]
    Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"
    assert not {"anyOf", "oneOf", "allOf", "$ref"} & schema.keys()


@pytest.mark.parametrize("returns", [None, Any, object, "not there"])
def test_an_annotation_that_says_nothing_promises_nothing(returns: Any):
    def answer():
        """Answers."""

    if returns != "not there":
        answer.__annotations__["return"] = returns
    assert "outputSchema" not in listed(answer)


def test_alternatives_at_the_root_become_fields():
    class Either(BaseModel):
        model_config = {
            "json_schema_extra": {
                "anyOf": [
                    {"required": ["city"], "properties": {"city": {"type": "string"}}},
                    {"required": ["place"], "properties": {"place": {"type": "integer"}}},
                ],
                "allOf": [{"properties": {"unit": {"enum": ["c", "f"]}}, "required": ["unit"]}],
                "not": {"required": ["neither"]},
            }
        }

    @tool(input=Either)
    def look(input: Either):  # noqa: A002
        """Looks."""

    schema = serve(look).tools()["tools"][0]["inputSchema"]
    assert schema == {
        "type": "object",
        "properties": {"unit": {"enum": ["c", "f"]}, "city": {}, "place": {}},
        "required": ["unit"],
    }


class Written:
    """A schema that its author wrote out."""

    schema: ClassVar[Any] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"address": {"$anchor": "a", "type": "object"}},
        "properties": {"address": {"$ref": "#/$defs/address"}},
        "anyOf": [{"required": ["address"]}],
        "additionalProperties": False,
    }

    def validate(self, value: Any) -> Any:
        return value

    def json_schema(self) -> Any:
        return self.schema


def test_what_an_author_wrote_out_is_served_as_written_and_reported():
    @tool(input=Written())
    def look(input: Any):  # noqa: A002
        """Looks."""

    agent = serve(look)
    assert agent.tools()["tools"][0]["inputSchema"] == Written.schema
    assert len(agent.reports) == 2
    assert "'anyOf' at its root" in agent.reports[0]
    assert "$ref" in agent.reports[1]


def test_a_schema_without_a_shape_is_an_object():
    class Checks:
        def validate(self, value: Any) -> Any:
            return value

    @tool(input=Checks())
    def look(input: Any):  # noqa: A002
        """Looks."""

    assert serve(look).tools()["tools"][0]["inputSchema"] == {"type": "object", "properties": {}}


def test_a_reference_that_leads_out_is_reported_and_never_followed():
    schema = {
        "type": "object",
        "properties": {"x": {"$ref": "http://127.0.0.1:1/x", "description": "X."}},
    }
    made = published(schema, "It")
    assert made.schema["properties"]["x"] == {"description": "X."}
    assert "'http://127.0.0.1:1/x', which is not in it" in made.reports[0]


def test_a_schema_that_would_grow_without_end_tells_its_fields_only():
    doubling: dict[str, Any] = {
        f"D{i}": {
            "type": "object",
            "properties": {side: {"$ref": f"#/$defs/D{i + 1}"} for side in ("a", "b")},
        }
        for i in range(40)
    }
    schema = {
        "type": "object",
        "properties": {"x": {"$ref": "#/$defs/D0", "description": "X."}},
        "required": ["x"],
        "$defs": {**doubling, "D40": {"type": "integer"}},
    }
    made = published(schema, "It")
    assert made.schema == {"type": "object", "properties": {"x": {"description": "X."}}}
    assert "has more than 5000 parts" in made.reports[0]


def test_data_that_looks_like_a_reference_stays_data():
    schema = {
        "type": "object",
        "properties": {
            "$ref": {"type": "string"},
            "x": {"const": {"$ref": "#/nowhere"}, "default": {"$defs": 1}},
        },
    }
    made = published(schema, "It")
    assert made.schema == schema
    assert made.reports == ()
    assert published_as_written({"type": "object"}, "It").reports == ()


values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from(["a", "b", ""]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2)
    ),
    max_leaves=6,
)
KINDS = ["null", "boolean", "integer", "string", "array", "object"]


def grown(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    # References that go round are below a field or an item, or else a judge never ends.
    below = inner | st.sampled_from(["#", "#/$defs/A", "#/$defs/B"]).map(lambda to: {"$ref": to})
    some = st.lists(inner, min_size=1, max_size=2)
    return st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(KINDS),
            "properties": st.dictionaries(st.sampled_from("ab"), below, max_size=2),
            "required": st.lists(st.sampled_from("ab"), unique=True),
            "additionalProperties": below,
            "items": below,
            "contains": below,
            "maxContains": st.just(1),
            "prefixItems": st.lists(below, min_size=1, max_size=2),
            "anyOf": some,
            "oneOf": some,
            "allOf": some,
            "not": inner,
            "if": inner,
            "then": inner,
            "else": inner,
            "unevaluatedProperties": inner,
            "$ref": st.just("#/$defs/C"),
        },
    )


flat = st.booleans() | st.sampled_from(KINDS).map(lambda kind: {"type": kind})
parts = st.recursive(flat, grown, max_leaves=5)
schemas = st.builds(
    lambda root, a, b, c: {**root, "type": "object", "$defs": {"A": a, "B": b, "C": c}},
    grown(parts),
    parts,
    parts,
    flat | st.builds(lambda a: {"properties": {"a": a}, "required": ["a"]}, flat),
)


AGAIN: dict[str, Any] = {
    "type": "object",
    "required": ["b"],
    "properties": {"b": {"oneOf": [{"$ref": "#/$defs/A"}, {"required": ["a"]}]}},
}
NOT_AGAIN: dict[str, Any] = {"properties": {"b": {"not": {"$ref": "#/$defs/A"}}}, "required": ["a"]}


def around(definition: Any) -> Any:
    fields = {"a": {"$ref": "#/$defs/A"}}
    return {"type": "object", "properties": fields, "$defs": {"A": definition}}


@example(around(AGAIN), {"a": {"b": {"a": 1}}})
@example(around(NOT_AGAIN), {"a": {"a": 1, "b": {}}})
@given(schemas, st.dictionaries(st.sampled_from("ab"), values, max_size=2))
def test_what_hosts_are_told_is_never_stricter(schema: Any, value: Any):
    made = published(schema, "It").schema
    Draft202012Validator.check_schema(made)
    assert made["type"] == "object"
    assert not {"anyOf", "oneOf", "allOf", "not", "$ref", "$defs"} & made.keys()
    if Draft202012Validator(schema).is_valid(value):
        assert Draft202012Validator(made).is_valid(value), made


def test_without_recursion_nothing_is_lost():
    schema = TypeAdapter(Owner).json_schema()
    judge = Draft202012Validator(published(schema, "It").schema)
    assert judge.is_valid({"pet": {"kind": "cat", "lives": 9}})
    assert not judge.is_valid({"pet": {"kind": "cat", "tricks": []}})
    assert not judge.is_valid({"pet": {"kind": "cow"}})
