"""Arguments that hosts send as strings of JSON, and those that only look so."""

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mapping import call, serve
from pydantic import BaseModel

from litro import tool
from litro.mcp.agent import CallContext
from litro.mcp.arguments import kinds_of, refitted


def refit(value: Any, schema: Any) -> Any:
    return refitted({"x": value}, {"type": "object", "properties": {"x": schema}})["x"]


OBJECT = {"type": "object"}
ARRAY = {"type": "array"}


@pytest.mark.parametrize(
    ("sent", "schema", "read"),
    [
        ('{"a": 1}', OBJECT, {"a": 1}),
        ("[1, 2]", ARRAY, [1, 2]),
        ("[1]", {"anyOf": [ARRAY, {"type": "null"}]}, [1]),
        ("{}", {"type": ["object", "null"]}, {}),
        ("[]", {"$ref": "#/$defs/L"}, "[]"),
        # Text that looks like JSON stays text.
        ('{"a": 1}', {"type": "string"}, '{"a": 1}'),
        ('{"a": 1}', {"anyOf": [OBJECT, {"type": "string"}]}, '{"a": 1}'),
        ('{"a": 1}', {"anyOf": [OBJECT, {"enum": ["a"]}]}, '{"a": 1}'),
        ('{"a": 1}', {"anyOf": [OBJECT, {"const": "a"}]}, '{"a": 1}'),
        ('{"a": 1}', {}, '{"a": 1}'),
        ('{"a": 1}', {"anyOf": [OBJECT, {}]}, '{"a": 1}'),
        # What would not fit anyway is told as it came.
        ("[1]", OBJECT, "[1]"),
        ("{}", ARRAY, "{}"),
        ("3", OBJECT, "3"),
        ('"[1]"', ARRAY, '"[1]"'),
        ("{", OBJECT, "{"),
        ("NaN", OBJECT, "NaN"),
        ("[" * 100_000, ARRAY, "[" * 100_000),
        ("\ud800", OBJECT, "\ud800"),
        ("3", {"type": "integer"}, "3"),
    ],
)
def test_a_string_is_read_again_only_where_it_cannot_be_text(sent: str, schema: Any, read: Any):
    assert refit(sent, schema) == read


def test_what_the_schema_does_not_know_is_left_alone():
    assert refitted({"y": "[1]"}, {"properties": {"x": ARRAY}}) == {"y": "[1]"}
    assert refitted({"x": "[1]"}, {"properties": True}) == {"x": "[1]"}


def test_alternatives_may_refer_to_definitions():
    root = {"$defs": {"L": ARRAY, "Self": {"$ref": "#/$defs/Self"}}}
    assert kinds_of({"$ref": "#/$defs/L"}, root) == {"array"}
    assert "string" in kinds_of({"$ref": "#/$defs/Self"}, root)
    assert "string" in kinds_of({"$ref": "https://example.com"}, root)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(st.text() | json_values.map(json.dumps))
def test_text_is_never_changed_where_text_is_wanted(sent: str):
    for schema in ({"type": "string"}, {}, True, {"type": ["string", "object"]}, {"type": 5}):
        assert refit(sent, schema) == sent


@given(json_values)
def test_what_is_no_string_is_never_changed(sent: Any):
    if not isinstance(sent, str):
        assert refit(sent, OBJECT) == sent


@tool
async def search(filter: dict[str, int], tags: list[str] | None = None, n: float = 1):  # noqa: A002
    """Searches."""
    return [filter, tags, n]


SEARCH = serve(search)


@given(
    st.dictionaries(st.sampled_from(["filter", "tags", "n"]) | st.text(), json_values | st.text())
)
def test_whatever_is_sent_comes_to_a_result(sent: dict[str, Any]):
    json.dumps(asyncio.run(SEARCH.call("search", sent, CallContext()))).encode()


async def test_a_tool_gets_what_was_meant():
    class Filter(BaseModel):
        city: str

    @tool
    def search(filter: Filter, tags: list[str], note: str):  # noqa: A002
        """Searches."""
        return [filter.city, tags, note]

    sent = {"filter": '{"city": "Rome"}', "tags": '["a"]', "note": '["a"]'}
    result = await call(search, sent)
    assert result["structuredContent"] == {"value": ["Rome", ["a"], '["a"]']}
