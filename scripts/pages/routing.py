"""What HTTP requests may hold and answers do, by the source: endpoints, parameters, fields of bodies, headers, statuses."""

import ast
import re
from collections.abc import Iterator
from typing import Final, cast

from litro.http.route import Resource
from pages.docstrings import doc_of
from pages.source import Function, home_of, module_of, nodes, parsed, python_files

_SURFACE: Final = ("http", "gates", "mcp")
_PLACE: Final = re.compile(r"/__litro/([a-z]+)")


def endpoints() -> dict[tuple[Resource, str], str]:
    """What the docstring says of the function that answers, by resource and method."""
    module = module_of("litro.http.agent")
    made = _classes_of_variables(module)
    found: dict[tuple[Resource, str], str] = {}
    for table in nodes(module):
        if isinstance(table, ast.Dict):
            for key, value in zip(table.keys, table.values, strict=True):
                match key, value:
                    case (
                        ast.Tuple([ast.Constant(str(resource)), ast.Constant(str(method))]),
                        ast.Attribute(ast.Name(variable), name),
                    ):
                        found[cast("Resource", resource), method] = _doc_of_method(
                            made[variable], name
                        )
                    case _:
                        continue
    return found


def places() -> set[str]:
    """What stands behind `/__litro/` in the addresses that the package knows."""
    return {
        place
        for path in python_files()
        for node in nodes(parsed(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for place in _PLACE.findall(node.value)
    }


def parameters() -> set[str]:
    """The parameters of queries that are read."""
    return {name for call in _calls("http") for name in _names(call, "parameter", "_truth")}


def fields() -> set[str]:
    """The fields that bodies may have."""
    return {name for call in _calls("http") for name in _names(call, "fields")}


def statuses() -> set[int]:
    """The statuses of answers of conversations and their lists that are no failures."""
    found = {200}  # A stream's, which is sent where it is begun.
    for call in _calls("http", of=("conversation.py", "listing.py")):
        numbers = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "status")]
        if ast.unparse(call.func) in {"json_answer", "Answer"}:
            found |= {
                n.value for n in numbers if isinstance(n, ast.Constant) and isinstance(n.value, int)
            }
    return found


def headers_read() -> set[str]:
    """The headers of requests that are looked at."""
    found: set[str] = set()
    for node in _nodes():
        match node:
            case ast.Call(ast.Attribute(of, "get"), [ast.Constant(str(name)), *_]) | ast.Compare(
                ast.Constant(str(name)), [ast.In() | ast.NotIn()], [of]
            ) if ast.unparse(of).rpartition(".")[2] == "headers":
                found.add(name)
            case _:
                continue
    return found


def headers_sent() -> set[str]:
    """The headers of answers."""
    return {
        node.elts[0].value.decode()
        for node in _nodes()
        if isinstance(node, ast.Tuple)
        and len(node.elts) == 2
        and isinstance(node.elts[0], ast.Constant)
        and isinstance(node.elts[0].value, bytes)
    }


def _nodes() -> Iterator[ast.AST]:
    for folder in _SURFACE:
        for path in python_files(folder):
            yield from nodes(parsed(path))


def _calls(folder: str, of: tuple[str, ...] = ()) -> Iterator[ast.Call]:
    for path in python_files(folder):
        if not of or path.name in of:
            yield from (node for node in nodes(parsed(path)) if isinstance(node, ast.Call))


def _names(call: ast.Call, *functions: str) -> Iterator[str]:
    """The constants that a call of one of the functions is given."""
    if ast.unparse(call.func).rpartition(".")[2] in functions:
        for argument in call.args:
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                yield argument.value


def _classes_of_variables(module: ast.Module) -> dict[str, str]:
    """The class of each variable that is made of one: `listed = Listing(…)`."""
    return {
        one.targets[0].id: ast.unparse(one.value.func)
        for one in nodes(module)
        if isinstance(one, ast.Assign)
        and isinstance(one.targets[0], ast.Name)
        and isinstance(one.value, ast.Call)
    }


def _doc_of_method(owner: str, name: str) -> str:
    _, node = home_of("litro.http.agent", owner)
    assert isinstance(node, ast.ClassDef)
    method = next(o for o in node.body if isinstance(o, Function) and o.name == name)
    return doc_of(method).summary
