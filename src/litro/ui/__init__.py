"""Components for people: what a tool may return beside the data that the model reads."""

from litro.ui.result import UIResult, ui

__all__ = ["UIResult", "ui"]
