"""One MCP message over HTTP, answered by the SDK's server: both eras, no session, and nothing kept from one to the next.

The SDK's own HTTP transport is not used: it does not notice a client that hangs up on a JSON body, keeps a task of its own
and patches the web server for streams, and leaves GET hanging. How it judges and answers messages is.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import anyio
import pydantic_core
from mcp.server.lowlevel import Server
from mcp.server.runner import serve_one
from mcp.shared.dispatcher import CallOptions
from mcp.shared.exceptions import NoBackChannelError
from mcp.shared.inbound import ERROR_CODE_HTTP_STATUS
from mcp.shared.jsonrpc_dispatcher import (
    handler_exception_to_error_data,
    progress_token_from_params,
)
from mcp.shared.message import ServerMessageMetadata
from mcp.shared.transport_context import TransportContext
from mcp_types import INTERNAL_ERROR, ErrorData, JSONRPCRequest, ProgressToken, RequestId
from starlette.requests import Request

from litro.mcp.agent import McpAgent
from litro.mcp.inbound import Inbound, Rejected, read_message
from litro.mcp.reply import Reply
from litro.mcp.server import build

logger: Final = logging.getLogger(__name__)


class Exchange:
    """Answers messages to one agent.

    Args:
        agent: Whose tools are called.
    """

    def __init__(self, agent: McpAgent) -> None:
        self._agent = agent
        self._server: Server[Any] = build(agent)

    async def answer(
        self, body: bytes, request: Request, given: Mapping[str, Any], reply: Reply
    ) -> None:
        """Answer the message in `body`.

        Args:
            body: As it came.
            request: What it came in.
            given: What handlers find as their lifespan's context.
            reply: Where the answer goes.

        Raises:
            asyncio.CancelledError: Nobody wants the answer any more; the call was cancelled.
        """
        try:
            inbound = read_message(body, request.headers, self._agent.input_schema)
        except Rejected as error:
            status = ERROR_CODE_HTTP_STATUS.get(error.told.code, 400)
            await reply.finish(status, _error(error.id, error.told))
            return
        if inbound is None:
            # Nothing can come of it: what it is about is another request's.
            await reply.accept()
            return
        reply.begin()
        await reply.finish(
            *await self._answered(inbound, _Exchanged(inbound, request, reply), given)
        )

    async def _answered(
        self, inbound: Inbound, exchanged: "_Exchanged", given: Mapping[str, Any]
    ) -> tuple[int, bytes]:
        """The status and the body of the answer."""
        asked = inbound.asked
        try:
            result = await serve_one(
                self._server,
                exchanged,
                asked.method,
                asked.params,
                connection=inbound.connection,
                lifespan_state=given,
            )
            answer = {"jsonrpc": "2.0", "id": asked.id, "result": result}
            return 200, pydantic_core.to_json(answer)
        except Exception as error:  # noqa: BLE001 - the outermost edge: whatever it was, the client gets an answer
            told = _told(error)
            # Hosts of the handshake era look for errors in good answers alone.
            status = ERROR_CODE_HTTP_STATUS.get(told.code, 200) if inbound.is_modern else 200
            return status, _error(asked.id, told)


@dataclass
class _Exchanged:
    """A request while it is answered, as the SDK wants to see it. It is a `DispatchContext`."""

    inbound: Inbound
    request: Request
    reply: Reply
    transport: TransportContext = field(init=False)
    message_metadata: ServerMessageMetadata = field(init=False)
    request_id: RequestId | None = field(init=False)
    cancel_requested: anyio.Event = field(default_factory=anyio.Event)
    can_send_request: bool = False
    _token: ProgressToken | None = field(init=False)

    def __post_init__(self) -> None:
        asked: JSONRPCRequest = self.inbound.asked
        self.transport = TransportContext(
            kind="streamable-http", can_send_request=False, headers=self.request.headers
        )
        self.message_metadata = ServerMessageMetadata(request_context=self.request)
        self.request_id = asked.id
        self._token = progress_token_from_params(asked.params)

    async def send_raw_request(
        self,
        method: str,
        params: Mapping[str, Any] | None,  # noqa: ARG002
        opts: CallOptions | None = None,  # noqa: ARG002
    ) -> dict[str, Any]:
        """Refused: the answer would come in another request, and there is no session to find this one by."""
        raise NoBackChannelError(method)

    async def notify(
        self,
        method: str,
        params: Mapping[str, Any] | None,
        opts: CallOptions | None = None,  # noqa: ARG002
    ) -> None:
        """Tell the client something about its request."""
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message["params"] = dict(params)
        await self.reply.notify(pydantic_core.to_json(message))

    async def progress(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> None:
        """Tell the client how far its request is, if it asked for that."""
        if self._token is None:
            return
        params = {"progressToken": self._token, "progress": progress}
        params |= {} if total is None else {"total": total}
        params |= {} if message is None else {"message": message}
        await self.notify("notifications/progress", params)


def _error(id: RequestId | None, told: ErrorData) -> bytes:  # noqa: A002 - the protocol's word
    content = told.model_dump(mode="json", by_alias=True, exclude_none=True)
    return pydantic_core.to_json({"jsonrpc": "2.0", "id": id, "error": content})


def _told(error: Exception) -> ErrorData:
    told = handler_exception_to_error_data(error)
    if told is None:
        logger.error("An MCP request failed", exc_info=error)
        told = ErrorData(code=INTERNAL_ERROR, message="Internal server error")
    return told
