"""Signatures as schemas, and models' inputs checked against them."""

import enum
from collections.abc import AsyncIterator, Generator, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AfterValidator, BaseModel, Field, RootModel, Strict
from typing_extensions import TypedDict

from litro import Result, ToolContext, tool
from litro.errors import InvalidInput
from litro.ui import UIResult


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Node(BaseModel):
    title: str
    children: "list[Node]" = []


@dataclass
class Weather:
    temp_c: float


class Place(TypedDict):
    city: str


def refused(schema, value) -> str:
    with pytest.raises(InvalidInput) as caught:
        schema.arguments(value)
    return str(caught.value)


# What the model is told


def test_the_signature_is_the_input_schema():
    @tool
    def forecast(
        city: Annotated[str, Field(min_length=1, description="Stated.")],
        days: int = 3,
        colors: list[Color] | None = None,
    ):
        """Tell the
        weather.

        More that the model need not read.

        Args:
            city: Not this.
            days: How many days
                ahead.
        """

    assert forecast.schema.description == "Tell the weather."
    assert forecast.schema.context is None
    assert forecast.schema.input_schema == {
        "type": "object",
        "additionalProperties": False,
        "required": ["city"],
        "properties": {
            "city": {"type": "string", "minLength": 1, "description": "Stated."},
            "days": {"type": "integer", "default": 3, "description": "How many days ahead."},
            "colors": {
                "anyOf": [
                    {"type": "array", "items": {"$ref": "#/$defs/Color"}},
                    {"type": "null"},
                ],
                "default": None,
            },
        },
        "$defs": {"Color": {"enum": ["red", "blue"], "type": "string"}},
    }


def test_titles_that_an_author_gave_stay_and_made_up_ones_go():
    class Labelled(BaseModel):
        model_config = {"title": "A label"}
        title: str
        plain: Annotated[int, Field(title="Number")]

    @tool
    def f(label: Labelled, other: Node):
        """F."""

    definitions = f.schema.input_schema["$defs"]
    assert definitions["Labelled"]["title"] == "A label"
    assert definitions["Labelled"]["properties"] == {
        "title": {"type": "string"},
        "plain": {"type": "integer", "title": "Number"},
    }
    assert "title" not in definitions["Node"]
    assert "title" not in f.schema.input_schema


GOOGLE = """Do it.

    Args:
        city (str): Where it
            rains.
    """
NUMPY = """Do it.

    Parameters
    ----------
    city : str
        Where it rains.
    """
SPHINX = """Do it.

    :param city: Where it
        rains.
    :type city: str
    """
EPYDOC = """Do it.

    @param city: Where it rains.
    """


@pytest.mark.parametrize("doc", [GOOGLE, NUMPY, SPHINX, EPYDOC])
def test_arguments_are_described_in_any_of_the_usual_styles(doc):
    def f(city: str): ...

    f.__doc__ = doc

    assert tool(f).schema.description == "Do it."
    city = tool(f).schema.input_schema["properties"]["city"]
    assert city == {"type": "string", "description": "Where it rains."}


def test_defaults_without_json_are_left_out():
    marker: Any = object()

    @tool
    def f(x: int = marker):
        """F."""

    assert f.schema.input_schema["properties"] == {"x": {"type": "integer"}}
    assert f.schema.arguments({}) == ([], {})


# What the function is called with


def test_only_what_the_model_gave_is_passed_so_defaults_apply_themselves():
    @tool
    def f(
        a: int,
        b: int = 2,
        *,
        when: Annotated[date, Strict()],
        n: int = Field(7, ge=1),
    ):
        """F."""

    args, kwargs = f.schema.arguments({"a": 1, "when": "2026-01-31"})

    # Field(7) is no default that Python could apply.
    assert (args, kwargs) == ([], {"a": 1, "when": date(2026, 1, 31), "n": 7})


def test_positional_only_parameters_are_passed_by_position():
    @tool
    def f(a: int, b: int = 2, c: int = 3, /, ctx: ToolContext | None = None, *, d: int = 4):
        """F."""
        return a, b, c, d

    assert f.schema.context == "ctx"
    assert f.schema.arguments({"a": 1}) == ([1], {})
    args, kwargs = f.schema.arguments({"a": 1, "c": 5, "d": 6})
    assert f(*args, **kwargs) == (1, 2, 5, 6)


def test_parameters_may_have_the_names_of_a_models_attributes():
    @tool
    def f(json: int, copy: int, schema: int, model_config: int, model_x: int, _x: int, self: int):
        """F."""

    value = dict.fromkeys(["json", "copy", "schema", "model_config", "model_x", "_x", "self"], 1)

    assert list(f.schema.input_schema["properties"]) == list(value)
    assert f.schema.arguments(value) == ([], value)


def test_an_alias_is_the_name_that_the_model_knows():
    @tool
    def f(from_: Annotated[str, Field(alias="from")]):
        """F."""

    assert list(f.schema.input_schema["properties"]) == ["from"]
    assert f.schema.arguments({"from": "x"}) == ([], {"from_": "x"})


