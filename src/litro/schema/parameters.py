"""The parameters of a function as one schema: each becomes a field, under the parameter's own name.

It is not for `@tool(input=…)`: `litro.schema.declared` is.
"""

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated, Any

import orjson
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, create_model
from pydantic.fields import FieldInfo

from litro.errors import InvalidInput
from litro.schema.docstrings import Docs
from litro.schema.issues import issues_of, shortened
from litro.schema.json_schema import json_schema
from litro.schema.signature import UNSTATED, Parameter, Signature


@dataclass(frozen=True, slots=True)
class Input:
    """A tool's input: its JSON Schema, and the check that answers the arguments by parameter name."""

    schema: dict[str, Any]
    check: Callable[[dict[str, Any]], dict[str, Any]]
    written: bool = False
    """Whether the author wrote the schema out, rather than types."""


def parameter_input(signature: Signature, docs: Docs) -> Input:
    """The input that a signature describes.

    Raises:
        TypeError: A parameter has no annotation, or one that has no JSON Schema.
    """
    for parameter in signature.parameters:
        if parameter.annotation is UNSTATED:
            msg = (
                f"{signature.name}(): {parameter.name!r} has no annotation, so the model cannot know what to give. "
                f"Annotate it, for example `{parameter.name}: str`, or `ToolContext` for the call's context."
            )
            raise TypeError(msg)
    try:
        adapter = _adapter(signature, signature.parameters, docs)
        schema = json_schema(adapter, "validation")
    except Exception as error:  # annotations may bring hooks of their own
        raise _refusal(signature, docs, error) from error
    # Names of our own, because a field called `json`, `copy` or `_x` would collide with the model's attributes.
    fields = [(f"p{i}", parameter) for i, parameter in enumerate(signature.parameters)]

    def check(value: dict[str, Any]) -> dict[str, Any]:
        model = validated(adapter, value)
        given = model.model_fields_set
        return {
            parameter.name: getattr(model, field)
            for field, parameter in fields
            if field in given or not _applies_itself(parameter.default)
        }

    return Input(schema, check)


def validated(adapter: TypeAdapter[Any], value: dict[str, Any]) -> Any:
    """The value as the adapter's type.

    Validation starts from JSON, so that a date is a string in strict mode too.

    Raises:
        InvalidInput: It does not fit, or has no JSON.
    """
    try:
        return adapter.validate_json(orjson.dumps(value))
    except ValidationError as error:
        raise InvalidInput(issues_of(error)) from error
    except orjson.JSONEncodeError as error:
        msg = f"The input is not JSON: {shortened(str(error))}"
        raise InvalidInput(msg) from error


def _adapter(
    signature: Signature, parameters: Iterable[Parameter], docs: Docs
) -> TypeAdapter[BaseModel]:
    definitions: dict[str, Any] = {
        f"p{i}": _field(parameter, docs) for i, parameter in enumerate(parameters)
    }
    model = create_model(
        signature.name,
        __config__=ConfigDict(extra="forbid"),
        __module__=signature.module,
        **definitions,
    )
    return TypeAdapter(model)


def _field(parameter: Parameter, docs: Docs) -> Any:
    required = parameter.default is UNSTATED
    stated = (
        FieldInfo.from_annotation(parameter.annotation)
        if required
        else FieldInfo.from_annotated_attribute(parameter.annotation, parameter.default)
    )
    ours: dict[str, Any] = {}
    if stated.validation_alias is None:
        ours["alias"] = parameter.name
    if stated.description is None:
        ours["description"] = docs.arguments.get(parameter.name)
    if not ours:
        annotation = parameter.annotation
    else:
        annotation = Annotated[parameter.annotation, Field(**ours)]
    return annotation if required else (annotation, parameter.default)


def _applies_itself(default: Any) -> bool:
    """Whether the function has a default that Python applies. `Field(5)` as a default is pydantic's to apply."""
    return default is not UNSTATED and not isinstance(default, FieldInfo)


def _refusal(signature: Signature, docs: Docs, error: Exception) -> TypeError:
    for parameter in signature.parameters:
        try:
            json_schema(_adapter(signature, [parameter], docs), "validation")
        except Exception as cause:  # noqa: BLE001 - annotations may bring hooks of their own
            return TypeError(
                f"{signature.name}(): {parameter.name!r} is annotated {inspect.formatannotation(parameter.annotation)}, "
                f"which cannot become a JSON Schema, so a model cannot give it ({_first_line(cause)}). "
                "Use types that JSON can hold: str, int, list, a pydantic model, a dataclass."
            )
    return TypeError(
        f"{signature.name}(): the parameters have no JSON Schema together ({_first_line(error)}). "
        "Use types that JSON can hold: str, int, list, a pydantic model, a dataclass."
    )


def _first_line(error: Exception) -> str:
    return str(error).split("\n", 1)[0] or type(error).__name__
