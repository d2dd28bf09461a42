"""The Lit renderer's pure half: what the engine is asked for a template.

Properties are no attributes, so the markup lacks them, and Lit hydrates only what it could have rendered itself. Those of the root go
into `hydrate.props`; those of other components into an attribute of each.
"""

from typing import Any

from litro.ui.renderers.marks import PROPS, begins_with_root, marked
from litro.ui.template import Template


def asked(template: Template, *, for_page: bool = False) -> Any:
    """What the engine's Lit adapter is asked for the template.

    Args:
        template: What a tool or a page made.
        for_page: Whether its components bring their properties already.

    Raises:
        TemplateError: A value has no JSON.
    """
    if not for_page:
        root = begins_with_root(template)

        def mark(part: Template, element: int) -> Any:
            is_root = root and part is template and element == 0
            return None if is_root else part.properties_of(element) or None

        template = marked(template, PROPS, mark)
    return template.payload()