@pytest.mark.parametrize(
    "annotation", [ToolContext, "ToolContext", Annotated[ToolContext, "x"], ToolContext | None]
)
def test_the_context_is_no_part_of_the_schema(annotation):
    def f(city: str, ctx): ...

    f.__doc__ = "F."
    f.__annotations__["ctx"] = annotation

    assert tool(f).schema.context == "ctx"
    assert list(tool(f).schema.input_schema["properties"]) == ["city"]
    assert "ctx: Extra inputs" in refused(tool(f).schema, {"city": "x", "ctx": {}})


# Inputs that do not fit


def test_what_is_wrong_is_named_field_by_field():
    @tool
    def f(city: Annotated[str, Field(min_length=1)], days: int, nodes: list[Node]):
        """F."""

    text = refused(f.schema, {"city": "", "nodes": [{"title": 1}], "more": 1})

    assert text == (
        "city: String should have at least 1 character; days: Field required; "
        "nodes[0].title: Input should be a valid string; more: Extra inputs are not permitted"
    )


@pytest.mark.parametrize(
    ("value", "kind"),
    [([], "an array"), (None, "null"), ("{}", "a string"), (1.5, "a number"), (True, "a boolean")],
)
def test_anything_but_an_object_is_refused(value, kind):
    @tool
    def f():
        """F."""

    assert refused(f.schema, value) == f"The input is {kind}, so a JSON object is required."
    assert f.schema.arguments({}) == ([], {})


def test_a_hostile_input_is_refused_in_few_words():
    def echo(value: str) -> str:
        msg = f"not {value}"
        raise ValueError(msg)

    @tool
    def f(x: Annotated[str, AfterValidator(echo)], kind: Literal["a"] = "a"):
        """F."""

    many = {f"{'k' * 10_000}{i}": "v" * 10_000 for i in range(200)}
    text = refused(f.schema, {"x": "y" * 1_000_000, **many})

    assert len(text) <= 1000
    assert text.startswith("x: Value error, not yyy")
    assert "v" * 10 not in text


def test_the_tenth_issue_is_the_last_to_be_told():
    @tool
    def f():
        """F."""

    text = refused(f.schema, {f"k{i}": 1 for i in range(25)})

    assert text.count("Extra inputs") == 10
    assert text.endswith("; and 15 more")


deep: Any = {}
for _ in range(5000):
    deep = {"children": [deep], "title": "x"}


@pytest.mark.parametrize("hostile", [2**70, "\ud800", float("nan"), deep, {1: 2}, object()])
def test_what_is_not_json_is_refused(hostile):
    @tool
    def f(x: Node | int):
        """F."""

    assert refused(f.schema, {"x": hostile})


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@tool
def everything(
    when: date,
    node: Node,
    color: Color | Literal[1, 2],
    weather: Weather,
    places: dict[str, Place],
    amount: Annotated[float, Field(gt=0, multiple_of=0.5)] = 1,
):
    """Take everything."""


names = st.sampled_from(["when", "node", "color", "weather", "places", "amount", "title", "city"])


@given(
    json_values
    | st.dictionaries(names | st.text(), json_values | st.dictionaries(names, json_values))
)
def test_no_input_raises_anything_but_invalid_input(value):
    try:
        everything.schema.arguments(value)
    except InvalidInput as error:
        text = str(error)
    else:
        text = "it fits"
    assert 0 < len(text) <= 1000


def test_an_exception_of_the_authors_own_validator_is_not_hidden():
    def fail(value: str) -> str:
        return {}[value]

    @tool
    def f(x: Annotated[str, AfterValidator(fail)]):
        """F."""

    with pytest.raises(KeyError, match="y"):
        f.schema.arguments({"x": "y"})


# @tool(input=…)


class PlaceModel(BaseModel):
    city: str


@dataclass
class PlaceData:
    city: str


@pytest.mark.parametrize("kind", [PlaceModel, PlaceData, Place])
def test_an_input_may_be_declared_as_a_type(kind):
    @tool(input=kind)
    def f(ctx: ToolContext, place):
        """F."""

    assert f.schema.input_schema == {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
    }
    expected = {"city": "Oslo"} if kind is Place else kind(city="Oslo")
    assert f.schema.arguments({"city": "Oslo"}) == ([], {"place": expected})
    assert refused(f.schema, {}) == "city: Field required"


def test_the_declared_value_may_be_positional_only():
    @tool(input=PlaceModel)
    def f(place: PlaceModel, /, ctx: ToolContext):
        """F."""

    assert f.schema.arguments({"city": "Oslo"}) == ([PlaceModel(city="Oslo")], {})


def test_a_recursive_model_gets_an_object_at_its_root():
    @tool(input=Node)
    def f(node: Node):
        """F."""

    schema = f.schema.input_schema
    assert schema["type"] == "object"
    assert "$ref" not in schema
    assert schema["properties"]["children"]["items"] == {"$ref": "#/$defs/Node"}
    assert set(schema["$defs"]) == {"Node"}


class EvenCount:
    def validate(self, value):
        if value == {"crash": True}:
            raise KeyError("mine")
        if value.get("count", 1) % 2:
            raise ValueError("count must be even")
        return value["count"]


