"""A `ModelRequest` as the body of Anthropic's `POST /v1/messages`. Pure.

What the API rejects and this never sends: two messages of one role in a row, an empty text block, an empty message,
results of one round in several messages, an empty `tools`, an input that is not an object.

It is not the way back: `litro.providers.messages_answer` reads answers.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from litro.providers.base import AssistantMessage, CallMade, Message, ModelRequest, ResultsMessage
from litro.providers.pieces import arguments_object, name_in_history
from litro.providers.steering import choice_of_round

EMPTY: Final = "(empty)"
"""What stands where there is nothing to say but the API wants something."""


_CHOICES: Final = {
    "auto": {"type": "auto"},
    "required": {"type": "any"},
    "none": {"type": "none"},
}
_THINKING: Final = frozenset({"thinking", "redacted_thinking"})
_MARKABLE: Final = frozenset({"text", "tool_use", "tool_result"})
"""Blocks that may end a cached prefix. Thinking may not."""


def messages_body(
    request: ModelRequest,
    *,
    model: str,
    options: Mapping[str, Any],
    extra: Mapping[str, Any],
    tool_choice: str | None = None,
    cache: bool = False,
) -> dict[str, Any]:
    """The body, its keys in one order and the messages last.

    Args:
        request: What the model is to read.
        model: The model's name.
        options: `max_tokens` and the like; a value of None is left out.
        extra: The user's own keys, which win; a value of None takes a key away.
        tool_choice: `auto`, `required`, `none`, or a tool's name.
        cache: Whether to mark where the prefixes end that the next request begins with: after the tools, after the
            system prompt, after the last message. That is three of the four marks that a request may have.

    Raises:
        ProviderError: as `choice_of_round`.
    """
    body: dict[str, Any] = {"model": model, "stream": True, **options}
    if request.tools:
        tools: list[dict[str, Any]] = [
            {"name": spec.name, "description": spec.description, "input_schema": spec.input_schema}
            for spec in sorted(request.tools, key=lambda s: s.name)
        ]
        body["tools"] = _marked(tools) if cache else tools
    choice = choice_of_round(tool_choice, request)
    if choice is not None:
        body["tool_choice"] = _CHOICES.get(choice, {"type": "tool", "name": choice})
    if request.system.strip():
        body["system"] = _marked([_text(request.system)]) if cache else request.system
    messages = _messages(request, model)
    if cache:
        messages[-1]["content"] = _marked(messages[-1]["content"])
    body |= extra
    body["messages"] = body.pop("messages", messages)
    return {key: value for key, value in body.items() if value is not None}


def _marked(blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The blocks, or tools, with the mark of a prefix's end on the last one where it may stand there."""
    *before, last = blocks
    if last.get("type", "text") in _MARKABLE:
        last = {**last, "cache_control": {"type": "ephemeral"}}
    return [*before, last]


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
    said = [_tool_use(next(calls)) if "call" in block else block for block in blocks]
    while said and said[-1]["type"] in _THINKING:
        # Nothing may end in thinking; what followed it was blank.
        said.pop()
    thinks = [block["type"] in _THINKING for block in said]
    # Thinking that does not come first is what is left of more, and is refused.
    return said if not any(thinks) or thinks[0] else None


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _tool_use(call: CallMade) -> dict[str, Any]:
    return {
        "type": "tool_use",
        "id": call.id,
        "name": name_in_history(call.name),
        "input": arguments_object(call.input),
    }
