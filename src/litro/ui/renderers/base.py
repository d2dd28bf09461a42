"""The port that turns render templates through."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from litro.ui.template import Template


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """A component as people get it."""

    html: str
    hydrate: Mapping[str, Any]
    """`modules`, stable addresses below the mount, and `props` of the root."""


class TemplateRenderer(Protocol):
    """What renders templates."""

    async def render(self, template: Template) -> Rendered:
        """The template's HTML, and what brings it to life.

        Raises:
            EngineMissing, RenderFailed, TemplateError, SettingsError: It cannot be rendered; the message says why.
        """
        ...
