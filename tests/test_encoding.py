"""What becomes of a tool's values: one rule, and nothing that only people may see gets through it."""

import dataclasses
import datetime as dt
import enum
import math
from collections import OrderedDict, deque
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple
from uuid import UUID

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup
from pydantic import BaseModel, ConfigDict, Field, model_serializer

from litro.encoding import MAX_DEPTH, encode_value, to_jsonable, well_formed
from litro.errors import EncodingError
from litro.ui import UIResult, ui

SECRET = "<b>only for people</b>"


def shown() -> UIResult[Any]:
    return ui(Markup(SECRET), data={"temp": 21})


@dataclasses.dataclass
class Box:
    content: Any


@dataclasses.dataclass(slots=True)
class SlottedBox:
    content: Any


class Pair(NamedTuple):
    left: Any
    right: Any


class Model(BaseModel):
    model_config = ConfigDict(arbitrary_types_allowed=True, extra="allow")
    content: Any


class Excluding(BaseModel):
    model_config = ConfigDict(arbitrary_types_allowed=True)
    content: Any = Field(exclude=True)


class Smuggling(BaseModel):
    @model_serializer
    def smuggle(self) -> Any:
        return {"inside": shown()}


class Colour(enum.Enum):
    RED = "red"


class Size(enum.IntEnum):
    BIG = 3


WRAPPINGS = [
    lambda v: {"k": v},
    lambda v: [v],
    lambda v: (v, 1),
    lambda v: deque([v]),
    lambda v: OrderedDict(k=v),
    lambda v: MappingProxyType({"k": v}),
    Box,
    SlottedBox,
    lambda v: Pair(1, v),
    lambda v: Model(content=v),
    lambda v: Model(content=1, more=v),
    lambda v: Excluding(content=v),
    lambda v: {1: v},
]


@given(st.lists(st.sampled_from(WRAPPINGS), min_size=1, max_size=6))
def test_a_component_nested_in_any_container_is_refused_and_its_html_goes_nowhere(layers):
    value: Any = shown()
    for wrap in layers:
        value = wrap(value)
    with pytest.raises(EncodingError) as raised:
        encode_value(value)
    assert raised.value.type == "nested-ui"
    assert SECRET not in str(raised.value)
    assert SECRET not in repr(value)


def test_a_component_that_a_serialiser_makes_is_refused_too():
    with pytest.raises(EncodingError):
        encode_value(Smuggling())


def test_a_component_has_no_json_no_html_and_no_pickle_of_its_own():
    result = shown()
    assert not hasattr(result, "__html__")
    assert not dataclasses.is_dataclass(result)
    assert repr(result) == "ui(…, data={'temp': 21})"
    with pytest.raises(TypeError):
        orjson.dumps(result)
    with pytest.raises(TypeError, match="cannot be pickled"):
        result.__reduce__()


@pytest.mark.parametrize(
    ("value", "json"),
    [
        (None, None),
        ({"a": (1, 2.5, True)}, {"a": [1, 2.5, True]}),
        (dt.date(2026, 11, 30), "2026-11-30"),
        (dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC), "2026-11-30T12:00:00Z"),
        (dt.timedelta(minutes=90), "PT1H30M"),
        (Decimal("1.10"), "1.10"),
        (b"\xff\x00", "_wA="),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (Colour.RED, "red"),
        (Size.BIG, 3),
        (Path("/tmp/x"), "/tmp/x"),
        ({1: "a", None: "b", Colour.RED: "c"}, {"1": "a", "null": "b", "red": "c"}),
        (Box(Pair(1, [dt.date(2026, 1, 2)])), {"content": [1, ["2026-01-02"]]}),
        (Model(content=Decimal(2)), {"content": "2"}),
        (frozenset({7}), [7]),
        (Markup("<i>text</i>"), "<i>text</i>"),
    ],
)
def test_what_json_has_no_word_for_is_translated(value, json):
    assert orjson.loads(encode_value(value)) == json


def test_the_same_list_twice_is_no_cycle():
    shared = [1]
    assert to_jsonable([shared, shared]) == [[1], [1]]


def cyclic() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


def deep() -> list[Any]:
    value: list[Any] = []
    for _ in range(MAX_DEPTH + 5):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [
        math.nan,
        {"a": math.inf},
        2**64,
        -(2**63) - 1,
        object(),
        {"a": lambda: 1},
        cyclic(),
        deep(),
        iter([1]),
        (x for x in [1]),
        Box(object()),
        {(1, 2): 3},
        {Box(1).__class__: 2},
    ],
)
def test_what_has_no_json_is_refused_by_name(value):
    with pytest.raises(EncodingError) as raised:
        encode_value(value)
    assert raised.value.type == "not-json"
    assert "value" in str(raised.value)


def test_a_refusal_names_the_path():
    with pytest.raises(EncodingError, match=r"value\.days\[1\]\.temp is nan"):
        encode_value({"days": [{"temp": 1.0}, {"temp": math.nan}]})


@given(st.text(alphabet=st.characters(codec=None)))
def test_any_string_becomes_well_formed(text):
    clean = well_formed(text)
    clean.encode()
    assert encode_value({"k": text})
    if not any("\ud800" <= c <= "\udfff" for c in text):
        assert clean == text


def test_a_surrogate_pair_in_two_code_units_is_one_character():
    assert well_formed("\ud83d\ude00") == "😀"
    assert well_formed("a\ud83db") == "a�b"


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(2**63), 2**64 - 1)
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(alphabet=st.characters(exclude_categories=["Cs"])),
        lambda children: (
            st.lists(children)
            | st.dictionaries(st.text(alphabet=st.characters(exclude_categories=["Cs"])), children)
        ),
    )
)
def test_plain_json_is_itself(value):
    assert orjson.loads(encode_value(value)) == value
