"""One agent as an MCP server sees it: what may be listed, read and called, as JSON in the protocol's words.

It knows no SDK, no transport and no JSON-RPC: an adapter turns its answers into messages, and its three errors into
protocol errors. Everything that lists is settled when it is made; no request touches the file system.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from secrets import token_hex
from sys import maxsize
from typing import TYPE_CHECKING, Any, Final, Literal

import orjson

from litro.definitions import Principal, ToolContext, ToolSession
from litro.discovery.load import LoadedAgent
from litro.errors import LitroError
from litro.mcp.arguments import refitted
from litro.mcp.names import reports_on_instructions
from litro.mcp.packed import PackedApps
from litro.mcp.pages import page_of
from litro.mcp.progress import Course, Report
from litro.mcp.results import error_result, result_of
from litro.mcp.tools import ServedTool
from litro.turn.threads import ToolThreads
from litro.turn.tools import Answer, Refusal, ToolCaller

if TYPE_CHECKING:
    from starlette.requests import Request

MAX_RESULT: Final = 1_048_576
"""Bytes of JSON that one call may answer to a host."""

_LARGE: Final = 32_768

Era = Literal["handshake", "modern"]
"""Which revision speaks: one that starts with `initialize`, up to 2025-11-25, or 2026-07-28."""


class UnknownTool(LitroError):
    """The agent has no such tool: invalid params (-32602) on the wire."""


class UnknownResource(LitroError):
    """There is no such resource: invalid params (-32602) on the wire, -32002 in the handshake era."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one call may take.

    Attributes:
        timeout: Seconds of a call whose tool declares none. None: the agent's `tool_timeout`, 60 by default.
        max_result: Bytes of JSON; a longer result is cut.
        page: Tools, or apps, in one page of a list.
        heartbeat: Seconds of silence after which a host that wants progress is told that the call still runs.
    """

    timeout: float | None = None
    max_result: int = MAX_RESULT
    page: int = 200
    heartbeat: float = 15.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CallContext:
    """What one call comes with.

    Attributes:
        request: The live HTTP request, or None over stdio.
        principal: What the agent's `access` answered.
        state: What `Config(lifespan=…)` yielded.
        report: Takes `(done, total, message)` for the host, or None where it asked for no progress.
        era: Which revision the host speaks.
    """

    request: "Request | None" = None
    principal: Principal = None
    state: Any = None
    report: Report | None = None
    era: Era = "handshake"


class McpAgent:
    """An agent's tools for MCP hosts.

    Attributes:
        name: The agent's.
        reports: What its author should know before a host finds out, a sentence each. For the log at start.

    Args:
        loaded: The agent.
        threads: Where sync tools run.
        development: Whether failures are told in full.
        limits: What one call may take.
        apps: The packed apps that hosts may read. None: there are none.
        instructions: Whether hosts get the agent's instructions, for their own model.
        version: What the server says that its version is. None says Litro's.

    Raises:
        AppMissing: A tool names an app that is not among them.
    """

    def __init__(
        self,
        loaded: LoadedAgent,
        threads: ToolThreads,
        *,
        development: bool = False,
        limits: Limits | None = None,
        apps: PackedApps | None = None,
        instructions: bool = False,
        version: str | None = None,
    ) -> None:
        self.name: str = loaded.name
        self._loaded = loaded
        self._threads = threads
        self._limits = limits or Limits()
        # A result that is too large for the host is cut, not refused.
        self._caller = ToolCaller(threads, development=development, max_result=maxsize)
        self._version = version or metadata.version("litro")
        self._instructions = loaded.instructions if instructions else None
        self._apps = PackedApps(Path()) if apps is None else apps
        shown = self._apps.addresses_for(loaded.tools)
        self._tools = {
            name: ServedTool.of(name, tool, shown.get(name)) for name, tool in loaded.tools.items()
        }
        self.reports: tuple[str, ...] = (
            *(report for served in self._tools.values() for report in served.reports),
            *reports_on_instructions(self._instructions),
        )

    @property
    def has_apps(self) -> bool:
        """Whether there is an app to read."""
        return len(self._apps) > 0

    def info(self) -> dict[str, Any]:
        """`name`, `title` and `version` of the server, and `instructions` where they are asked for and a text."""
        info = {"name": f"litro-{self.name}", "title": self.name, "version": self._version}
        if isinstance(self._instructions, str) and self._instructions.strip():
            info["instructions"] = self._instructions
        return info

    def tools(self, cursor: str | None = None) -> dict[str, Any]:
        """A page of `tools/list`, sorted by name.

        Raises:
            InvalidCursor: The cursor is none of ours.
        """
        names, following = page_of(sorted(self._tools), cursor, self._limits.page)
        page: dict[str, Any] = {"tools": [self._tools[name].listed for name in names]}
        return page if following is None else {**page, "nextCursor": following}

    def input_schema(self, name: str) -> dict[str, Any] | None:
        """The published input schema of a tool, or None if there is none of the name."""
        served = self._tools.get(name)
        return None if served is None else served.listed["inputSchema"]

    def resources(self, cursor: str | None = None) -> dict[str, Any]:
        """A page of `resources/list`: the packed apps, sorted by address.

        Raises:
            InvalidCursor: The cursor is none of ours.
        """
        addresses, following = page_of(self._apps.addresses, cursor, self._limits.page)
        page: dict[str, Any] = {"resources": [self._apps.listed(one) for one in addresses]}
        return page if following is None else {**page, "nextCursor": following}

    def resource_templates(self, cursor: str | None = None) -> dict[str, Any]:
        """`resources/templates/list`."""
        page_of((), cursor, self._limits.page)
        return {"resourceTemplates": []}

    def prompts(self, cursor: str | None = None) -> dict[str, Any]:
        """`prompts/list`."""
        page_of((), cursor, self._limits.page)
        return {"prompts": []}

    def read(self, uri: str) -> dict[str, Any]:
        """`resources/read`: by exact address, never by path.

        Raises:
            UnknownResource: There is none of this address.
        """
        content = self._apps.read(uri)
        if content is None:
            msg = f"Unknown resource: {uri!r:.200}"
            raise UnknownResource(msg)
        return {"contents": [content]}

    async def call(
        self, name: str, arguments: Mapping[str, Any] | None, call: CallContext
    ) -> dict[str, Any]:
        """`tools/call`: the result, whatever the tool does.

        Args:
            name: The tool's.
            arguments: As the host sent them: nothing about them is trusted.
            call: What the call comes with.

        Raises:
            UnknownTool: There is none of the name.
            asyncio.CancelledError: The call was cancelled; the tool was too.
        """
        served = self._tools.get(name)
        if served is None:
            known = ", ".join(sorted(self._tools)) or "none"
            msg = f"Unknown tool: {name!r:.200}. Available: {known:.2000}."
            raise UnknownTool(msg)
        given = {} if arguments is None else refitted(arguments, served.listed["inputSchema"])
        async with Course(call.report, self._limits.heartbeat) as course:
            context = ToolContext(
                session=ToolSession("mcp", 0),
                call_id=f"mcp_{token_hex(8)}",
                principal=call.principal,
                request=call.request,
                state=call.state,
                report=course.tell,
            )
            answer = await self._caller.call(
                self._loaded.tools, name, given, context, timeout=self._timeout
            )
        if isinstance(answer, Refusal):
            return error_result(answer.message)
        return await self._result(answer, served, bare=call.era == "modern")

    async def _result(self, answer: Answer, served: ServedTool, *, bare: bool) -> dict[str, Any]:
        told = orjson.dumps(answer.data)

        def work() -> dict[str, Any]:
            limit = self._limits.max_result
            return result_of(answer, told, served, max_result=limit, bare=bare)

        # A large result takes long enough to check that other calls would notice.
        is_large = served.output is not None and len(told) > _LARGE
        return await self._threads.run(work, name=served.name) if is_large else work()

    @property
    def _timeout(self) -> float:
        timeout = self._limits.timeout
        return self._loaded.agent.tool_timeout if timeout is None else timeout
