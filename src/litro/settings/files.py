"""The files that settings come from: pyproject.toml and .env."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, cast

import dotenv

from litro.errors import SettingsError
from litro.settings.parsers import switch
from litro.settings.table import SETTINGS, Setting, did_you_mean

_TOML_LINE: Final = re.compile(r"\(at line (\d+)")


def read_pyproject(project: Path) -> dict[str, Any]:
    """The project's `[tool.litro]`, its keys known and its values as written; empty where there is none.

    Besides settings it may hold `app`, the project's own ASGI app as `module:name`, which commands start.

    Raises:
        SettingsError: The file cannot be read, or has a key that nobody reads.
    """
    path = project / "pyproject.toml"
    tool: object = _load_toml(path).get("tool", {})
    table: object = (
        cast("dict[str, object]", tool).get("litro", {}) if isinstance(tool, dict) else {}
    )
    if not isinstance(table, dict):
        msg = f"{path}: tool.litro is {table!r:.80}, so a table is required. Write [tool.litro] and one key a line."
        raise SettingsError(msg)
    table = cast("dict[str, Any]", table)
    problems = [f"{path}: [tool.litro] {problem}" for problem in _table_problems(table)]
    if problems:
        raise SettingsError("\n".join(problems))
    return table


def load_dotenv(project: Path) -> None:
    """Read the project's `.env` into the process's environment; what is set there already stays. For commands only.

    Raises:
        SettingsError: The file cannot be read.
    """
    path = project / ".env"
    try:
        dotenv.load_dotenv(path, override=False)
    except UnicodeDecodeError as error:
        msg = f"{path}: byte {error.start} is not UTF-8, so the file cannot be read. Save it as UTF-8."
        raise SettingsError(msg) from None
    except OSError as error:
        msg = f"{path}: cannot be read ({error.strerror}). Let this user read it, or remove it."
        raise SettingsError(msg) from None


def _load_toml(path: Path) -> dict[str, Any]:
    try:
        text = path.read_bytes().decode()
    except FileNotFoundError:
        return {}
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        msg = f"{path}:{line}: is not UTF-8, which TOML requires. Save the file as UTF-8."
        raise SettingsError(msg) from None
    except OSError as error:
        msg = f"{path}: cannot be read ({error.strerror}). Let this user read it, or remove it."
        raise SettingsError(msg) from None
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        match = _TOML_LINE.search(str(error))
        line = int(match[1]) if match else text.count("\n") + 1
        msg = f"{path}:{line}: is not TOML ({error}), so no setting can be read. Correct that line."
        raise SettingsError(msg) from None


def _table_problems(table: Mapping[str, Any]) -> Iterable[str]:
    in_file = {setting.name for setting in SETTINGS if "pyproject" in setting.sources} | {"app"}
    elsewhere = {setting.name: setting for setting in SETTINGS if setting.name not in in_file}
    for key, value in table.items():
        if key in elsewhere:
            yield f"{key} cannot be set here. {_where_instead(elsewhere[key])}"
        elif key not in in_file:
            yield f"{key!r:.80} is no setting{did_you_mean(key, in_file)}"
        elif key == "app" and not (
            isinstance(value, str) and re.fullmatch(r"[\w.]+:[\w.]+", value)
        ):
            yield f"app: {value!r:.80} is not 'module:name', so one such as 'app:api' is required."


def _where_instead(setting: Setting) -> str:
    if "config" in setting.sources:
        return f"Write it as Config({setting.name}=…) in agents/_config.py."
    value = "1" if setting.parse is switch else "…"
    return f"Set {setting.variable}={value} where it is meant: a file that is deployed must not decide it."
