"""An input that `@tool(input=…)` names: a pydantic model, a dataclass, a TypedDict, or an object that validates.

It is not the function's signature, which then takes the validated value and nothing else beside the context.
"""

import inspect
from collections.abc import Mapping
from dataclasses import is_dataclass
from typing import Any, cast

from pydantic import BaseModel, TypeAdapter, ValidationError

from litro.errors import InvalidInput
from litro.schema.issues import MAX_TEXT, issues_of, shortened
from litro.schema.json_schema import json_schema, object_root
from litro.schema.parameters import Input, validated
from litro.schema.signature import Signature


def declared_input(signature: Signature, declared: object) -> Input:
    """The input that an author declared apart from the signature.

    Raises:
        TypeError: It is none of the four kinds, its root is not an object, or the function does not take one value.
    """
    parameter = _only_parameter(signature)
    validates = callable(getattr(declared, "validate", None))
    # A model has a method of that name too, and a dataclass may.
    if isinstance(declared, type) and (not validates or _describes_itself(declared)):
        return _typed(signature, declared, parameter)
    if validates:
        return _validating(signature, declared, parameter)
    msg = (
        f"{signature.name}(): input is {declared!r:.80}, so it cannot check anything. Pass a pydantic model, a dataclass, "
        "a TypedDict, or an object with validate(value)."
    )
    raise TypeError(msg)


def _describes_itself(declared: type[object]) -> bool:
    return issubclass(declared, BaseModel) or is_dataclass(declared)


def _only_parameter(signature: Signature) -> str:
    if len(signature.parameters) == 1:
        return signature.parameters[0].name
    taken = ", ".join(parameter.name for parameter in signature.parameters) or "none"
    msg = (
        f"{signature.name}(): with @tool(input=…) the function takes the one validated value beside the context, but "
        f"its parameters are: {taken}. Write it as def {signature.name}(input)."
    )
    raise TypeError(msg)


def _typed(signature: Signature, declared: type[object], parameter: str) -> Input:
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(declared)
        schema = json_schema(adapter, "validation")
    except Exception as error:  # types may bring hooks of their own
        first_line = str(error).split("\n", 1)[0] or type(error).__name__
        msg = (
            f"{signature.name}(): input is {declared.__name__}, which has no JSON Schema ({first_line}). "
            "Use types that JSON can hold."
        )
        raise TypeError(msg) from error
    root = _object_root(signature, declared.__name__, schema)
    return Input(root, lambda value: {parameter: validated(adapter, value)})


def _validating(signature: Signature, declared: object, parameter: str) -> Input:
    validate = cast("Any", declared).validate
    if inspect.iscoroutinefunction(validate):
        msg = (
            f"{signature.name}(): the validate() of {declared!r:.80} is async, but input is checked before the tool "
            "starts. Make it a plain def, and do what must be awaited in the tool."
        )
        raise TypeError(msg)
    describe = getattr(declared, "json_schema", None)
    # Without a schema the description has to carry what the arguments are.
    schema: object = describe() if callable(describe) else {"type": "object"}
    root = _object_root(signature, f"{declared!r:.80}", schema)

    def check(value: dict[str, Any]) -> dict[str, Any]:
        try:
            return {parameter: validate(value)}
        except ValidationError as error:
            raise InvalidInput(issues_of(error)) from error
        except ValueError as error:
            raise InvalidInput(shortened(str(error), MAX_TEXT) or "not valid") from error

    return Input(root, check, written=callable(describe))


def _object_root(signature: Signature, what: str, schema: object) -> dict[str, Any]:
    root = object_root(cast("Mapping[str, Any]", schema)) if isinstance(schema, Mapping) else None
    if root is None:
        msg = (
            f"{signature.name}(): the schema of {what} is not an object at its root, but a model's input always is. "
            "Put it into a field of a model."
        )
        raise TypeError(msg)
    return root
