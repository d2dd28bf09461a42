"""Settings: every value that can be set from outside, where it may come from, and what it then is.

A value comes from the first source that gives one: flag, environment, `agents/_config.py`, `[tool.litro]` in
pyproject.toml, default. This is the only package that reads `LITRO_*`: everything else is handed its values. It opens no
store and starts nothing. Variables that it does not know belong to others and are no errors; a key of `[tool.litro]` that
it does not know is one.
"""

from litro.settings.files import load_dotenv, read_pyproject
from litro.settings.resolve import Settings, resolve
from litro.settings.table import SETTINGS, Setting

__all__ = ["SETTINGS", "Setting", "Settings", "load_dotenv", "read_pyproject", "resolve"]
