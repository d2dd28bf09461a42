"""A `ModelRequest` as the body of Anthropic's `POST /v1/messages`. Pure.

What the API rejects and this never sends: two messages of one role in a row, an empty text block, an empty message,
results of one round in several messages, an empty `tools`, an input that is not an object.

It is not the way back: `litro.providers.messages_answer` reads answers.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from litro.providers.base import AssistantMessage, CallMade, Message, ModelRequest, ResultsMessage
from litro.providers.pieces import arguments_object

EMPTY: Final = "(empty)"
"""What stands where there is nothing to say but the API wants something."""


def messages_body(
    request: ModelRequest, *, model: str, options: Mapping[str, Any], extra: Mapping[str, Any]
) -> dict[str, Any]:
    """The body.

    Args:
        request: What the model is to read.
        model: The model's name.
        options: `max_tokens` and the like; a value of None is left out.
        extra: The user's own keys, which win; a value of None takes a key away.
    """
    body: dict[str, Any] = {"model": model, "stream": True}
    if request.system.strip():
        body["system"] = request.system
    body["messages"] = _messages(request, model)
    if request.tools:
        body["tools"] = [
            {"name": spec.name, "description": spec.description, "input_schema": spec.input_schema}
            for spec in sorted(request.tools, key=lambda s: s.name)
        ]
    body |= {**options, **extra}
    return {key: value for key, value in body.items() if value is not None}


def _messages(request: ModelRequest, model: str) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    for message in request.messages:
        role = "assistant" if isinstance(message, AssistantMessage) else "user"
        content = list(_content(message, model))
        if messages and messages[-1]["role"] == role:
            messages[-1]["content"] += content
        elif content or role == "user":
            messages.append({"role": role, "content": content})
    for message in messages:
        message["content"] = message["content"] or [_text(EMPTY)]
    return messages


def _content(message: Message, model: str) -> Iterator[dict[str, Any]]:
    if isinstance(message, AssistantMessage):
        yield from _replayed(message, model) or _spoken(message)
    elif isinstance(message, ResultsMessage):
        for result in message.results:
            content = result.content if result.content.strip() else EMPTY
            block = {"type": "tool_result", "tool_use_id": result.id, "content": content}
            yield block | ({"is_error": True} if result.failed else {})
    elif message.text.strip():
        yield _text(message.text)


def _spoken(message: AssistantMessage) -> Iterator[dict[str, Any]]:
    if message.text.strip():
        yield _text(message.text)
    for call in message.calls:
        yield _tool_use(call)


def _replayed(message: AssistantMessage, model: str) -> list[dict[str, Any]] | None:
    """The round's blocks as the model sent them, or None where they are not kept or another model made them."""
    state = cast("dict[str, Any]", message.replay) if isinstance(message.replay, dict) else {}
    blocks = cast("list[dict[str, Any]]", state.get("content") or [])
    if state.get("model") != model or sum("call" in block for block in blocks) != len(
        message.calls
    ):
        return None
    calls = iter(message.calls)
    return [_tool_use(next(calls)) if "call" in block else block for block in blocks]


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _tool_use(call: CallMade) -> dict[str, Any]:
    return {
        "type": "tool_use",
        "id": call.id,
        "name": call.name,
        "input": arguments_object(call.input),
    }
