"""What a Python file says as text: signatures as they are written, and the strings below attributes.

It parses and imports nothing: objects know neither how an annotation was spelt nor what stands below a field.
"""

import ast
import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

ROOT: Final = Path(__file__).parents[2]
PACKAGE: Final = ROOT / "src/litro"

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

_WIDTH: Final = 88


@dataclass(frozen=True)
class Attribute:
    """A field of a class, or a name of a module: what stands left and right of it, and the string below."""

    name: str
    annotation: str
    value: str
    doc: str


@functools.cache
def parsed(path: Path) -> ast.Module:
    """The file's tree."""
    return ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def nodes(tree: ast.AST) -> tuple[ast.AST, ...]:
    """Everything in the tree. Several pages ask for the same."""
    return tuple(ast.walk(tree))


def python_files(folder: str = "") -> Iterator[Path]:
    """The package's files, or those below one of its folders; what `litro new` writes is a project's, not ours."""
    for path in sorted((PACKAGE / folder).rglob("*.py")):
        if path.relative_to(PACKAGE).parts[0] not in {"scaffold", "vendor"}:
            yield path


def module_of(name: str) -> ast.Module:
    """The tree of the module of this name."""
    path = ROOT / "src" / name.replace(".", "/")
    return parsed(path / "__init__.py" if path.is_dir() else path.with_suffix(".py"))


@functools.cache
def home_of(module: str, name: str) -> tuple[str, ast.stmt]:
    """The module in which a name is made that `module` may only pass on, and the statement that makes it.

    Raises:
        LookupError: No module does.
    """
    for statement in nodes(module_of(module)):
        if isinstance(statement, ast.ImportFrom) and statement.module:
            for alias in statement.names:
                if alias.name == name and statement.module.startswith("litro"):
                    return home_of(statement.module, name)
    for statement in module_of(module).body:
        if _makes(statement, name):
            return module, statement
    msg = f"{module} has no {name}"
    raise LookupError(msg)


def attributes(body: list[ast.stmt]) -> list[Attribute]:
    """The public names that the statements give a value or a type, in their order."""
    found: list[Attribute] = []
    for statement, below in zip(body, [*body[1:], None], strict=True):
        match statement:
            case ast.AnnAssign(ast.Name(name), annotation, value):
                kind = _spelt(annotation)
            case ast.Assign([ast.Name(name)], value):
                kind = ""
            case _:
                continue
        if not name.startswith("_"):
            text = "" if value is None else _text(value)
            found.append(Attribute(name, kind, text, _string(below)))
    return found


def methods(node: ast.ClassDef) -> list[Function]:
    """The class's own public methods and properties; of overloads, what they are overloads of."""
    own = [one for one in node.body if isinstance(one, Function)]
    return [one for one in own if not one.name.startswith("_") and not has(one, "overload")]


def has(node: Function | ast.ClassDef, decorator: str) -> bool:
    """Whether the decorator stands above it."""
    return any(ast.unparse(one).split("(")[0].endswith(decorator) for one in node.decorator_list)


def constructor(node: ast.ClassDef, module: ast.Module) -> Function | None:
    """The class's `__init__`: its own, or that of a class in its module."""
    own = next((o for o in node.body if isinstance(o, Function) and o.name == "__init__"), None)
    if own is not None:
        return own
    bases = {ast.unparse(base) for base in node.bases}
    above = [o for o in module.body if isinstance(o, ast.ClassDef) and o.name in bases]
    return next((found for one in above if (found := constructor(one, module))), None)


def types_set_by(made: Function | None) -> dict[str, str]:
    """The type of each attribute that `__init__` sets, where it is annotated or is an argument as it came."""
    if made is None:
        return {}
    given = {o.arg: o.annotation for o in [*made.args.args, *made.args.kwonlyargs] if o.annotation}
    found: dict[str, str] = {}
    for one in ast.walk(made):
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Attribute):
            found[one.target.attr] = _spelt(one.annotation)
        elif isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Attribute):
            annotation = given.get(one.value.id) if isinstance(one.value, ast.Name) else None
            if annotation is not None:
                found[one.targets[0].attr] = _spelt(annotation)
    return found


def signature(name: str, node: Function, *, with_self: bool = False) -> str:
    """The function as one calls it: `await name(argument: type = default) -> type`, broken where it is long."""
    given = list(_parameters(node.args))
    before, after = _way(node)
    return called(f"{before}{name}", given[1:] if with_self else given, after)


def called(name: str, given: Sequence[str], after: str = "") -> str:
    """A call, broken where it is long."""
    line = f"{name}({', '.join(given)}){after}"
    if len(line) <= _WIDTH:
        return line
    return f"{name}(\n" + "".join(f"    {one},\n" for one in given) + f"){after}"


def parameters(node: Function) -> list[str]:
    """The names of its parameters, without `self`."""
    of = node.args
    every = [*of.posonlyargs, *of.args, of.vararg, *of.kwonlyargs, of.kwarg]
    return [one.arg for one in every if one is not None and one.arg not in {"self", "cls"}]


def _parameters(of: ast.arguments) -> Iterator[str]:
    plain = [*of.posonlyargs, *of.args]
    defaults = [None] * (len(plain) - len(of.defaults)) + list(of.defaults)
    for n, (argument, default) in enumerate(zip(plain, defaults, strict=True)):
        yield _parameter(argument, default)
        if of.posonlyargs and n == len(of.posonlyargs) - 1:
            yield "/"
    if of.vararg is not None:
        yield "*" + _parameter(of.vararg, None)
    elif of.kwonlyargs:
        yield "*"
    for argument, default in zip(of.kwonlyargs, of.kw_defaults, strict=True):
        yield _parameter(argument, default)
    if of.kwarg is not None:
        yield "**" + _parameter(of.kwarg, None)


def _parameter(argument: ast.arg, default: ast.expr | None) -> str:
    text = argument.arg
    if argument.annotation is not None:
        text += f": {_spelt(argument.annotation)}"
    if default is None:
        return text
    return f"{text} = {_text(default)}" if ":" in text else f"{text}={_text(default)}"


def _way(node: Function) -> tuple[str, str]:
    """What stands before and behind a call: how its result is had."""
    returns = "" if node.returns is None else _spelt(node.returns)
    inner = returns.partition("[")[2].removesuffix("]")
    if has(node, "asynccontextmanager"):
        return "async with ", f" as {inner}" if inner != "None" else ""
    after = f" -> {returns}" if returns and node.name != "__init__" else ""
    if returns.startswith(("AsyncIterator", "AsyncGenerator")):
        return "async for … in ", f" -> {inner}"
    return ("await " if isinstance(node, ast.AsyncFunctionDef) else ""), after


def _makes(statement: ast.stmt, name: str) -> bool:
    if isinstance(statement, ast.ClassDef | Function):
        return statement.name == name and not has(statement, "overload")
    return any(attribute.name == name for attribute in attributes([statement]))


def _spelt(annotation: ast.expr) -> str:
    """The annotation without the quotes of one that looks ahead."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return annotation.value
    return _text(_Unquoted().visit(annotation))


def _text(node: ast.expr) -> str:
    """The expression with the quotes that this project writes."""
    text = ast.unparse(node)
    return text if '"' in text else text.replace("'", '"')


class _Unquoted(ast.NodeTransformer):
    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        if ast.unparse(node.value) != "Literal":
            self.generic_visit(node)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return ast.Name(node.value) if isinstance(node.value, str) else node


def _string(statement: ast.stmt | None) -> str:
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return str(statement.value.value)
    return ""
