r"""Splits a format string at its holes, as JavaScript splits a template literal at `${…}`.

`html("<b>{name}</b>", …)` has the strings that `<b>${name}</b>` has in JavaScript: `{{` and `}}` are braces, and line ends
are `\n` (https://tc39.es/ecma262/#sec-static-semantics-trv). It does not read HTML: `litro.ui.holes` does.
"""

import re
from typing import Final, NamedTuple

from litro.errors import TemplateError

_BRACES: Final = re.compile(r"\{\{|\}\}|\{[^{}]*\}?|\}")
_LINE_ENDS: Final = re.compile(r"\r\n?")


class Split(NamedTuple):
    """A format string in parts: one more string than names."""

    strings: tuple[str, ...]
    names: tuple[str, ...]


def split(template: str) -> Split:
    """The template's strings, and the names of what stands between them.

    Raises:
        TemplateError: A brace is alone, or holds anything but a bare name; shown with its position.
    """
    template = with_plain_line_ends(template)
    strings, names = [""], list[str]()
    end = 0
    for brace in _BRACES.finditer(template):
        strings[-1] += template[end : brace.start()]
        end = brace.end()
        text = brace[0]
        if text in {"{{", "}}"}:
            strings[-1] += text[0]
            continue
        name = text[1:-1]
        if not text.endswith("}") or not name.isidentifier():
            raise TemplateError(_wrong(text, name), template, brace.start())
        names.append(name)
        strings.append("")
    strings[-1] += template[end:]
    return Split(tuple(strings), tuple(names))


def with_plain_line_ends(text: str) -> str:
    """The text as JavaScript reads it from a file."""
    return _LINE_ENDS.sub("\n", text)


def _wrong(text: str, name: str) -> str:
    if text == "}":
        return "a } stands alone, so }} is required for a brace."
    if not text.endswith("}"):
        return "a { is not closed, so a name and } are required, or {{ for a brace."
    if not name.strip():
        return f"{text!r:.60} has no name, so a bare name is required, such as {{city}}."
    bare = re.split(r"[.\[!:(]", name.strip(), maxsplit=1)[0].strip()
    suggestion = bare if bare.isidentifier() else "value"
    return (
        f"{text!r:.60} is no bare name, so one is required. "
        f"Work the value out in Python: html(…{{{suggestion}}}…, {suggestion}=…)."
    )
