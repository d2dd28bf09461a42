"""What a project is, as JSON: agents, models, guards, tools, components, routes, settings, what was skipped, what is wrong.

Its keys are documented in docs/commands.md, and scripts rely on them. No key, header or value of a provider's is in it, and no
password of a store's.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

from litro.cli.components import make
from litro.definitions import Config, Tool
from litro.discovery.load import Loaded, LoadedAgent
from litro.discovery.scan import Scan
from litro.errors import Problem, SettingsError
from litro.settings import SETTINGS, Settings, resolve
from litro.settings.masking import without_password

_ASSETS: list[dict[str, Any]] = [
    {"methods": ["GET"], "path": "/__litro/client.js"},
    {"methods": ["GET"], "path": "/__litro/inspector", "only": "development"},
]


def facts_of(scanned: Scan, loaded: Loaded) -> dict[str, Any]:
    """Everything that `litro info` shows."""
    problems = list(loaded.problems)
    settings: list[dict[str, Any]] = []
    node, mcp = None, False
    try:
        resolved = resolve(scanned.project, config=loaded.config)
        settings = list(_settings(resolved))
        node, mcp = resolved.node, resolved.mcp_policy() is not None
    except SettingsError as error:
        problems.append(Problem(path=scanned.project, line=None, text=str(error)))
    made = make(scanned.project, node)
    return {
        "project": str(scanned.project),
        "agents": [_agent(agent, loaded.config) for agent in loaded.agents.values()],
        "components": list(made.facts),
        "routes": [route for name in loaded.agents for route in _routes(name, mcp=mcp)] + _ASSETS,
        "settings": settings,
        "skipped": [{"path": str(path), "reason": reason} for path, reason in scanned.skipped],
        "problems": [
            {"path": str(p.path), "line": p.line, "message": p.text}
            for p in (*problems, *made.problems)
        ],
    }


def _routes(agent: str, *, mcp: bool) -> list[dict[str, Any]]:
    path = f"/__litro/agent/{agent}"
    hosts = [{"methods": ["POST"], "path": f"/__litro/mcp/{agent}"}] if mcp else []
    return [
        {"methods": ["GET"], "path": path},
        {"methods": ["GET", "POST", "PATCH", "DELETE"], "path": f"{path}/{{session}}"},
        {"methods": ["POST"], "path": f"{path}/{{session}}/cancel"},
        {"methods": ["POST"], "path": f"{path}/{{session}}/fork"},
        {"methods": ["GET"], "path": f"{path}/{{session}}/queue"},
        {"methods": ["DELETE"], "path": f"{path}/{{session}}/queue/{{message}}"},
        *hosts,
    ]


def _agent(loaded: LoadedAgent, config: Config | None) -> dict[str, Any]:
    agent = loaded.agent
    guard = agent.access or (None if config is None else config.access)
    return {
        "name": loaded.name,
        "folder": str(loaded.folder),
        # Of a provider only its name is shown: its repr may be a user's own, and show a key.
        "model": agent.model if isinstance(agent.model, str) else agent.model.name,
        "guard": None if guard is None else _called(guard),
        "guard_from": None if guard is None else ("agent" if agent.access else "config"),
        "tools": [_tool(name, tool, loaded.folder) for name, tool in loaded.tools.items()],
    }


def _called(guard: Callable[..., Any]) -> str:
    return getattr(guard, "__qualname__", type(guard).__qualname__)


def _tool(name: str, tool: Tool[..., Any], folder: Path) -> dict[str, Any]:
    return {
        "name": name,
        "path": str(folder / "tools" / f"{name}.py"),
        "description": tool.schema.description,
        "input_schema": tool.schema.input_schema,
        "output_schema": tool.schema.output_schema,
    }


def _settings(settings: Settings) -> Iterator[dict[str, Any]]:
    for setting in SETTINGS:
        value: object = getattr(settings, setting.name)
        default: object = setting.default
        if setting.name == "sessions":
            default = f"file:{settings.project / str(default).removeprefix('file:')}"
        elif setting.name == "mcp_apps_dir":
            default = settings.project / str(default)
        elif setting.name == "mcp_token" and value is not None:
            value = "set, and not shown"
        is_default = value == default
        if setting.name == "sessions" and isinstance(value, str):
            value = without_password(value)
        yield {"name": setting.name, "value": _shown(value), "is_default": is_default}


def _shown(value: object) -> Any:
    if isinstance(value, tuple):
        return [*cast("tuple[object, ...]", value)]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Path):
        return str(value)
    return getattr(value, "__qualname__", type(value).__qualname__)
