"""A project's web components: found, built, loaded into the engine, and served to browsers."""

from litro.components.project import Components

__all__ = ["Components"]
