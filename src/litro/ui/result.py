"""The pair that a tool returns: data for the model, a template for the person.

`ui()` only describes. Rendering is the runner's job, after the tool has returned and under its own limit, so a
slow or broken template is one tool call's failure. It is not a renderer: `litro.ui.renderers` holds those.
"""

from typing import Any, Generic, TypeVar

from litro.encoding import PersonOnly
from litro.ui.composing import html, is_template_string
from litro.ui.template import Template

T = TypeVar("T")


class UIResult(PersonOnly, Generic[T]):
    """What `ui()` made. Return it from a tool as it is: inside another value it is refused.

    It is deliberately no dataclass and has no `__html__`: nothing may serialise or print its markup by accident.

    Attributes:
        data: What the model reads.
        template: What is rendered for the person.
        hydrate: What the browser needs to bring the component to life, or None.
    """

    __slots__ = ("data", "hydrate", "template")

    def __init__(self, template: object, data: T, hydrate: dict[str, Any] | None) -> None:
        self.template: object = template
        self.hydrate: dict[str, Any] | None = hydrate
        self.data: T = data

    def __repr__(self) -> str:
        return f"ui(…, data={self.data!r})"

    def __reduce__(self) -> Any:
        msg = "a UIResult holds a template for one person's page, so it cannot be pickled or copied deeply."
        raise TypeError(msg)


def ui(template: object, *, data: T, hydrate: dict[str, Any] | None = None) -> UIResult[T]:
    """A component for the person and data for the model, from one tool call.

    Args:
        template: One of the project's components, by `element()`, `html()` or a t-string; or any object with
            `__html__()`: Jinja2's or markupsafe's `Markup`, htpy, FastHTML. Declarative shadow DOM in it is shown without
            any JavaScript.
        data: What the model reads in its place: any value that a tool may return.
        hydrate: For the browser, where it is to differ from what the template says: `modules`, stable addresses to
            import, and `props`, properties to set on the root element.

    Raises:
        TypeError: The template cannot be rendered; the message says which types can.
        TemplateError: A t-string has a hole where no value can go.
    """
    if not isinstance(template, Template) and is_template_string(template):
        template = html(template)
    if not isinstance(template, Template) and not callable(getattr(template, "__html__", None)):
        msg = (
            f"ui(): the template is {template!r:.80}, a {type(template).__name__}, so it cannot be rendered safely.\n"
            'Pass element("demo-card", …), html("…", …), or an object with __html__(): markupsafe.Markup(…), htpy.'
        )
        raise TypeError(msg)
    return UIResult(template, data, hydrate)
