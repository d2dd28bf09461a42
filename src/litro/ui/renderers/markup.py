"""The renderer of objects with `__html__()`: Jinja2's and markupsafe's Markup, htpy, FastHTML, tdom.

The convention is markupsafe's: https://markupsafe.palletsprojects.com/en/stable/html/. Escaping is the
object's own business; nothing is added to what it answers.
"""

from typing import cast


def render(template: object) -> str:
    """The template's HTML.

    Raises:
        TypeError: `__html__()` answered something that is not a string.
    """
    html = cast("object", template.__html__())  # type: ignore[attr-defined] # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    if not isinstance(html, str):
        msg = f"{type(template).__name__}.__html__() returned {type(html).__name__}, so a str is required"
        raise TypeError(msg)
    return str(html)
