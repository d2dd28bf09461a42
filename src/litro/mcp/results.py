"""What a tool answered, as a `CallToolResult`: the same data as text and as `structuredContent`, or content as it is.

A component's HTML is in neither: a host shows views of its own. It is not the limit of a chat, where a result that is too large
is refused: here it is cut, with a marker that says so.
"""

import logging
from base64 import b64encode
from typing import Any, Final

import orjson

from litro.content import Audio, Content, File, Image, Text
from litro.encoding import well_formed
from litro.mcp.output import Output
from litro.mcp.tools import ServedTool
from litro.turn.tools import Answer

logger: Final = logging.getLogger(__name__)

_MARGIN: Final = 200


def result_of(
    answer: Answer, told: bytes, tool: ServedTool, *, max_result: int, bare: bool
) -> dict[str, Any]:
    """An answer, in the protocol's words.

    Args:
        answer: What the tool answered.
        told: Its data, as JSON.
        tool: The tool, whose promise the result is held to.
        max_result: Bytes of JSON; more is cut.
        bare: Whether `structuredContent` may be any JSON value. Otherwise what is no object stands under `value`.
    """
    if answer.content:
        return _of_content(answer, tool, max_result)
    if len(told) > max_result:
        return _cut(told, tool, max_result)
    blocks = [_text(told.decode())]
    if tool.output is not None:
        return _kept(tool, tool.output, answer.data, blocks)
    wraps = not bare and not told.startswith(b"{")
    return {
        "content": blocks,
        "structuredContent": {"value": answer.data} if wraps else answer.data,
    }


def error_result(message: str) -> dict[str, Any]:
    """Why a call has no result, for the host's model."""
    return {"content": [_text(well_formed(message))], "isError": True}


def block_of(content: Content) -> dict[str, Any]:
    """One piece of content, in the protocol's words. A kind that it does not know is named."""
    if isinstance(content, Image | Audio):
        kind = "image" if isinstance(content, Image) else "audio"
        return {"type": kind, "data": _base64(content.data), "mimeType": content.mime_type}
    if isinstance(content, File):
        resource = {"uri": content.uri, "mimeType": content.mime_type}
        if isinstance(content.data, str):
            return {"type": "resource", "resource": {**resource, "text": content.data}}
        return {"type": "resource", "resource": {**resource, "blob": _base64(content.data)}}
    return _text(content.named())


def _of_content(answer: Answer, tool: ServedTool, max_result: int) -> dict[str, Any]:
    blocks: list[dict[str, Any]] = []
    size = 0
    left_out: list[str] = []
    for item in answer.content:
        block = block_of(item)
        size += len(orjson.dumps(block))
        if size > max_result:
            named = "text" if isinstance(item, Text) else item.named()
            left_out.append(named[:_MARGIN])
        else:
            blocks.append(block)
    if left_out:
        logger.warning("Tool %r: %d bytes of content, over %d", tool.name, size, max_result)
        named = f"Left out: {'; '.join(left_out)[:1000]}."
        blocks.append(_text(f"{_marker(size, max_result)} {named}"))
    if tool.output is not None:
        return _kept(tool, tool.output, answer.data, blocks)
    return {"content": blocks}


def _kept(
    tool: ServedTool, output: Output, data: Any, blocks: list[dict[str, Any]]
) -> dict[str, Any]:
    """The result of a tool that made a promise, held to it."""
    structured = {"value": data} if output.wraps else data
    issues = output.issues(structured)
    if issues is not None:
        return _broken(tool, issues)
    return {"content": blocks, "structuredContent": structured}


def _cut(told: bytes, tool: ServedTool, max_result: int) -> dict[str, Any]:
    size = len(told)
    logger.warning("Tool %r: the result has %d bytes, over %d", tool.name, size, max_result)
    # A character that the cut goes through is left out.
    text = told[:max_result].decode(errors="ignore")
    result: dict[str, Any] = {"content": [_text(f"{text}\n{_marker(size, max_result)}")]}
    if tool.output is not None:
        # A host refuses what breaks the promise, unless it is an error's.
        return {**result, "isError": True}
    cut = {"truncated": True, "bytes": size, "limit": max_result}
    return {**result, "structuredContent": cut}


def _marker(size: int, limit: int) -> str:
    return (
        f"[truncated by litro mcp: the tool returned {size} bytes of JSON, over the {limit} byte limit. "
        "Ask for less, or narrow the arguments.]"
    )


def _broken(tool: ServedTool, issues: str) -> dict[str, Any]:
    logger.error("Tool %r broke its return annotation: %s", tool.name, issues)
    return error_result(
        f"Tool {tool.name!r} returned what its return annotation does not allow ({issues}), so the result was withheld. "
        "This is a mistake in the tool: the same call will not go better."
    )


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _base64(data: bytes) -> str:
    return b64encode(data).decode()
