"""Which failures HTTP answers tell: status and type of each, by the source.

A failure is a call of `failure(…)` or `Refusal(…)`, a line of the table from errors to answers, or a payload that is spelt out.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

from pages.source import Function, nodes, parsed, python_files

T = TypeVar("T")


@dataclass(frozen=True, order=True)
class Failure:
    """A failure that can be told."""

    type: str
    status: int
    """0 where whoever refuses chooses it."""
    error: str = ""
    """The class of the error that is told so, where it is one of a table."""


def failures_in(*folders: str) -> set[Failure]:
    """The failures that the package's folders tell."""
    paths = [path for folder in folders for path in python_files(folder)]
    return {failure for path in paths for failure in told_in(parsed(path))}


def told_in(module: ast.Module) -> Iterator[Failure]:
    """The failures that a module tells."""
    for node in nodes(module):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in {"failure", "Refusal"}:
            yield from _called(node, module)
        elif isinstance(node, ast.Tuple):
            yield from _tabled(node)
        elif isinstance(node, ast.Dict):
            yield from _spelt_out(node)


def _called(call: ast.Call, module: ast.Module) -> Iterator[Failure]:
    if len(call.args) < 2:
        return
    status, kind = call.args[:2]
    number = _constant(status, int)
    for name in _strings(kind, module):
        yield Failure(name, 0 if number is None else number)


def _tabled(node: ast.Tuple) -> Iterator[Failure]:
    match node.elts:
        case [ast.Name(error), ast.Constant(int(status)), ast.Constant(str(kind)), _]:
            yield Failure(kind, status, error)
        case _:
            return


def _spelt_out(node: ast.Dict) -> Iterator[Failure]:
    fields = {
        key.value: value
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant)
    }
    if {"type", "message"} <= fields.keys():
        kind = _constant(fields["type"], str)
        # An ASGI message of a failure has dots in its type.
        if isinstance(kind, str) and "." not in kind:
            status = _constant(fields.get("status"), int)
            yield Failure(kind, 500 if status is None else status)


def _strings(node: ast.expr, module: ast.Module) -> Iterator[str]:
    """The strings that the expression can be: a constant, or one with an argument in it that is a constant at each call."""
    match node:
        case ast.Constant(str(text)):
            yield text
        case ast.JoinedStr([ast.Constant(str(text)), ast.FormattedValue(ast.Name(name))]):
            for given in _given(name, node, module):
                yield text + given
        case _:
            return


def _given(name: str, inside: ast.expr, module: ast.Module) -> Iterator[str]:
    """What the argument of this name is, at each call of the function that the expression is in."""
    for function in nodes(module):
        if not isinstance(function, Function) or inside not in ast.walk(function):
            continue
        index = [argument.arg for argument in function.args.args].index(name)
        for call in nodes(module):
            if isinstance(call, ast.Call) and ast.unparse(call.func) == function.name:
                text = _constant(call.args[index], str)
                if text is not None:
                    yield text


def _constant(node: ast.expr | None, kind: type[T]) -> T | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, kind):
        return node.value
    return None
