"""The official SDK's low-level server in front of an agent. Beside `exchange` and `inbound`, nothing imports the SDK.

The SDK owns JSON-RPC, the handshake, both eras and the wire's schemas; the agent answers in the protocol's words. What
the SDK leaves out is mended here. It is no transport, but drives the SDK over lines, which stdio hands it.
"""

import asyncio
import logging
import math
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final, Protocol

import anyio
import mcp_types as types
import orjson
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from litro.mcp.agent import CallContext, McpAgent, UnknownResource, UnknownTool
from litro.mcp.messages import INTERNAL_ERROR, INVALID_REQUEST, Malformed, id_of, parse
from litro.mcp.packed import EXTENSION
from litro.mcp.pages import InvalidCursor

logger: Final = logging.getLogger(__name__)

Context = ServerRequestContext[Any, Any]

_DRAIN: Final = 0.75
"""Seconds that calls get to end in once the host has nothing more to say, as a pipe from a file has not."""
_COMPLETE: Final = {"resultType": "complete"}
_UNCACHED: Final = {**_COMPLETE, "ttlMs": 0, "cacheScope": "private"}
"""What the era of 2026 demands of results that could be cached. An edit of the project counts from the next start on."""
_RESOURCE_NOT_FOUND: Final = -32002
_LISTS: Final = frozenset(
    {"tools/list", "resources/list", "resources/templates/list", "prompts/list"}
)
_KEPT: Final = 256
"""Pages whose answers are kept. Their number is the agent's, their cursors are the host's."""


class Host(Protocol):
    """A host at the other end of lines."""

    @property
    def is_read(self) -> bool:
        """Whether it reads answers."""
        ...

    def lines(self) -> AsyncIterator[bytes | None]:
        """What it sends; None for a line that was too long."""
        ...

    async def send(self, line: bytes) -> None:
        """Send it a line."""
        ...

    async def flush(self) -> None:
        """Wait until everything is sent."""
        ...


def build(agent: McpAgent, *, state: Any = None) -> Server[Any]:
    """The SDK's server for an agent.

    A transport that knows more of a call than this hands `{"principal": …, "state": …}` to the SDK as the lifespan's
    context, and the HTTP request as the message's.

    Args:
        agent: What it serves.
        state: What `Config(lifespan=…)` yielded.
    """

    @asynccontextmanager
    async def lifespan(server: Server[Any]) -> AsyncGenerator[Mapping[str, Any]]:  # noqa: ARG001 - what the SDK passes
        yield {"state": state}

    adapter = _Adapter(agent)
    info = agent.info()
    server: Server[Any] = Server(
        info["name"],
        version=info["version"],
        title=info.get("title"),
        instructions=info.get("instructions"),
        lifespan=lifespan,
        get_tool_input_schema=agent.input_schema,
    )
    paged = types.PaginatedRequestParams
    server.add_request_handler("tools/list", paged, _listing(agent.tools))
    server.add_request_handler("resources/list", paged, _listing(agent.resources))
    server.add_request_handler(
        "resources/templates/list", paged, _listing(agent.resource_templates)
    )
    server.add_request_handler("prompts/list", paged, _listing(agent.prompts))
    server.add_request_handler("resources/read", types.ReadResourceRequestParams, adapter.read)
    server.add_request_handler("tools/call", types.CallToolRequestParams, adapter.call)
    if agent.has_apps:
        server.extensions[EXTENSION] = {}
    server.middleware.append(_without_internals)
    server.middleware.append(_with_extensions(server))
    server.middleware.append(_Pages())
    return server


