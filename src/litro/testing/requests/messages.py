"""What Anthropic's `POST /v1/messages` refuses.

It is not the other API: `litro.testing.requests.chat` has that.
"""

import re
from collections.abc import Iterator
from typing import Any, Final, cast

from litro.testing.requests.shape import (
    check_json,
    check_range,
    list_at,
    object_at,
    refuse,
    require,
    short,
    spoken_at,
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

_ID: Final = re.compile(r"[a-zA-Z0-9_-]+")
_THINKING: Final = ("thinking", "redacted_thinking")
_LEAST_BUDGET: Final = 1024
_MOST_BREAKPOINTS: Final = 4


def check_messages_request(body: object) -> None:
    """Check the body of a messages request as strictly as Anthropic's API does.

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
    if "system" in request:
        for block, path in _blocks(request["system"], "system"):
            _check_block(block, path)
    messages = list_at(request.get("messages"), "messages")
    calls, before = Calls(), "assistant"
    for i, message in enumerate(messages):
        before = _check_message(
            object_at(message, f"messages[{i}]"), f"messages[{i}]", before, calls
        )
    calls.all_ended("the end of messages")
    _check_last(messages[-1], f"messages[{len(messages) - 1}]")
    _check_thinking(request, messages)
    _check_breakpoints(request)


def _check_settings(body: dict[str, Any]) -> None:
    """`max_tokens` must be there, the rest in its range: https://platform.claude.com/docs/en/api/messages.

    Stop sequences have something to read: BerriAI/litellm#3286.
    """
    whole_at(body.get("max_tokens"), "max_tokens", least=1)
    check_range(body, "temperature", 1)
    check_range(body, "top_p", 1)
    if "top_k" in body:
        whole_at(body["top_k"], "top_k", least=0)
    if "stop_sequences" in body:
        for i, stop in enumerate(list_at(body["stop_sequences"], "stop_sequences")):
            spoken_at(stop, f"stop_sequences[{i}]")


def _check_tools(body: dict[str, Any]) -> list[str]:
    """The tools' names. Tools of a type of their own run at the server and have no schema.

    No empty array: OpenAI's rule, here as well, since clouds and gateways that offer this format hold it.
    """
    if "tools" not in body:
        return []
    names: list[str] = []
    for i, item in enumerate(list_at(body["tools"], "tools")):
        tool = object_at(item, f"tools[{i}]")
        names.append(check_name(tool.get("name"), f"tools[{i}].name"))
        if tool.get("type", "custom") == "custom":
            check_schema(tool.get("input_schema"), f"tools[{i}].input_schema")
    check_unique(names, "tools")
    return names


def _chosen(choice: object) -> object:
    if choice is None:
        return None
    fields = object_at(choice, "tool_choice")
    kinds = ("auto", "any", "none", "tool")
    kind = fields.get("type")
    require(kind in kinds, "tool_choice.type", f"it is {short(kind)}", f"one of {kinds}")
    return text_at(fields.get("name"), "tool_choice.name") if kind == "tool" else None


def _check_message(message: dict[str, Any], path: str, before: str, calls: Calls) -> str:
    """The message's role.

    The first message is the user's: lobehub/lobehub#1601. Roles alternate: etkecc/baibot#13 (the API itself joins
    neighbours today, gateways and clouds that offer the same format refuse them).
    """
    role = message.get("role")
    wanted = "user" if before == "assistant" else "assistant"
    require(role == wanted, f"{path}.role", f"it is {short(role)}", f"{wanted!r}, in turns")
    blocks = list(_blocks(message.get("content"), f"{path}.content"))
    if role == "user":
        _check_users(blocks, calls, path)
    else:
        _check_assistants(blocks, calls)
    return wanted


def _blocks(content: object, path: str) -> Iterator[tuple[dict[str, Any], str]]:
    """The blocks and their paths; a string is a block of text.

    No message is empty: anthropics/claude-code#6774.
    """
    if isinstance(content, str):
        yield {"type": "text", "text": spoken_at(content, path)}, path
        return
    for i, item in enumerate(list_at(content, path)):
        block = object_at(item, f"{path}[{i}]")
        text_at(block.get("type"), f"{path}[{i}].type")
        yield block, f"{path}[{i}]"


def _check_block(block: dict[str, Any], path: str) -> None:
    """Text has something to read: anthropics/claude-code#59812 (empty), #23440 (whitespace only)."""
    if block["type"] == "text":
        spoken_at(block.get("text"), f"{path}.text")


def _check_users(blocks: list[tuple[dict[str, Any], str]], calls: Calls, path: str) -> None:
    """Results come first, all of them in the very next message.

    https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls ("tool result blocks must come first");
    anthropics/anthropic-sdk-typescript#653.
    """
    others = False
    for block, where in blocks:
        kind = block["type"]
        require(kind not in (*_THINKING, "tool_use"), where, f"a user's {kind} block", "text")
        if kind == "tool_result":
            require(not others, where, "it stands after another block", "its place before all text")
            _check_result(block, where, calls)
        else:
            others = True
            _check_block(block, where)
    calls.all_ended(path)


