"""Components for people: what a tool may return beside the data that the model reads."""

from litro.ui.composing import element, html
from litro.ui.result import UIResult, ui
from litro.ui.template import Template

__all__ = ["Template", "UIResult", "element", "html", "ui"]
