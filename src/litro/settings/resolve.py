"""Every setting, each from the first source that gives it."""

import dataclasses
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from litro.definitions import Access, Config, Lifespan
from litro.errors import SettingsError
from litro.gates import GatePolicy
from litro.mcp.gates import McpPolicy
from litro.sessions.base import SessionStore
from litro.settings.files import read_pyproject
from litro.settings.table import SETTINGS, Setting, did_you_mean

_NONE_GIVEN: Final[Mapping[str, Any]] = MappingProxyType({})

_NOBODY_SAID_WHO: Final = (
    "mcp is on, but LITRO_MCP_TOKEN is not set and the route is not local, so whoever reaches it could call every tool. "
    "Set LITRO_MCP_TOKEN to a secret, which a host sends as 'Authorization: Bearer …'; or set LITRO_MCP_LOCAL=1 where "
    "the route is reachable from this machine alone."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Every setting, resolved."""

    project: Path
    """Absolute."""
    sessions: str | SessionStore
    """`file:` or `sqlite:` and an absolute path, a server's URL, or a store."""
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
    mcp: bool | None
    """None where nobody has asked for MCP, nor refused it."""
    mcp_token: str | None = field(repr=False)
    mcp_local: bool | None
    mcp_origins: tuple[str, ...]
    mcp_apps_dir: Path
    """Absolute."""
    mcp_app_versions: bool
    mcp_json: bool
    adapter: str
    node: str | None
    signals: bool
    loopback: bool
    development: bool

    def adapter_now(self, environ: Mapping[str, str] = os.environ) -> str:
        """The adapter that renders now: the variable's, which may change while the process runs, else the setting's."""
        return environ.get("LITRO_ADAPTER", "").strip().lower() or self.adapter

    def gate_policy(self) -> GatePolicy:
        """What the request gates let in."""
        return GatePolicy(
            allowed_hosts=self.allowed_hosts,
            loopback_only=self.development or (self.loopback and not self.trusted_proxies),
            allowed_origins=self.allowed_origins,
            trusted_proxies=self.trusted_proxies,
        )

    @property
    def is_mcp_local(self) -> bool:
        """Whether MCP is reachable from this machine alone."""
        if self.mcp_local is not None:
            return self.mcp_local
        # `litro dev` on loopback: a server that forgot to say what it is has neither.
        return self.development and self.loopback

    @property
    def serves_mcp(self) -> bool:
        """Whether agents are MCP servers too."""
        if self.mcp is not None:
            return self.mcp
        return self.mcp_token is not None or self.is_mcp_local

    def mcp_policy(self) -> McpPolicy | None:
        """Whom the MCP route serves. None where it is off.

        Raises:
            SettingsError: It was asked for, and nothing says who may call it.
        """
        if not self.serves_mcp:
            return None
        if self.mcp_token is None and not self.is_mcp_local:
            raise SettingsError(_NOBODY_SAID_WHO)
        gates = self.gate_policy()
        if self.is_mcp_local:
            # Whoever is let in by where they are must be there: a rebound name is another site's page.
            gates = dataclasses.replace(gates, loopback_only=True)
        return McpPolicy(
            gates=gates,
            token=self.mcp_token,
            is_local=self.is_mcp_local,
            allowed_origins=self.mcp_origins,
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
    values["mcp_apps_dir"] = project / values["mcp_apps_dir"]
    return Settings(project=project, **values)


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
    if not isinstance(sessions, str) or not sessions.startswith(("file:", "sqlite:")):
        return sessions
    scheme, _, path = sessions.partition(":")
    return f"{scheme}:{project / path}"


def _unknown_flags(flags: Mapping[str, Any]) -> Iterable[str]:
    known = {setting.name for setting in SETTINGS if "flag" in setting.sources}
    for name in flags:
        if name not in known:
            yield f"{_flag(name)}: is no setting{did_you_mean(name, known)}"


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"