def _check_result(block: dict[str, Any], path: str, calls: Calls) -> None:
    """A result that has content has something in it: anthropics/claude-code#23440 (a tool that returned "")."""
    calls.ended(text_at(block.get("tool_use_id"), f"{path}.tool_use_id"), f"{path}.tool_use_id")
    if "content" in block:
        for inner, where in _blocks(block["content"], f"{path}.content"):
            _check_block(inner, where)


def _check_assistants(blocks: list[tuple[dict[str, Any], str]], calls: Calls) -> None:
    """Thinking comes first and not last.

    zed-industries/zed#33317 ("Expected `thinking` …, but found `text`"), tailcallhq/forgecode#2107 (the last block).
    """
    kinds = [block["type"] for block, _ in blocks]
    for block, path in blocks:
        kind = block["type"]
        require(kind != "tool_result", path, "a tool_result of the assistant", "a user's message")
        if kind in _THINKING:
            found = f"the message begins with {kinds[0]!r}"
            require(kinds[0] in _THINKING, path, found, "thinking in the first place")
            _check_thought(block, path)
        elif kind == "tool_use":
            _check_call(block, path, calls)
        else:
            _check_block(block, path)
    require(kinds[-1] not in _THINKING, blocks[-1][1], f"{kinds[-1]!r} is last", "text or a call")


def _check_thought(block: dict[str, Any], path: str) -> None:
    """Thinking has its signature: JohnnyZ93/oai-compatible-copilot#217.

    It is no place for a cache breakpoint: https://platform.claude.com/docs/en/build-with-claude/prompt-caching.
    """
    if block["type"] == "redacted_thinking":
        text_at(block.get("data"), f"{path}.data")
    else:
        text_at(block.get("signature"), f"{path}.signature")
        thought = block.get("thinking")
        require(isinstance(thought, str), f"{path}.thinking", f"it is {short(thought)}", "a string")
    require("cache_control" not in block, path, "it has a cache_control", "another block for it")


def _check_call(block: dict[str, Any], path: str, calls: Calls) -> None:
    """An id of letters, digits, `_` and `-`: maximhq/bifrost#5097. An input that is an object: anthropics/claude-code#6696."""
    id_ = text_at(block.get("id"), f"{path}.id")
    found = f"{id_!r} does not match {_ID.pattern}"
    require(
        _ID.fullmatch(id_) is not None, f"{path}.id", found, "an id of letters, digits, _ and -"
    )
    calls.made(id_, f"{path}.id")
    check_name(block.get("name"), f"{path}.name")
    object_at(block.get("input"), f"{path}.input")


def _check_last(message: dict[str, Any], path: str) -> None:
    """What the assistant has begun to say ends without whitespace: tailcallhq/forgecode#1872."""
    if message["role"] == "assistant":
        block, where = list(_blocks(message["content"], f"{path}.content"))[-1]
        text = block.get("text", "")
        found = f"{short(text[-20:])} ends the final assistant message"
        require(text == text.rstrip(), where, found, "an end without whitespace")


def _check_thinking(body: dict[str, Any], messages: list[dict[str, Any]]) -> None:
    """Extended thinking: https://platform.claude.com/docs/en/build-with-claude/extended-thinking.

    The budget: themaximalist/llm.js#30. While results go back, the calls' message begins with its thinking:
    n8n-io/n8n#22550.
    """
    thinking = body.get("thinking")
    if thinking is None or object_at(thinking, "thinking").get("type") != "enabled":
        return
    budget = whole_at(thinking.get("budget_tokens"), "thinking.budget_tokens", least=_LEAST_BUDGET)
    found = f"{budget} is not below max_tokens"
    require(budget < body["max_tokens"], "thinking.budget_tokens", found, "less")
    found = f"it is {body.get('temperature')} beside thinking"
    require(body.get("temperature", 1) == 1, "temperature", found, "1 or its absence")
    content = messages[-1]["content"]
    if isinstance(content, list) and content[0]["type"] == "tool_result":
        kind = messages[-2]["content"][0]["type"]
        path = f"messages[{len(messages) - 2}].content[0]"
        require(kind in _THINKING, path, f"it is {kind!r} while thinking is enabled", "thinking")


def _check_breakpoints(body: dict[str, Any]) -> None:
    """At most four `cache_control`: tghamm/Anthropic.SDK#50."""
    count, left = 0, cast("list[object]", [body.get("tools"), body.get("system"), body["messages"]])
    while left:
        value = left.pop()
        if isinstance(value, dict):
            fields = cast("dict[str, object]", value)
            count += fields.get("cache_control") is not None
            # What a tool was called with, or its schema, may have a key of that name.
            left += [item for key, item in fields.items() if key == "content"]
        elif isinstance(value, list):
            left += cast("list[object]", value)
    if count > _MOST_BREAKPOINTS:
        refuse("cache_control", f"it is there {count} times", f"{_MOST_BREAKPOINTS} at most")
