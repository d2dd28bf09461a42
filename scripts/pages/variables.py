"""Which environment variables the package reads, by its source.

A read of `os.environ` is found by its name: a constant, a constant of the module, or a loop over one. What passes names through variables is
found by the names themselves: a string that looks like a variable's counts as one, wherever it stands.
"""

import ast
import re
from collections.abc import Iterator
from typing import Final

from pages.source import nodes, parsed, python_files

_LOOKS_LIKE_ONE: Final = re.compile(r"_?[A-Z][A-Z0-9]*(_[A-Z0-9]+)+")
_READS: Final = frozenset({"get", "pop", "setdefault", "getenv"})
_OF_OTHER_THINGS: Final = frozenset({"getattr", "hasattr", "sysconf"})
"""Functions that are given the names of C's constants, which look the same."""


def variables() -> set[str]:
    """The variables that the package reads."""
    return {name for path in python_files() for name in variables_in(parsed(path))}


def variables_in(module: ast.Module) -> set[str]:
    """The variables that a module reads."""
    constants = {
        target.id: value
        for one in module.body
        if isinstance(one, ast.Assign | ast.AnnAssign) and (value := one.value) is not None
        for target in (one.targets if isinstance(one, ast.Assign) else [one.target])
        if isinstance(target, ast.Name)
    }
    loops = {
        one.target.id: one.iter
        for one in nodes(module)
        if isinstance(one, ast.comprehension | ast.For) and isinstance(one.target, ast.Name)
    }
    found = set(_look_alikes(module))
    for name in _read(module):
        found.update(_strings(name, constants, loops))
    return found


def _read(module: ast.Module) -> Iterator[ast.expr]:
    """What stands in brackets or first in a call where the environment is read."""
    for node in nodes(module):
        if isinstance(node, ast.Subscript) and _is_environ(node.value):
            yield node.slice
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            of = node.func.value
            if node.func.attr in _READS and (_is_environ(of) or ast.unparse(of) == "os"):
                yield node.args[0]


def _is_environ(node: ast.expr) -> bool:
    return ast.unparse(node).rpartition(".")[2].lstrip("_") == "environ"


def _strings(
    node: ast.expr, constants: dict[str, ast.expr], loops: dict[str, ast.expr]
) -> Iterator[str]:
    """The strings that the expression can be, as far as they stand in the module."""
    if isinstance(node, ast.Name):
        known = constants.get(node.id) or loops.get(node.id)
        if known is not None:
            yield from _strings(known, constants, {})
    for one in ast.walk(node):
        if isinstance(one, ast.Constant) and isinstance(one.value, str) and one.value:
            yield one.value


def _look_alikes(module: ast.Module) -> Iterator[str]:
    others = {
        id(argument)
        for one in nodes(module)
        if isinstance(one, ast.Call)
        and ast.unparse(one.func).rpartition(".")[2] in _OF_OTHER_THINGS
        for argument in one.args
    }
    for one in nodes(module):
        if (
            isinstance(one, ast.Constant)
            and isinstance(one.value, str)
            and _LOOKS_LIKE_ONE.fullmatch(one.value)
            and id(one) not in others
        ):
            yield one.value
