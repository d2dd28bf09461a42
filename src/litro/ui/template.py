"""A template: static strings, and the values between them. Values are never markup.

It only describes, as Lit's tagged templates and PEP 750's t-strings do: `litro.ui.renderers` make HTML of it, and
`litro.ui.composing` has what people write one with.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NoReturn, cast

from litro.encoding import to_jsonable
from litro.errors import EncodingError, TemplateError
from litro.ui.holes import Hole, Shape, shape_of
from litro.ui.values import SHOWN_HOLE, Composable, as_text, flat, why_not


class Template(Composable):
    """Static strings, and one value between each two.

    It has no `__html__`: nothing but a renderer makes markup of it. It is for people alone, so the data of a
    result cannot hold one.

    Raises:
        TemplateError: A value stands where none can go, or is nothing that can stand there.
    """

    __slots__ = ("_jsons", "strings", "values")

    def __init__(self, strings: Sequence[str], values: Sequence[object]) -> None:
        self.strings: tuple[str, ...] = tuple(strings)
        self.values: tuple[object, ...] = tuple(values)
        self._jsons: dict[int, Any] = {}
        for index, (hole, value) in enumerate(zip(self.shape.holes, self.values, strict=True)):
            reason = why_not(hole, value)
            if reason is not None:
                self._refuse(index, reason)

    def __repr__(self) -> str:
        # Values are one person's.
        return f"Template({SHOWN_HOLE.join(self.strings)!r:.200})"

    @property
    def shape(self) -> Shape:
        """What the static parts say."""
        return shape_of(self.strings)

    def payload(self) -> dict[str, Any]:
        """The template as JSON: strings `s`, values `v`.

        A value between tags is a scalar, a list, or `{"t": …}` for a template; any other is `{"j": …}`, so that no
        data can pose as a template.

        Raises:
            TemplateError: A value has no JSON.
        """
        holes = self.shape.holes
        values = [self._encoded(n, holes[n], value) for n, value in enumerate(self.values)]
        return {"s": list(self.strings), "v": values}

    def templates(self) -> Iterator["Template"]:
        """The template itself and those inside it, in document order."""
        yield self
        for hole, value in zip(self.shape.holes, self.values, strict=True):
            for child in flat(value) if hole.kind == "child" else ():
                if isinstance(child, Template):
                    yield from child.templates()

    def properties_of(self, element: int) -> dict[str, Any]:
        """The properties that the template binds on one of its elements.

        Raises:
            TemplateError: A value has no JSON.
        """
        return {
            hole.name: self._json(n)
            for n, hole in enumerate(self.shape.holes)
            if hole.kind == "property" and hole.element == element
        }

    def _encoded(self, index: int, hole: Hole, value: object) -> Any:
        if hole.kind == "child":
            return self._child(index, value)
        value = self._json(index)
        return {"j": value if hole.kind == "property" else as_text(value)}

    def _json(self, index: int) -> Any:
        # The renderer asks for it, and so does what the browser is told.
        if index not in self._jsons:
            self._jsons[index] = self._encode(index, self.values[index])
        return self._jsons[index]

    def _encode(self, index: int, value: object) -> Any:
        try:
            return to_jsonable(value)
        except EncodingError as error:
            self._refuse(index, str(error))

    def _refuse(self, index: int, sentence: str) -> NoReturn:
        hole = self.shape.holes[index]
        where = "between tags" if hole.kind == "child" else f"{hole.name} of <{hole.tag}>"
        before = SHOWN_HOLE.join(self.strings[: index + 1])
        template = SHOWN_HOLE.join(self.strings)
        msg = f"{where}: {sentence}"
        raise TemplateError(msg, template, len(before))

    def _child(self, index: int, value: object) -> Any:
        if isinstance(value, Template):
            return {"t": value.payload()}
        if isinstance(value, list | tuple):
            return [self._child(index, item) for item in cast("Sequence[object]", value)]
        return as_text(self._encode(index, value))
