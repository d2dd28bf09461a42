"""What OpenAI's `POST /chat/completions` refuses.

It is not the other API: `litro.testing.requests.messages` has that.
"""

import json
from typing import Any, Final, cast

from litro.testing.requests.shape import (
    check_json,
    check_range,
    list_at,
    object_at,
    refuse,
    require,
    short,
    text_at,
    whole_at,
)
from litro.testing.requests.tools import (
    Calls,
    check_choice,
    check_name,
    check_schema,
    check_unique,
)

_ROLES: Final = ("developer", "system", "user", "assistant", "tool")
_MOST_TOOLS: Final = 128
_LONGEST_ID: Final = 40
_MOST_STOPS: Final = 4


def check_chat_request(body: object) -> None:
    """Check the body of a chat completions request as strictly as OpenAI's API does.

    Args:
        body: The body, as decoded JSON.

    Raises:
        AssertionError: The API would refuse it. The message names the place, what is there, and what is required.
    """
    request = object_at(body, "body")
    check_json(request)
    text_at(request.get("model"), "model")
    _check_settings(request)
    names = _check_tools(request)
    check_choice(request, _chosen(request.get("tool_choice")), names)
    calls = Calls()
    messages = list_at(request.get("messages"), "messages")
    for i, message in enumerate(messages):
        _check_message(object_at(message, f"messages[{i}]"), f"messages[{i}]", calls)
    calls.all_ended("the end of messages")


def _check_settings(body: dict[str, Any]) -> None:
    """Numbers and switches: https://platform.openai.com/docs/api-reference/chat/create."""
    check_range(body, "temperature", 2)
    check_range(body, "top_p", 1)
    for key in ("max_tokens", "max_completion_tokens"):
        if key in body:
            whole_at(body[key], key, least=1)
    both = "max_tokens" in body and "max_completion_tokens" in body
    require(not both, "max_tokens", "max_completion_tokens is there too", "one of the two")
    if "stream_options" in body:
        found = "it is there without stream"
        require(body.get("stream") is True, "stream_options", found, "'stream': true")
    if "stop" in body:
        stops = [body["stop"]] if isinstance(body["stop"], str) else list_at(body["stop"], "stop")
        require(len(stops) <= _MOST_STOPS, "stop", f"it has {len(stops)}", f"{_MOST_STOPS} at most")
        for stop in stops:
            text_at(stop, "stop")


def _check_tools(body: dict[str, Any]) -> list[str]:
    """The tools' names.

    No empty array: scottleibrand/slackAskBot#9 ("[] is too short - 'tools'"). At most 128: 0x4m4/hexstrike-ai#29.
    """
    if "tools" not in body:
        return []
    tools = list_at(body["tools"], "tools")
    found = f"there are {len(tools)}"
    require(len(tools) <= _MOST_TOOLS, "tools", found, f"{_MOST_TOOLS} at most")
    names: list[str] = []
    for i, tool in enumerate(tools):
        path = f"tools[{i}]"
        kind = object_at(tool, path).get("type")
        require(kind == "function", f"{path}.type", f"it is {short(kind)}", "'function'")
        function = object_at(tool.get("function"), f"{path}.function")
        names.append(check_name(function.get("name"), f"{path}.function.name"))
        if "parameters" in function:
            check_schema(function["parameters"], f"{path}.function.parameters")
    check_unique(names, "tools")
    return names


def _chosen(choice: object) -> object:
    if not isinstance(choice, dict):
        return None
    function = object_at(cast("dict[str, Any]", choice).get("function"), "tool_choice.function")
    return text_at(function.get("name"), "tool_choice.function.name")


def _check_message(message: dict[str, Any], path: str, calls: Calls) -> None:
    """A role that is known: https://platform.openai.com/docs/api-reference/chat/create.

    Results stand directly after the message of their calls: QwenLM/qwen-code#606.
    """
    role = message.get("role")
    require(role in _ROLES, f"{path}.role", f"it is {short(role)}", f"one of {_ROLES}")
    if role == "tool":
        call = text_at(message.get("tool_call_id"), f"{path}.tool_call_id")
        calls.ended(call, f"{path}.tool_call_id")
    else:
        calls.all_ended(path)
    if role == "assistant" and "tool_calls" in message:
        _check_calls(message["tool_calls"], f"{path}.tool_calls", calls)
        if message.get("content") is None:
            return
    _check_content(message.get("content"), f"{path}.content")


def _check_content(content: object, path: str) -> None:
    """Null beside calls only, and never empty.

    run-llama/llama_index#17555 ("expected a string, got null"), vercel/ai#13744 (null without calls),
    run-llama/llama_index#17556 ("").
    """
    if not isinstance(content, list):
        text_at(content, path)
        return
    for i, part in enumerate(list_at(cast("object", content), path)):
        fields = object_at(part, f"{path}[{i}]")
        text_at(fields.get("type"), f"{path}[{i}].type")
        if fields["type"] == "text":
            text_at(fields.get("text"), f"{path}[{i}].text")


def _check_calls(value: object, path: str, calls: Calls) -> None:
    """Ids of 1 to 40 characters: vercel/ai#5171. An empty array is refused as one of tools is."""
    for i, item in enumerate(list_at(value, path)):
        call = object_at(item, f"{path}[{i}]")
        kind = call.get("type")
        require(kind == "function", f"{path}[{i}].type", f"it is {short(kind)}", "'function'")
        id_ = text_at(call.get("id"), f"{path}[{i}].id")
        found = f"{id_!r} has {len(id_)} characters"
        require(len(id_) <= _LONGEST_ID, f"{path}[{i}].id", found, f"{_LONGEST_ID} at most")
        calls.made(id_, f"{path}[{i}].id")
        function = object_at(call.get("function"), f"{path}[{i}].function")
        check_name(function.get("name"), f"{path}[{i}].function.name")
        _check_arguments(function.get("arguments"), f"{path}[{i}].function.arguments")


def _check_arguments(value: object, path: str) -> None:
    """The text of a JSON object.

    router-for-me/CLIProxyAPI#2001 (not JSON), router-for-me/CLIProxyAPI#5362 and justrach/codegraff#752 (not an object).
    """
    text = text_at(value, path)
    try:
        arguments = json.loads(text)
    except ValueError:
        refuse(path, f"{short(text)} is not JSON", "the text of a JSON object")
    object_at(arguments, path)
    check_json(arguments)
