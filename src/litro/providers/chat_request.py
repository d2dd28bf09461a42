"""A `ModelRequest` as the body of an OpenAI-style `POST /chat/completions`. Pure.

What servers reject and this never sends: an empty `tools`, arguments that are not the text of a JSON object, a null
id, an empty tool result, two user messages in a row (chat templates of small models insist on turns).

It is not the way back: `litro.providers.chat_answer` reads answers.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from litro.encoding import encode_value
from litro.providers.base import AssistantMessage, Message, ModelRequest, ResultsMessage, ToolSpec
from litro.providers.base import UserMessage as User
from litro.providers.call_ids import short_id
from litro.providers.pieces import arguments_object, fields_of, name_in_history
from litro.providers.steering import WORDS, choice_of_round

EMPTY: Final = "(empty)"
"""What stands where there is nothing to say but servers want something."""


def chat_body(
    request: ModelRequest,
    *,
    model: str,
    options: Mapping[str, Any],
    extra: Mapping[str, Any],
    tool_choice: str | None = None,
) -> dict[str, Any]:
    """The body, its keys in one order and the messages last: a later round of a turn only adds to its bytes.

    Args:
        request: What the model is to read.
        model: The model's name, as the server knows it.
        options: `temperature` and the like; a value of None is left out.
        extra: The user's own keys, which win; a value of None takes a key away.
        tool_choice: `auto`, `required`, `none`, or a tool's name.

    Raises:
        ProviderError: as `choice_of_round`.
    """
    body: dict[str, Any] = {
        "model": model,
        "stream": True,
        "stream_options": {"include_usage": True},
        **options,
    }
    if request.tools:
        body["tools"] = [_tool(spec) for spec in sorted(request.tools, key=lambda s: s.name)]
    choice = choice_of_round(tool_choice, request)
    if choice is not None:
        named = {"type": "function", "function": {"name": choice}}
        body["tool_choice"] = choice if choice in WORDS else named
    body |= extra
    body["messages"] = body.pop("messages", list(_messages(request, model)))
    return {key: value for key, value in body.items() if value is not None}


def _tool(spec: ToolSpec) -> dict[str, Any]:
    function = {
        "name": spec.name,
        "description": spec.description,
        "parameters": spec.input_schema,
    }
    return {"type": "function", "function": function}


def _messages(request: ModelRequest, model: str) -> Iterator[dict[str, Any]]:
    if request.system.strip():
        yield {"role": "system", "content": request.system}
    last_user = max((i for i, m in enumerate(request.messages) if isinstance(m, User)), default=-1)
    asked: list[str] = []
    for i, message in enumerate(request.messages):
        if isinstance(message, User):
            asked.append(message.text if message.text.strip() else "")
            continue
        spoken = list(_spoken(message, model, in_turn=i > last_user))
        if spoken and asked:
            yield _user(asked)
            asked = []
        yield from spoken
    if asked:
        yield _user(asked)


def _user(texts: list[str]) -> dict[str, Any]:
    return {"role": "user", "content": "\n\n".join(filter(None, texts)) or EMPTY}


def _spoken(message: Message, model: str, *, in_turn: bool) -> Iterator[dict[str, Any]]:
    if isinstance(message, ResultsMessage):
        for result in message.results:
            content = result.content if result.content.strip() else EMPTY
            yield {"role": "tool", "tool_call_id": short_id(result.id), "content": content}
    elif isinstance(message, AssistantMessage) and (message.text.strip() or message.calls):
        yield _assistant(message, model, in_turn=in_turn)


def _assistant(message: AssistantMessage, model: str, *, in_turn: bool) -> dict[str, Any]:
    spoken: dict[str, Any] = {"role": "assistant", "content": message.text or None}
    state = _state(message.replay, model)
    if in_turn:
        # Models that reason between calls want that reasoning back until the user speaks again, and refuse it later.
        spoken |= fields_of(state.get("reasoning"))
    if message.calls:
        kept = cast("list[Any]", state.get("calls") or [])
        if len(kept) != len(message.calls):
            kept = [None] * len(message.calls)
        spoken["tool_calls"] = [
            fields_of(kept[i])
            | {
                "id": short_id(call.id),
                "type": "function",
                "function": {
                    "name": name_in_history(call.name),
                    "arguments": encode_value(arguments_object(call.input)).decode(),
                },
            }
            for i, call in enumerate(message.calls)
        ]
    return spoken


def _state(replay: Any, model: str) -> dict[str, Any]:
    """The state of the round, unless another model left it."""
    state = fields_of(replay)
    return state if state.get("model") == model else {}
