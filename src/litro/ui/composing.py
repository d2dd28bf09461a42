"""What people write templates with: `element()` for one component, `html()` for composing several."""

import re
from collections.abc import Mapping
from typing import Any, Final, LiteralString, Protocol, TypeGuard, runtime_checkable

from litro.errors import TemplateError
from litro.ui.holes import HOLE, SINKS
from litro.ui.splitter import split, with_plain_line_ends
from litro.ui.template import Template
from litro.ui.values import SHOWN_HOLE

_TAG: Final = re.compile(r"[a-z][a-z0-9_.]*(-[a-z0-9_.]*)+")
"""Source: https://html.spec.whatwg.org/#valid-custom-element-name, of which only ASCII."""

_PROPERTY: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")


@runtime_checkable
class _Interpolation(Protocol):
    @property
    def value(self) -> object: ...
    @property
    def conversion(self) -> str | None: ...
    @property
    def format_spec(self) -> str: ...


@runtime_checkable
class TemplateString(Protocol):
    """A PEP 750 template, `t"…"`: Python 3.14's own, or any object of that shape."""

    @property
    def strings(self) -> tuple[str, ...]:
        """The static parts."""
        ...

    @property
    def interpolations(self) -> tuple[Any, ...]:
        """What stands between them."""
        ...


def element(
    tag: str, /, *children: str | Template, slot: str | None = None, **props: Any
) -> Template:
    """One component: its properties, and what is slotted into it.

    Args:
        tag: The name that the component registers, such as `demo-weather-card`.
        children: Text, which is escaped, and templates.
        slot: The slot of the element around it that it goes into.
        props: Its properties, by the names that the component gives them: `tempC=21` sets `tempC`.

    Raises:
        TemplateError: A name cannot be one, or a value has no place there.
    """
    if _TAG.fullmatch(str(tag)) is None:
        msg = f"element(): {tag!r:.80} is no custom element's name, so lower case with a hyphen is required, such as 'demo-card'."
        raise TemplateError(msg, str(tag), 0)
    for name in props:
        if _PROPERTY.fullmatch(name) is None or name.lower() in SINKS:
            msg = f"element(): {name!r:.80} cannot be set from a server, so the name of a property that the component declares is required."
            raise TemplateError(msg, f"<{tag} .{name}=…>", len(tag) + 2)
    bindings = [f".{name}" for name in props]
    values: list[object] = list(props.values())
    if slot is not None:
        bindings.append("slot")
        values.append(slot)
    joined = f"<{tag}" + "".join(f" {name}={HOLE}" for name in bindings) + ">"
    joined += HOLE * len(children) + f"</{tag}>"
    return Template(joined.split(HOLE), [*values, *children])


def html(template: LiteralString | TemplateString, /, **values: Any) -> Template:
    """A template from a format string with bare names, or from a t-string of Python 3.14.

        html("<h2>{title}</h2><demo-card .city={city}></demo-card>", title=title, city=city)

    `name={x}` binds an attribute, `.name={x}` a property, `?name={x}` a boolean attribute; between tags values are
    escaped, and may be templates or lists of them. `{{` and `}}` are braces.

    Args:
        template: Written out in the program, never made of data.
        values: One for each name, and no others.

    Raises:
        TemplateError: See the message: it shows the template and the position.
    """
    if not isinstance(template, str):
        return _of_t_string(template, values)
    strings, names = split(template)
    unused = [name for name in values if name not in names]
    missing = next((n for n, name in enumerate(names) if name not in values), None)
    if missing is not None:
        before = SHOWN_HOLE.join(strings[: missing + 1])
        msg = f"html(): there is no value for {{{names[missing]}}}, so one is required. Pass {names[missing]}=…."
        raise TemplateError(msg, SHOWN_HOLE.join(strings), len(before))
    if unused:
        msg = f"html(): {unused[0]!r} stands nowhere in the template, so {{{unused[0]}}} is required there, or leave it out."
        raise TemplateError(msg, template, 0)
    return Template(strings, [values[name] for name in names])


def is_template_string(template: object) -> TypeGuard[TemplateString]:
    """Whether it has the shape of a PEP 750 template."""
    return isinstance(template, TemplateString) and all(
        isinstance(part, _Interpolation) for part in template.interpolations
    )


def _of_t_string(template: object, values: Mapping[str, object]) -> Template:
    if not is_template_string(template) or values:
        what = (
            f"a {type(template).__name__} with values" if values else f"a {type(template).__name__}"
        )
        msg = f"html(): it was given {what}, so a format string with its values, or a t-string alone, is required."
        raise TemplateError(msg, repr(template)[:80], 0)
    strings = [with_plain_line_ends(text) for text in template.strings]
    for n, part in enumerate(template.interpolations):
        if part.conversion is not None or part.format_spec:
            before = SHOWN_HOLE.join(strings[: n + 1])
            msg = "html(): a conversion or a format stands in a hole, so the bare value is required. Format it before."
            raise TemplateError(msg, SHOWN_HOLE.join(strings), len(before))
    return Template(strings, [part.value for part in template.interpolations])
