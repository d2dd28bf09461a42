"""Docstrings in the form that this project writes them (Google's), taken apart for a page."""

import ast
import re
from dataclasses import dataclass, field
from typing import Final

import docstring_parser
from docstring_parser import DocstringStyle

from pages.markdown import one_line

_HEADING: Final = re.compile(r"^(Args|Attributes|Returns|Raises):$", re.MULTILINE)


@dataclass(frozen=True)
class Doc:
    """A docstring in its parts."""

    summary: str
    """The first paragraph."""
    rest: str = ""
    """What follows it, up to the first heading."""
    arguments: dict[str, str] = field(default_factory=dict)
    attributes: dict[str, str] = field(default_factory=dict)
    returns: str = ""
    raises: tuple[tuple[str, str], ...] = ()


def doc_of(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.Module) -> Doc:
    """The docstring of a class, a function or a module; empty where it has none."""
    text = ast.get_docstring(node) or ""
    found = docstring_parser.parse(text, DocstringStyle.GOOGLE)
    # Taken from the text itself, since the parser strips what is indented: examples.
    summary, _, rest = _HEADING.split(text)[0].partition("\n\n")
    told: dict[str, dict[str, str]] = {"param": {}, "attribute": {}}
    for one in found.params:
        told.setdefault(one.args[0], {})[one.arg_name] = one_line(one.description)
    return Doc(
        summary=one_line(summary),
        rest=rest.rstrip(),
        arguments=told["param"],
        attributes=told["attribute"],
        returns="" if found.returns is None else one_line(_whole(found.returns)),
        raises=tuple((one.type_name or "", one_line(one.description)) for one in found.raises),
    )


def _whole(returns: docstring_parser.DocstringReturns) -> str:
    # A sentence with a colon in it is taken for a type and its description.
    return ": ".join(part for part in (returns.type_name, returns.description) if part)
