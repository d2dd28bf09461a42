"""Marks: attributes that a template's components get beside their own, for the browser's client to take off again."""

import operator
from collections.abc import Callable
from typing import Any, Final, cast

import orjson

from litro.ui.template import Template

PROPS: Final = "data-litro-props"
"""Brings a component's properties, as JSON, until it is hydrated."""

HYDRATE: Final = "data-litro-hydrate"
"""Brings what `hydrate` brings in a chat, as JSON, to a component of a page."""

Mark = Callable[[Template, int], Any]
"""What an element of a template is marked with, as a JSON value; None for no mark."""


def marked(template: Template, name: str, mark: Mark) -> Template:
    """The template, and those inside it, with an attribute on each component that `mark` has something for.

    Args:
        template: What a tool or a page made.
        name: The attribute, perhaps with others before it.
        mark: Answers its value.
    """
    shape = template.shape
    strings = list(template.strings)
    values = [
        _inside(value, name, mark) if hole.kind == "child" else value
        for hole, value in zip(shape.holes, template.values, strict=True)
    ]
    for element in range(len(shape.tags) - 1, -1, -1):
        value = mark(template, element) if "-" in shape.tags[element] else None
        if value is not None:
            place, offset = shape.ends[element]
            text = strings[place]
            strings[place : place + 1] = [f"{text[:offset]} {name}=", text[offset:]]
            values.insert(place, orjson.dumps(value).decode())
    if len(strings) == len(template.strings) and all(map(operator.is_, values, template.values)):
        # Its values are encoded once, however often they are asked for.
        return template
    return Template(strings, values)


def begins_with_root(template: Template) -> bool:
    """Whether the template's first element is its root: no value comes before it."""
    ends = template.shape.ends
    return bool(ends) and ends[0][0] == 0


def custom_tags(template: Template) -> tuple[str, ...]:
    """The components that the template names, and those inside it; each once, in order."""
    tags = (tag for part in template.templates() for tag in part.shape.tags)
    return tuple(dict.fromkeys(tag for tag in tags if "-" in tag))


def for_page(template: Template, modules_of: Callable[[str], list[str]]) -> Template:
    """The template for a page, whose components say for themselves what brings them to life.

    Args:
        template: What a page made.
        modules_of: Answers the stable addresses of what is to be loaded for a tag: none where it comes along.
    """

    def mark(part: Template, element: int) -> dict[str, Any]:
        modules = modules_of(part.shape.tags[element])
        return {"props": part.properties_of(element), "modules": modules}

    return marked(template, f"defer-hydration {HYDRATE}", mark)


def _inside(value: object, name: str, mark: Mark) -> object:
    if isinstance(value, Template):
        return marked(value, name, mark)
    if isinstance(value, list | tuple):
        items = cast("list[object]", value)
        inside = [_inside(item, name, mark) for item in items]
        return items if all(map(operator.is_, inside, items)) else inside
    return value
