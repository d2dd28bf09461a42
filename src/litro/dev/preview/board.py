"""What the preview's page is told: the apps, the tools that have one, and what is wrong. One event is all of it."""

import gzip
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

import orjson

from litro.dev.page import Page
from litro.gates import GatePolicy
from litro.http.streams import Streams
from litro.mcp.agent import McpAgent
from litro.mcp.apps.output import Packed
from litro.mcp.packed import PackedApps


class Board(Page):
    """What the preview's open pages are told.

    Args:
        gates: Who may ask.
        streams: The app's open streams.
        project: The project's name.
        agent: The agent's name.
    """

    path: ClassVar[str] = "/events"

    def __init__(self, gates: GatePolicy, streams: Streams, *, project: str, agent: str) -> None:
        super().__init__(gates, streams)
        self._names = {"project": project, "agent": agent}
        self._documents: dict[str, Packed] = {}
        self._shown: dict[str, Any] = {"apps": [], "tools": []}

    def put(self, apps: PackedApps, served: McpAgent | None) -> None:
        """Show these apps, and the tools of this agent. Pages hear of it where that is something else."""
        self._documents = {app.name: app for app in apps.packed}
        shown: dict[str, Any] = {
            "apps": [_app(app, apps.listed(app.uri)["uri"]) for app in apps.packed],
            "tools": list(_tools(apps, () if served is None else tools_of(served))),
        }
        if shown != self._shown:
            self._shown = shown
            self.change()

    def document(self, name: str) -> Packed | None:
        """The app of this name."""
        return self._documents.get(name)

    def state(self) -> dict[str, Any]:
        """All that a page is told."""
        return {**super().state(), **self._names, **self._shown}


def tools_of(served: McpAgent) -> Iterator[Mapping[str, Any]]:
    """Every tool, as it is listed."""
    cursor = None
    while True:
        page = served.tools(cursor)
        yield from page["tools"]
        cursor = page.get("nextCursor")
        if cursor is None:
            return


def _tools(apps: PackedApps, tools: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    names = {apps.listed(app.uri)["uri"]: app.name for app in apps.packed}
    for tool in tools:
        name = names.get(ui_of(tool).get("resourceUri"))
        if name is not None:
            yield {"app": name, "tool": tool}


def ui_of(listed: Mapping[str, Any]) -> Mapping[str, Any]:
    """What MCP Apps says of a tool or a resource."""
    return listed.get("_meta", {}).get("ui", {})


def _app(app: Packed, uri: str) -> dict[str, Any]:
    content, ui = app.html.encode(), ui_of(app.descriptor)
    version = hashlib.sha256(content + orjson.dumps(ui)).hexdigest()[:12]
    return {
        "name": app.name,
        "uri": uri,
        "version": version,
        "bytes": len(content),
        "compressed": len(gzip.compress(content, 9)),
        "ui": ui,
    }
