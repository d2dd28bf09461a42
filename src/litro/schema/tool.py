"""One tool's schemas, made once when its project is loaded.

It is not the tool's call: `arguments` answers what the function is to be called with, `litro.turn` calls it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from litro.errors import InvalidInput
from litro.schema.declared import declared_input
from litro.schema.docstrings import Docs
from litro.schema.json_schema import object_root
from litro.schema.output import result_schema
from litro.schema.parameters import Input, Parameter, parameter_input
from litro.schema.signature import Signature

_JSON_NAMES: Mapping[type, str] = {
    type(None): "null",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    str: "a string",
    list: "an array",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSchema:
    """What the model is told of a tool, and what checks its input.

    Attributes:
        description: The first paragraph of the function's docstring, on one line.
        input_schema: JSON Schema 2020-12 with an object at its root.
        input_written: Whether the author wrote that schema out, rather than types.
        result_schema: Of what the tool returns, whatever its kind, or None where its annotation does not say.
        context: The name of the parameter that receives the call's context, if there is one.
    """

    description: str
    input_schema: dict[str, Any]
    input_written: bool
    result_schema: dict[str, Any] | None
    context: str | None
    _check: Callable[[dict[str, Any]], dict[str, Any]] = field(repr=False)
    _positional: tuple[Parameter, ...] = field(repr=False)

    @classmethod
    def of(
        cls,
        function: Callable[..., Any],
        *,
        input: Any,  # noqa: A002 - the field's name, in MCP and in the original
        context: type,
        result: type,
    ) -> "ToolSchema":
        """The schemas of a function.

        Args:
            function: The function as written.
            input: What takes the place of its signature, or None: a pydantic model, a dataclass, a TypedDict, or
                an object with `validate(value)` and optionally `json_schema()`.
            context: The type whose parameter is given the call's context.
            result: The generic type in which a generator yields its result.

        Raises:
            TypeError: There can be no schema; the message says why, and what to write instead.
        """
        signature = Signature.of(function, context)
        docs = Docs.of(function)
        checked: Input = (
            parameter_input(signature, docs)
            if input is None
            else declared_input(signature, cast("object", input))
        )
        return cls(
            description=docs.description,
            input_schema=checked.schema,
            input_written=checked.written,
            result_schema=result_schema(signature.returns, result),
            context=signature.context,
            _check=checked.check,
            _positional=tuple(p for p in signature.parameters if p.positional_only),
        )

    @property
    def output_schema(self) -> dict[str, Any] | None:
        """JSON Schema of what the tool returns, or None where its annotation does not describe an object."""
        return None if self.result_schema is None else object_root(self.result_schema)

    def arguments(self, value: object) -> tuple[list[Any], dict[str, Any]]:
        """What the function is to be called with, the context aside: only what the model gave.

        Args:
            value: The input as parsed from the model's JSON. Nothing about it is trusted.

        Returns:
            Positional and keyword arguments. The context joins the keyword arguments, under its name.

        Raises:
            InvalidInput: It does not fit; the message tells the model which fields, and why.
        """
        if not isinstance(value, dict):
            kind = _JSON_NAMES.get(type(value), f"a {type(value).__name__}")
            msg = f"The input is {kind}, so a JSON object is required."
            raise InvalidInput(msg)
        given = self._check(cast("dict[str, Any]", value))
        last = max((i for i, p in enumerate(self._positional) if p.name in given), default=-1)
        # Python has no way to skip a positional-only parameter, so those before the last given one are spelled out.
        args = [given.pop(p.name, p.default) for p in self._positional[: last + 1]]
        return args, given
