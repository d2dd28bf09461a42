"""What a body that came over HTTP asks for, in which era, judged as the SDK judges it.

In the handshake era nothing is known of who asks, since there is no session; in the modern era every message says it, and
repeats in headers what it is about. It answers nothing.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

import pydantic_core
from mcp.server.connection import Connection
from mcp.shared.inbound import (
    MCP_PROTOCOL_VERSION_HEADER,
    InboundLadderRejection,
    classify_inbound_request,
    find_duplicated_routing_header,
    unsupported_protocol_version_rejection,
    validate_mcp_param_headers,
)
from mcp_types import (
    DEFAULT_NEGOTIATED_VERSION,
    HEADER_MISMATCH,
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCNotification,
    JSONRPCRequest,
    RequestId,
)
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic import ValidationError
from starlette.datastructures import Headers

Schemas = Callable[[str], "dict[str, Any] | None"]
"""The input schema of a tool, by its name."""

_NOT_ONE: Final = "The body has to be one JSON-RPC request or notification."


class Rejected(Exception):
    """A body that is answered with an error before any method is looked for."""

    def __init__(
        self,
        code: int,
        message: str,
        data: Any = None,
        *,
        id: RequestId | None = None,  # noqa: A002 - the protocol's word
    ) -> None:
        super().__init__(message)
        self.told: ErrorData = ErrorData(code=code, message=message, data=data)
        self.id = id


@dataclass(frozen=True, slots=True, kw_only=True)
class Inbound:
    """A request, and what is known of who asks."""

    asked: JSONRPCRequest
    connection: Connection
    is_modern: bool


def read_message(body: bytes, headers: Headers, schemas: Schemas) -> Inbound | None:
    """What the body asks for. None where it wants no answer: a notification, or an answer to what nobody asked.

    Args:
        body: As it came.
        headers: Of the request that it came in.
        schemas: The tools' input schemas: arguments may be repeated in headers.

    Raises:
        Rejected: It is no message, or contradicts itself or what is served.
    """
    content = _object(body)
    # White space around a value is no part of it, and not every server takes it off: RFC 9110, section 5.5.
    headers = Headers(raw=[(name, value.strip(b" \t")) for name, value in headers.raw])
    version = headers.get(MCP_PROTOCOL_VERSION_HEADER)
    is_modern = version is not None and version not in HANDSHAKE_PROTOCOL_VERSIONS
    if "id" not in content:
        _check_notification(content, version if is_modern else None)
        return None
    if "method" not in content and not is_modern and ("result" in content or "error" in content):
        return None
    try:
        asked = JSONRPCRequest.model_validate(content)
    except ValidationError:
        raise Rejected(INVALID_REQUEST, _NOT_ONE) from None
    if is_modern:
        connection = _introduced(content, asked, headers, schemas)
    else:
        connection = Connection.from_envelope(version or DEFAULT_NEGOTIATED_VERSION, None, None)
    return Inbound(asked=asked, connection=connection, is_modern=is_modern)


def _object(body: bytes) -> dict[str, Any]:
    try:
        content: object = pydantic_core.from_json(body, allow_inf_nan=False)
    except ValueError as error:
        raise Rejected(PARSE_ERROR, f"The body is not JSON: {error}.") from None
    if not isinstance(content, dict):
        raise Rejected(INVALID_REQUEST, _NOT_ONE)
    return cast("dict[str, Any]", content)


def _check_notification(content: dict[str, Any], version: str | None) -> None:
    try:
        JSONRPCNotification.model_validate(content)
    except ValidationError:
        raise Rejected(INVALID_REQUEST, _NOT_ONE) from None
    if version is not None:
        _raise(unsupported_protocol_version_rejection(version), None)


def _introduced(
    content: dict[str, Any], asked: JSONRPCRequest, headers: Headers, schemas: Schemas
) -> Connection:
    """Who asks, by the message's own word."""
    duplicated = find_duplicated_routing_header(headers.items())
    if duplicated is not None:
        text = f"The header {duplicated} came more than once."
        raise Rejected(HEADER_MISMATCH, text, id=asked.id)
    verdict = classify_inbound_request(content, headers=dict(headers))
    if isinstance(verdict, InboundLadderRejection):
        raise _rejected(verdict, asked.id)
    _raise(_mismatch(asked, headers, schemas), asked.id)
    return Connection.from_envelope(
        verdict.protocol_version, verdict.client_info, verdict.client_capabilities
    )


def _mismatch(
    asked: JSONRPCRequest, headers: Mapping[str, str], schemas: Schemas
) -> InboundLadderRejection | None:
    """Where an argument that is repeated in a header is another there: who routes by headers was misled."""
    params = asked.params or {}
    name: object = params.get("name")
    arguments: object = params.get("arguments") or {}
    if asked.method != "tools/call" or not isinstance(name, str) or not isinstance(arguments, dict):
        return None
    schema = schemas(name)
    if schema is None:
        return None
    return validate_mcp_param_headers(schema, cast("dict[str, Any]", arguments), headers)


def _raise(rejection: InboundLadderRejection | None, id: RequestId | None) -> None:  # noqa: A002
    if rejection is not None:
        raise _rejected(rejection, id)


def _rejected(rejection: InboundLadderRejection, id: RequestId | None) -> Rejected:  # noqa: A002
    return Rejected(rejection.code, rejection.message, rejection.data, id=id)
