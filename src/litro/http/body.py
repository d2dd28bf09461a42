"""A request's body: read to a limit, then drained, so that the connection can be used again."""

from typing import Any, Final, cast

import orjson

from litro.http.answers import Receive, Refused, failure

_DRAIN: Final = 64 * 1024 * 1024
"""Bytes that are read and dropped before a connection is given up."""


async def read_json_object(
    receive: Receive, limit: int, *, may_be_empty: bool = False
) -> dict[str, Any]:
    """The body as a JSON object.

    Args:
        receive: Of the request.
        limit: Bytes that it may have.
        may_be_empty: Whether no body is an object without keys.

    Raises:
        Refused: 413 over `limit` bytes, 400 where it is not a JSON object.
    """
    body = await read(receive, limit)
    if may_be_empty and not body.strip():
        return {}
    try:
        content: object = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise Refused(failure(400, "invalid-body", f"The body is not JSON: {error}.")) from error
    if not isinstance(content, dict):
        message = f"The body is a JSON {type(content).__name__}, so an object is required."
        raise Refused(failure(400, "invalid-body", message))
    return cast("dict[str, Any]", content)


async def read(receive: Receive, limit: int) -> bytes:
    """The body.

    Raises:
        Refused: 413 where it has more than `limit` bytes, 400 where its end never came.
    """
    chunks: list[bytes] = []
    size = 0
    more = True
    while more and size <= _DRAIN:
        message = await receive()
        if message["type"] == "http.disconnect":
            # What came may be whole JSON by chance, and a client that gave up has not said it.
            text = "The connection ended before the body did."
            raise Refused(failure(400, "invalid-body", text))
        chunk = message.get("body", b"")
        size += len(chunk)
        if size <= limit:
            chunks.append(chunk)
        more = message.get("more_body", False)
    if size > limit:
        text = f"The body has more than {limit} bytes, which is the limit (max_body)."
        raise Refused(failure(413, "too-large", text))
    return b"".join(chunks)
