"""A function's signature with its annotations resolved: which parameters the model fills, and which one we do.

It builds no schema, and it does not ask whether an annotation could be one.
"""

import inspect
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

UNSTATED: Any = inspect.Parameter.empty
"""An annotation or a default that is not there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter that the model fills."""

    name: str
    annotation: Any
    default: Any
    positional_only: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """What a function takes and returns."""

    name: str
    module: str
    parameters: tuple[Parameter, ...]
    context: str | None
    """The parameter that receives the call's context."""
    returns: Any

    @classmethod
    def of(cls, function: Callable[..., Any], context: type) -> "Signature":
        """The signature of a function.

        Raises:
            TypeError: A parameter cannot be told to the model, or an annotation cannot be resolved.
        """
        name = getattr(function, "__name__", repr(function))
        hints = _hints(function, name)
        parameters: list[Parameter] = []
        contexts: list[str] = []
        for parameter in inspect.signature(function).parameters.values():
            _refuse_variadic(parameter, name)
            hint = hints.get(parameter.name, UNSTATED)
            if _is_context(hint, context):
                _refuse_positional_context(parameter, name)
                contexts.append(parameter.name)
                continue
            parameters.append(
                Parameter(
                    name=parameter.name,
                    annotation=hint,
                    default=parameter.default,
                    positional_only=parameter.kind is inspect.Parameter.POSITIONAL_ONLY,
                )
            )
        if len(contexts) > 1:
            msg = (
                f"{name}(): {' and '.join(contexts)} are both annotated {context.__name__}, but a call has one context. "
                "Keep one of them."
            )
            raise TypeError(msg)
        return cls(
            name=name,
            module=function.__module__,
            parameters=tuple(parameters),
            context=contexts[0] if contexts else None,
            returns=hints.get("return", UNSTATED),
        )


def unwrapped(annotation: Any) -> Any:
    """The annotation without what stands around it: `Annotated[…]`, and names given by a `type` statement."""
    while True:
        if get_origin(annotation) is Annotated:
            annotation = get_args(annotation)[0]
        elif (value := getattr(annotation, "__value__", None)) is not None:
            annotation = value
        else:
            return annotation


def members(annotation: Any) -> tuple[Any, ...]:
    """The members of a union; of anything else, the annotation alone."""
    return (
        get_args(annotation)
        if get_origin(annotation) in (Union, types.UnionType)
        else (annotation,)
    )


def _hints(function: Callable[..., Any], name: str) -> dict[str, Any]:
    try:
        return get_type_hints(function, include_extras=True)
    except Exception as error:  # resolving a string runs what its author wrote in it
        msg = (
            f"{name}(): an annotation cannot be resolved ({type(error).__name__}: {error}), so there is no schema. "
            "Import what it names at the top of the file, not under `if TYPE_CHECKING`."
        )
        raise TypeError(msg) from error


def _refuse_variadic(parameter: inspect.Parameter, name: str) -> None:
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    if parameter.kind in stars:
        msg = (
            f"{name}(): {stars[parameter.kind]}{parameter.name} has no names or types that a model could be told. "
            "Write each parameter out, or take one dict."
        )
        raise TypeError(msg)


def _refuse_positional_context(parameter: inspect.Parameter, name: str) -> None:
    if parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
        msg = (
            f"{name}(): {parameter.name} is positional-only, but the context is given by name. "
            f"Move {parameter.name} behind the slash."
        )
        raise TypeError(msg)


def _is_context(hint: Any, context: type) -> bool:
    named = [m for m in members(unwrapped(hint)) if m is not type(None)]
    return len(named) == 1 and unwrapped(named[0]) is context
