"""The FAST renderer's pure half: a template in pieces, each component's start tag bound through state.

`@microsoft/fast-build` renders a component from its `<f-template>` and a state: what the template binds on its root (`.city={x}`)
is that state, and attributes are bound by names in it. A value is never part of the markup that is asked for: FAST would read
`{{…}}` in it once more. What stands around components is ours: the engine escapes the values there.

Properties of other components than the root would reach no browser under FAST, which has no markup for them: they are refused.
"""

import html
import re
from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Any, Final, NoReturn

from litro.errors import TemplateError
from litro.ui.holes import HOLE, Hole, shape_of
from litro.ui.template import Template
from litro.ui.values import SHOWN_HOLE

_ATTRIBUTE: Final = re.compile(
    r"""[\s/]*(?P<name>[^\s=>"'/][^\s=>"'/]*)(?:\s*=\s*(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<bare>[^\s>]*)))?""",
    re.ASCII,
)
_TAG_END: Final = re.compile(r"[\s/]*>", re.ASCII)
_OWN: Final = "litro"
"""Begins the names in a state that attributes are bound by: no property of a component."""

Piece = str | dict[str, Any]


def asked(template: Template, *, for_page: bool = False) -> list[Piece]:  # noqa: ARG001 - as every adapter
    """What the engine's FAST adapter is asked for the template: a component's state is in its markup, for a page as well.

    Raises:
        TemplateError: As `pieces`.
    """
    return pieces(template)


def pieces(template: Template) -> list[Piece]:
    """The template as the engine is asked for it.

    A string is markup of the template itself; `{"text": value}` is escaped; `{"tag", "start", "state", "bound"}` is a component's start
    tag, with its shadow root. `bound` has the parts of each attribute's value, by its name in the state.

    Raises:
        TemplateError: A property is bound on anything but the root, or a value has no JSON.
    """
    return _joined(_Reading(template.payload(), is_whole=True).pieces())


class _Reading:
    """One template of the tree, read once from its start to its end."""

    def __init__(self, payload: Mapping[str, Any], *, is_whole: bool) -> None:
        strings = tuple(payload["s"])
        self._shape = shape_of(strings)
        self._text = HOLE.join(strings)
        self._places = [0, *accumulate(len(part) + 1 for part in strings)]
        self._values: list[Any] = payload["v"]
        self._next = 0
        self._is_whole = is_whole

    def pieces(self) -> Iterator[Piece]:
        at = 0
        for element, tag in enumerate(self._shape.tags):
            place, offset = self._shape.ends[element]
            end = self._places[place] + offset
            start = end - len(tag) - 1
            yield from self._content(self._text[at:start])
            at = _tag_end(self._text, end)
            if "-" in tag:
                yield self._component(element, tag, self._text[end:at])
            else:
                yield from self._plain(tag, self._text[end:at])
        yield from self._content(self._text[at:])

    def _take(self) -> tuple[Hole, Any]:
        index = self._next
        self._next += 1
        return self._shape.holes[index], self._values[index]

    def _content(self, text: str) -> Iterator[Piece]:
        first, *others = text.split(HOLE)
        yield first
        for part in others:
            yield from _child(self._take()[1])
            yield part

    def _component(self, element: int, tag: str, attributes: str) -> Piece:
        state: dict[str, Any] = {}
        bound: dict[str, list[Any]] = {}
        start = f"<{tag}"
        for name, value in _attributes(attributes):
            if name[0] in ".@:" and HOLE not in (value or ""):
                self._refuse(
                    f"{name}= of <{tag}> has no hole, so a value is required: {name}={{value}}."
                )
            if value is None:
                start += f" {name}"
                continue
            parts = self._parts(value)
            if name[0] == ".":
                if element != 0 or not self._begins_with_root():
                    self._refuse(_no_property(name, tag))
                state[name[1:]] = parts[0]
                continue
            own = f"{_OWN}{len(bound)}"
            bound[own] = parts
            start += f' {name}="{{{{{own}}}}}"'
        return {"tag": tag, "start": start + ">", "state": state, "bound": bound}

    def _plain(self, tag: str, attributes: str) -> Iterator[Piece]:
        if HOLE not in attributes:
            yield f"<{tag}{attributes}"
            return
        yield f"<{tag}"
        for name, value in _attributes(attributes):
            if HOLE not in (value or ""):
                yield f" {name}" if value is None else f' {name}="{_quoted(value)}"'
                continue
            parts = self._parts(value or "")
            if name[0] == ".":
                self._refuse(_no_property(name, tag))
            if name[0] == "?":
                yield f" {name[1:]}" if parts[0] else ""
                continue
            yield f' {name}="'
            yield from ({"text": part} for part in parts)
            yield '"'
        yield ">"

    def _parts(self, value: str) -> list[Any]:
        """The attribute's value in parts, those that are the template's own read as HTML."""
        first, *others = value.split(HOLE)
        parts: list[Any] = [html.unescape(first)] if first or not others else []
        for text in others:
            parts.append(self._take()[1]["j"])
            if text:
                parts.append(html.unescape(text))
        return parts

    def _begins_with_root(self) -> bool:
        return self._is_whole and self._shape.ends[0][0] == 0

    def _refuse(self, sentence: str) -> NoReturn:
        before = SHOWN_HOLE.join(self._text.split(HOLE)[: max(1, self._next)])
        raise TemplateError(sentence, self._text.replace(HOLE, SHOWN_HOLE), len(before))


def _child(value: Any) -> Iterator[Piece]:
    if isinstance(value, list):
        for item in value:  # pyright: ignore[reportUnknownVariableType]
            yield from _child(item)
    elif isinstance(value, dict):
        yield from _Reading(value["t"], is_whole=False).pieces()  # pyright: ignore[reportUnknownArgumentType]
    else:
        yield {"text": value}


def _attributes(text: str) -> Iterator[tuple[str, str | None]]:
    at = 0
    while at < len(text):
        found = _ATTRIBUTE.match(text, at)
        if found is None:
            # Such as a stray quote, which browsers pass over as well.
            at += 1
            continue
        values = (found["double"], found["single"], found["bare"])
        yield found["name"], next((value for value in values if value is not None), None)
        at = found.end()


def _tag_end(text: str, at: int) -> int:
    """Behind the > that ends the tag. `shape_of` has seen that there is one."""
    while (end := _TAG_END.match(text, at)) is None:
        attribute = _ATTRIBUTE.match(text, at)
        at = attribute.end() if attribute and attribute.end() > at else at + 1
    return end.end()


def _quoted(value: str) -> str:
    return value.replace('"', "&quot;")


def _no_property(name: str, tag: str) -> str:
    return (
        f"{name} of <{tag}>: FAST renders properties of the root alone, which is a component at the template's beginning, "
        f"so an attribute is required here. Write {name[1:]}=… and declare it with attr."
    )


def _joined(parts: Iterator[Piece]) -> list[Piece]:
    """The pieces, with no markup in two."""
    joined: list[Piece] = []
    for piece in parts:
        if isinstance(piece, str) and joined and isinstance(joined[-1], str):
            joined[-1] += piece
        elif piece != "":
            joined.append(piece)
    return joined