class DescribedCount(EvenCount):
    def json_schema(self):
        return {"type": "object", "properties": {"count": {"type": "integer"}}}


def test_an_input_may_be_an_object_that_validates():
    @tool(input=EvenCount())
    def plain(count: int):
        """F."""

    @tool(input=DescribedCount())
    def described(count: int):
        """F."""

    assert plain.schema.input_schema == {"type": "object"}
    assert described.schema.input_schema == DescribedCount().json_schema()
    assert plain.schema.arguments({"count": 4}) == ([], {"count": 4})
    assert refused(plain.schema, {"count": 3}) == "count must be even"
    with pytest.raises(KeyError, match="mine"):
        plain.schema.arguments({"crash": True})


# What a tool returns


def returns(annotation):
    def f(): ...

    f.__doc__ = "F."
    f.__annotations__["return"] = annotation
    return tool(f).schema.output_schema


WEATHER = {
    "type": "object",
    "properties": {"temp_c": {"type": "number"}},
    "required": ["temp_c"],
}


class MyUI(UIResult[Weather]):
    pass


@pytest.mark.parametrize(
    "annotation",
    [
        Weather,
        "Weather",
        UIResult[Weather],
        "UIResult[Weather]",
        Annotated[UIResult[Weather], "x"],
        UIResult[Weather] | Weather,
        AsyncIterator[str | Result[Weather]],
        Iterator[Result[UIResult[Weather]]],
        Generator[int, None, Weather],
        Generator[int, None, UIResult[Weather]],
    ],
)
def test_the_return_annotation_is_the_output_schema(annotation):
    assert returns(annotation) == WEATHER


@pytest.mark.parametrize(
    "annotation",
    [
        None,
        Any,
        str,
        list[Weather],
        Weather | None,
        UIResult,
        UIResult[Any],
        UIResult[list[Weather]],
        MyUI,
        object,
        AsyncIterator[Weather],
        AsyncIterator,
        EvenCount,
    ],
)
def test_an_annotation_that_describes_no_object_promises_nothing(annotation):
    assert returns(annotation) is None


def test_without_a_return_annotation_nothing_is_promised():
    @tool
    def f():
        """F."""

    assert f.schema.output_schema is None


def test_a_recursive_result_gets_an_object_at_its_root():
    assert returns(Node)["type"] == "object"


# What is refused, with words that teach


def unannotated(x): ...
def variadic(*names: str): ...
def keywords(**names: str): ...
def two_contexts(a: ToolContext, b: ToolContext): ...
def positional_context(ctx: ToolContext, /): ...
def no_schema(x: int, y: EvenCount): ...
def unresolved(x: "Missing"): ...  # noqa: F821
def nested_context(x: list[ToolContext]): ...


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (unannotated, r"'x' has no annotation, .* Annotate it"),
        (variadic, r"\*names has no names or types .* Write each parameter out"),
        (keywords, r"\*\*names has no names or types"),
        (two_contexts, r"a and b are both annotated ToolContext, .* Keep one"),
        (positional_context, r"ctx is positional-only, .* behind the slash"),
        (no_schema, r"'y' is annotated .*EvenCount, which cannot become a JSON Schema"),
        (nested_context, r"'x' is annotated list\[.*ToolContext\], which cannot"),
        (unresolved, r"cannot be resolved \(NameError: name 'Missing' .* not under `if TYPE_CHECK"),
    ],
)
def test_a_signature_that_cannot_be_a_schema_is_refused(function, text):
    function.__doc__ = "Do it."

    with pytest.raises(TypeError, match=rf"^{function.__name__}\(\): .*{text}"):
        _ = tool(function).schema


class Numbers(RootModel[list[int]]):
    pass


class AsyncCheck:
    async def validate(self, value): ...


class Unrooted(EvenCount):
    def json_schema(self):
        return {"anyOf": []}


@pytest.mark.parametrize(
    ("declared", "text"),
    [
        (Numbers, "the schema of Numbers is not an object at its root"),
        (Unrooted(), "is not an object at its root"),
        (int, "the schema of int is not an object"),
        (AsyncIterator, "input is AsyncIterator, which has no JSON Schema"),
        (42, "input is 42, so it cannot check anything"),
        (AsyncCheck(), "is async, but input is checked before the tool starts"),
    ],
)
def test_a_declared_input_that_cannot_be_one_is_refused(declared, text):
    @tool(input=declared)
    def f(value):
        """F."""

    with pytest.raises(TypeError, match=rf"^f\(\): .*{text}"):
        _ = f.schema


def test_a_declared_input_needs_exactly_one_parameter():
    @tool(input=PlaceModel)
    def f(place: PlaceModel, more: int, ctx: ToolContext):
        """F."""

    with pytest.raises(TypeError, match="its parameters are: place, more"):
        _ = f.schema


@pytest.mark.parametrize("doc", [None, "", "  \n"])
def test_a_tool_without_a_description_is_refused(doc):
    def f(x: int): ...

    f.__doc__ = doc

    with pytest.raises(TypeError, match=r"f\(\) has no docstring .* Add one line"):
        _ = tool(f).schema
