"""Settings: every value that can be set from outside, where it may come from, and what it then is.

`SETTINGS` is the one table; the docs are made from it. A value comes from the first source that gives one: flag,
environment, `agents/_config.py`, `[tool.litro]` in pyproject.toml, default. This is the only module that reads
`LITRO_*`: everything else is handed its values.

It opens no store and starts nothing. Variables that it does not know belong to others and are no errors; a key of
`[tool.litro]` that it does not know is one.
"""

import difflib
import math
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, cast

import dotenv

from litro.definitions import Access, Config, Lifespan
from litro.errors import SettingsError
from litro.gates import GatePolicy
from litro.gates.names import parse_allowed_origin, parse_host_pattern, parse_proxy
from litro.sessions.base import SessionStore

Source = Literal["flag", "environment", "config", "pyproject"]

_EVERYWHERE: Final[tuple[Source, ...]] = ("flag", "environment", "config", "pyproject")
_NONE_GIVEN: Final[Mapping[str, Any]] = MappingProxyType({})
_YES: Final = frozenset({"1", "true", "yes", "on"})
_NO: Final = frozenset({"0", "false", "no", "off"})
_TOML_LINE: Final = re.compile(r"\(at line (\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Every setting, resolved."""

    project: Path
    """Absolute."""
    sessions: str | SessionStore
    """`file:` and an absolute path, or a store."""
    access: Access | None
    allowed_hosts: tuple[str, ...] | None
    """None where every host is answered."""
    allowed_origins: tuple[str, ...]
    trusted_proxies: tuple[str, ...]
    max_body: int
    max_turns: int
    tool_threads: int
    grace: float
    lifespan: Lifespan | None = field(repr=False)
    mcp: bool
    signals: bool
    development: bool

    def gate_policy(self, *, bound_to_loopback: bool = False) -> GatePolicy:
        """What the request gates let in.

        Args:
            bound_to_loopback: Whether our own server listens on loopback alone, which is not known of a host's server.
        """
        return GatePolicy(
            allowed_hosts=self.allowed_hosts,
            loopback_only=self.development or (bound_to_loopback and not self.trusted_proxies),
            allowed_origins=self.allowed_origins,
            trusted_proxies=self.trusted_proxies,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A row of the table.

    Attributes:
        name: Its name in `Config`, in `[tool.litro]`, and, with dashes, as a flag.
        variable: Its environment variable, where it has one.
        parse: Makes the value of what a source gave, or raises ValueError with what is true and what is required.
        default: Its value where no source gives one.
        summary: One line for the docs.
        sources: Where it may come from, the strongest first.
    """

    name: str
    variable: str | None
    parse: Callable[[Any], Any]
    default: Any
    summary: str
    sources: tuple[Source, ...] = _EVERYWHERE


def _as_given(value: Any) -> Any:
    return value


def _switch(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    word = value.strip().lower() if isinstance(value, str) else ""
    if word in _YES or word in _NO:
        return word in _YES
    msg = f"{value!r:.80} is neither yes nor no, so one of 1, true, yes, on, 0, false, no, off is required."
    raise ValueError(msg)


def _whole(what: str) -> Callable[[Any], int]:
    def parse(value: Any) -> int:
        number = value
        # int() would take other scripts' digits, underscores, and run long on a long text.
        if isinstance(value, str) and re.fullmatch(r"[0-9]{1,15}", value.strip()):
            number = int(value)
        if isinstance(number, int) and not isinstance(number, bool) and number >= 1:
            return number
        msg = (
            f"{value!r:.80} is not a number of {what}, so a whole number of at least 1 is required."
        )
        raise ValueError(msg)

    return parse


def _seconds(value: Any) -> float:
    number: Any = value
    if isinstance(value, str):
        try:
            number = float(value)
        except ValueError:
            number = math.nan
    # A whole number of a file may be larger than any float.
    if isinstance(number, int | float) and not isinstance(number, bool) and 0 <= number < 1e9:
        return float(number)
    msg = f"{value!r:.80} is not a time in seconds, so a number of at least 0 is required."
    raise ValueError(msg)


def _entries(check: Callable[[str], object]) -> Callable[[Any], tuple[str, ...]]:
    def parse(value: Any) -> tuple[str, ...]:
        given = _split(value) if isinstance(value, str) else value
        if not isinstance(given, list | tuple):
            msg = f"{value!r:.80} is not a list, so a list of strings is required."
            raise ValueError(msg)  # noqa: TRY004 - one kind of failure for every source
        entries: list[str] = []
        for entry in cast("Iterable[object]", given):
            if not isinstance(entry, str):
                msg = f"{entry!r:.80} is not a string, so a list of strings is required."
                raise ValueError(msg)  # noqa: TRY004 - the same
            check(entry.strip())
            entries.append(entry.strip())
        return tuple(entries)

    return parse


def _split(text: str) -> list[str]:
    return [part for part in (part.strip() for part in text.split(",")) if part]


_host_entries = _entries(parse_host_pattern)


def _hosts(value: Any) -> tuple[str, ...]:
    entries = _host_entries(value)
    if not entries:
        msg = (
            f"{value!r:.80} has no entry, which could mean every host or none, so at least one is required. Leave "
            "allowed_hosts out for no check."
        )
        raise ValueError(msg)
    return entries


def _store(value: Any) -> Any:
    if not isinstance(value, str):
        if callable(getattr(value, "open", None)) and callable(getattr(value, "read", None)):
            return value
        msg = f"{value!r:.80} is no session store, so 'file:DIR' or an object with a SessionStore's methods is required."
        raise ValueError(msg)
    scheme, colon, rest = value.partition(":")
    if not colon or (len(scheme) == 1 and scheme.isalpha()):
        msg = f"{value!r:.80} has no scheme, so 'file:DIR' is required. Write {'file:' + value!r:.90}."
        raise ValueError(msg)
    path = rest.removeprefix("//localhost") if rest.startswith("//localhost/") else rest
    if scheme != "file" or (path.startswith("//") and not path.startswith("///")) or not path:
        msg = (
            f"{value!r:.80} is no place that Litro knows, so 'file:DIR' is required: 'file:.litro/sessions' counts from "
            "the project, 'file:/var/lib/app' from the root. Another kind of store is an object in agents/_config.py."
        )
        raise ValueError(msg)
    return f"file:{path.removeprefix('//')}"


SETTINGS: Final[tuple[Setting, ...]] = (
    Setting(
        name="sessions",
        variable="LITRO_SESSIONS",
        parse=_store,
        default="file:.litro/sessions",
        summary="Where sessions are kept: `file:DIR`, relative to the project; in `Config`, also a store object.",
    ),
    Setting(
        name="access",
        variable=None,
        parse=_as_given,
        default=None,
        summary="The guard of every agent that has none of its own.",
        sources=("config",),
    ),
    Setting(
        name="allowed_hosts",
        variable="LITRO_ALLOWED_HOSTS",
        parse=_hosts,
        default=None,
        summary="Hosts to answer to, comma separated: `name`, `name:port`, `*.name`. Loopback names besides in development.",
    ),
    Setting(
        name="allowed_origins",
        variable="LITRO_ALLOWED_ORIGINS",
        parse=_entries(parse_allowed_origin),
        default=(),
        summary="Exact origins of other sites whose pages may call, comma separated: `https://app.example.com`.",
    ),
    Setting(
        name="trusted_proxies",
        variable="LITRO_TRUSTED_PROXIES",
        parse=_entries(parse_proxy),
        default=(),
        summary="Addresses or networks whose `X-Forwarded-Host` and `X-Forwarded-Proto` count, comma separated, or `*`.",
    ),
    Setting(
        name="max_body",
        variable="LITRO_MAX_BODY",
        parse=_whole("bytes"),
        default=1024 * 1024,
        summary="Bytes that a request's body may have.",
    ),
    Setting(
        name="max_turns",
        variable="LITRO_MAX_TURNS",
        parse=_whole("turns"),
        default=1000,
        summary="Turns that may run at once in a process.",
    ),
    Setting(
        name="tool_threads",
        variable="LITRO_TOOL_THREADS",
        parse=_whole("threads"),
        default=32,
        summary="Threads that sync tools run in.",
    ),
    Setting(
        name="grace",
        variable="LITRO_GRACE",
        parse=_seconds,
        default=3.0,
        summary="Seconds that running turns get to end at shutdown.",
    ),
    Setting(
        name="lifespan",
        variable=None,
        parse=_as_given,
        default=None,
        summary="An async context manager around the app's life; what it yields is `ctx.state`.",
        sources=("config",),
    ),
    Setting(
        name="mcp",
        variable="LITRO_MCP",
        parse=_switch,
        default=False,
        summary="Whether agents are served as MCP servers too. Reserved: not served yet.",
    ),
    Setting(
        name="signals",
        variable="LITRO_SIGNALS",
        parse=_switch,
        default=True,
        summary="Whether SIGTERM and SIGINT end streams in order; in the main thread only.",
    ),
    Setting(
        name="development",
        variable="LITRO_DEV",
        parse=_switch,
        default=False,
        summary="Whether the reader is the developer: errors in full, loopback names only. `litro dev` sets it.",
        sources=("flag", "environment"),
    ),
)


def resolve(
    project: Path,
    *,
    config: Config | None = None,
    flags: Mapping[str, Any] = _NONE_GIVEN,
    environ: Mapping[str, str] = os.environ,
) -> Settings:
    """Every setting of the project, each from the first source that gives it.

    Args:
        project: The folder with `agents/` in it. Relative paths count from it, whatever source they come from.
        config: What `agents/_config.py` declares.
        flags: A command's options by setting name; None or an empty tuple is one that was not given.
        environ: The environment. A blank variable is one that is not set.

    Raises:
        SettingsError: Names every value that cannot be used, with its source and what is required.
    """
    project = project.absolute()
    table = read_pyproject(project)
    values: dict[str, Any] = {}
    problems = list(_unknown_flags(flags))
    for setting in SETTINGS:
        where, value = _given(
            setting, project, config=config, flags=flags, environ=environ, table=table
        )
        try:
            values[setting.name] = setting.default if where is None else setting.parse(value)
        except ValueError as error:
            problems.append(f"{where}: {error}")
    if problems:
        raise SettingsError("\n".join(problems))
    values["sessions"] = _absolute(values["sessions"], project)
    return Settings(project=project, **values)


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


def _given(
    setting: Setting,
    project: Path,
    *,
    config: Config | None,
    flags: Mapping[str, Any],
    environ: Mapping[str, str],
    table: Mapping[str, Any],
) -> tuple[str | None, Any]:
    """Where the setting's value comes from, in words, and what that source says."""
    name = setting.name
    flag = flags.get(name)
    if flag is not None and flag != ():
        return _flag(name), flag
    variable = environ.get(setting.variable, "") if setting.variable else ""
    if variable.strip():
        return setting.variable, variable
    configured = getattr(config, name, None) if "config" in setting.sources else None
    if configured is not None:
        return f"agents/_config.py: {name}", configured
    if name in table:
        return f"{project / 'pyproject.toml'}: [tool.litro] {name}", table[name]
    return None, None


def _absolute(sessions: Any, project: Path) -> Any:
    if not isinstance(sessions, str):
        return sessions
    return f"file:{project / sessions.removeprefix('file:')}"


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
            yield f"{key!r:.80} is no setting{_did_you_mean(key, in_file)}"
        elif key == "app" and not (
            isinstance(value, str) and re.fullmatch(r"[\w.]+:[\w.]+", value)
        ):
            yield f"app: {value!r:.80} is not 'module:name', so one such as 'app:api' is required."


def _where_instead(setting: Setting) -> str:
    if "config" in setting.sources:
        return f"Write it as Config({setting.name}=…) in agents/_config.py."
    return (
        f"Set {setting.variable}=1 where it is meant: a file that is deployed must not decide it."
    )


def _unknown_flags(flags: Mapping[str, Any]) -> Iterable[str]:
    known = {setting.name for setting in SETTINGS if "flag" in setting.sources}
    for name in flags:
        if name not in known:
            yield f"{_flag(name)}: is no setting{_did_you_mean(name, known)}"


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _did_you_mean(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name.replace("-", "_").lower(), sorted(known), n=1)
    return (
        f". Did you mean {close[0]!r}?"
        if close
        else f", so one of {', '.join(sorted(known))} is required."
    )
