"""An agent that cannot be loaded."""

from importlib import import_module

agent = import_module("litro.nowhere").agent