class _Adapter:
    """The requests whose answer is not a list."""

    def __init__(self, agent: McpAgent) -> None:
        self._agent = agent

    async def call(self, context: Context, params: types.CallToolRequestParams) -> dict[str, Any]:
        try:
            result = await self._agent.call(params.name, params.arguments, self._call(context))
        except UnknownTool as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from None
        return {**_COMPLETE, **result} if _is_modern(context) else result

    async def read(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> dict[str, Any]:
        try:
            content = self._agent.read(str(params.uri))
        except UnknownResource as error:
            code = types.INVALID_PARAMS if _is_modern(context) else _RESOURCE_NOT_FOUND
            raise MCPError(code, str(error), {"uri": str(params.uri)}) from None
        return {**_UNCACHED, **content} if _is_modern(context) else content

    def _call(self, context: Context) -> CallContext:
        given: Mapping[str, Any] = context.lifespan_context
        wants_progress = "progress_token" in (context.meta or {})
        return CallContext(
            request=context.request,
            principal=given.get("principal"),
            state=given.get("state"),
            report=context.session.report_progress if wants_progress else None,
            era="modern" if _is_modern(context) else "handshake",
        )


class _Listing(Protocol):
    def __call__(self, cursor: str | None, /) -> dict[str, Any]: ...


def _listing(page: _Listing) -> Any:
    async def handle(context: Context, params: types.PaginatedRequestParams) -> dict[str, Any]:
        try:
            listed = page(params.cursor)
        except InvalidCursor as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from None
        return {**_UNCACHED, **listed} if _is_modern(context) else listed

    return handle


class _Pages:
    """Keeps the lists' answers: they never change, and the SDK checks each of them against the protocol's schemas."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str, object], HandlerResult] = {}

    async def __call__(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        cursor: object = (ctx.params or {}).get("cursor")
        if ctx.method not in _LISTS or not isinstance(cursor, str | None):
            return await call_next(ctx)
        key = (ctx.method, ctx.protocol_version, cursor)
        kept = self._kept.get(key)
        if kept is None:
            kept = await call_next(ctx)
            if len(self._kept) < _KEPT:
                self._kept[key] = kept
        return kept


async def _without_internals(ctx: Context, call_next: CallNext) -> HandlerResult:
    """In the handshake era the SDK would tell the host the text of any exception, which is nobody's business but the log's."""
    try:
        return await call_next(ctx)
    except (MCPError, ValidationError):
        raise
    except Exception:
        logger.exception("%s failed", ctx.method)
        msg = "Internal error. The server's log has it."
        raise MCPError(types.INTERNAL_ERROR, msg) from None


def _with_extensions(server: Server[Any]) -> ServerMiddleware[Any]:
    """The SDK's sieve for the handshake era drops what hosts look for: which extensions the server speaks."""

    async def mend(ctx: Context, call_next: CallNext) -> HandlerResult:
        result = await call_next(ctx)
        if ctx.method == "initialize" and server.extensions and isinstance(result, dict):
            capabilities = {**result["capabilities"], "extensions": server.extensions}
            return {**result, "capabilities": capabilities}
        return result

    return mend


def _is_modern(context: Context) -> bool:
    return context.protocol_version in MODERN_PROTOCOL_VERSIONS


async def serve(server: Server[Any], wire: Host) -> None:
    """Serve one host over lines, until it has no more to say and is answered.

    Args:
        server: What `build` made.
        wire: Where the host is.
    """
    conversation = _Conversation(wire)
    incoming_send, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](
        math.inf
    )
    outgoing, outgoing_receive = anyio.create_memory_object_stream[SessionMessage](0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(conversation.hear, incoming_send)
        tasks.start_soon(conversation.speak, outgoing_receive)
        await server.run(incoming, outgoing, server.create_initialization_options())
    await wire.flush()


class _Conversation:
    """Between lines and the SDK's messages. What is no message is answered here; the SDK would be silent."""

    def __init__(self, wire: Host) -> None:
        self._wire = wire
        self._unanswered: set[str | int] = set()
        self._is_answered = asyncio.Event()

    async def hear(self, incoming: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        """Hand on what the host says. Once it has no more to say, calls that run get a moment to end."""
        async with incoming:
            async for line in self._wire.lines():
                try:
                    message = _message(parse(line))
                except Malformed as error:
                    await self._wire.send(error.answer())
                    continue
                if message is not None:
                    self._note(message)
                    await incoming.send(SessionMessage(message))
            with anyio.move_on_after(_DRAIN):
                while self._unanswered and self._wire.is_read:
                    self._is_answered.clear()
                    await self._is_answered.wait()

    async def speak(self, outgoing: MemoryObjectReceiveStream[SessionMessage]) -> None:
        """Write what the SDK says."""
        async with outgoing:
            async for item in outgoing:
                message = item.message
                await self._wire.send(_line(message))
                if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
                    self._settle(message.id)

    def _note(self, message: types.JSONRPCMessage) -> None:
        if isinstance(message, types.JSONRPCRequest):
            self._unanswered.add(message.id)
        elif (
            isinstance(message, types.JSONRPCNotification)
            and message.method == "notifications/cancelled"
        ):
            # A call that was cancelled is never answered.
            self._settle((message.params or {}).get("requestId"))

    def _settle(self, id: object) -> None:  # noqa: A002 - the protocol's word
        if isinstance(id, str | int):
            self._unanswered.discard(id)
        self._is_answered.set()


def _message(fields: dict[str, Any] | None) -> types.JSONRPCMessage | None:
    """The SDK's message.

    Raises:
        Malformed: It is none.
    """
    if fields is None:
        return None
    is_answer = "method" not in fields
    if not is_answer:
        kind = types.JSONRPCRequest if "id" in fields else types.JSONRPCNotification
    elif "result" in fields:
        kind = types.JSONRPCResponse
    else:
        kind = types.JSONRPCError
    try:
        return kind.model_validate(fields, by_name=False)
    except ValidationError as error:
        if is_answer and ("result" in fields or "error" in fields):
            # An error about an answer would be answered in turn.
            logger.warning("The host sent an answer that is none: %s", error)
            return None
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "message"
        msg = f"The message is no JSON-RPC 2.0: {where}: {first['msg']}."
        raise Malformed(INVALID_REQUEST, msg, id_of(fields)) from None


def _line(message: types.JSONRPCMessage) -> bytes:
    if isinstance(message, types.JSONRPCResponse):
        fields: Mapping[str, Any] = {"jsonrpc": "2.0", "id": message.id, "result": message.result}
    else:
        fields = message.model_dump(mode="json", by_alias=True, exclude_unset=True)
    try:
        return orjson.dumps(fields)
    except TypeError as error:
        logger.error("A message has no JSON: %s", error)  # noqa: TRY400 - the traceback is ours, and says no more
        id = getattr(message, "id", None)  # noqa: A001 - the protocol's word
        return Malformed(INTERNAL_ERROR, "The answer has no JSON.", id).answer()
