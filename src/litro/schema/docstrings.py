"""What a docstring tells the model: the tool in one paragraph, and each argument in one line.

Google, NumPy, Sphinx and Epydoc styles are read by docstring_parser. What it makes of the rest (returns, raises,
examples) is for people, and stays unread.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import docstring_parser


@dataclass(frozen=True, slots=True)
class Docs:
    """What a function's docstring says to the model."""

    description: str
    arguments: Mapping[str, str]

    @classmethod
    def of(cls, function: Callable[..., Any]) -> "Docs":
        """The docs of a function.

        Raises:
            TypeError: It has no docstring, or none that describes it.
        """
        text = inspect.getdoc(function) or ""
        description, arguments = _parsed(text)
        if not description:
            name = getattr(function, "__name__", repr(function))
            msg = (
                f"{name}() has no docstring that says what it does, so the model cannot know when to call it. "
                "Add one line below the def."
            )
            raise TypeError(msg)
        return cls(description, arguments)


def _parsed(text: str) -> tuple[str, dict[str, str]]:
    try:
        parsed = docstring_parser.parse(text)
    except docstring_parser.ParseError:
        return _one_line(_first_paragraph(text)), {}
    paragraph = parsed.short_description or ""
    if parsed.long_description and not parsed.blank_after_short_description:
        paragraph = f"{paragraph} {_first_paragraph(parsed.long_description)}"
    arguments = {
        name.strip().lstrip("*"): _one_line(argument.description)
        for argument in parsed.params
        if argument.description
        for name in argument.arg_name.split(",")
    }
    return _one_line(paragraph), arguments


def _first_paragraph(text: str) -> str:
    return text.split("\n\n", 1)[0]


def _one_line(text: str) -> str:
    return " ".join(text.split())
