"""What both APIs require of tools and of the calls in a history: names, schemas, ids, and a result for each call.

It does not know how either API writes them down.
"""

import re
from typing import Any, Final

from litro.testing.requests.shape import object_at, refuse, require, short, text_at

_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_COMPOSED: Final = ("anyOf", "oneOf", "allOf", "not", "enum", "const", "$ref")


def check_name(value: object, path: str) -> str:
    """A tool's name, in the list of tools and in every call that the history holds.

    https://platform.openai.com/docs/api-reference/chat/create (letters, digits, `_`, `-`, at most 64),
    https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools (the same);
    langgenius/dify#22867 (in a tool), mcp-use/mcp-use#90 (in a call of the history).
    """
    name = text_at(value, path)
    found = f"the name {short(name)} does not match {_NAME.pattern}"
    require(_NAME.fullmatch(name) is not None, path, found, "a name of letters, digits, _ and -")
    return name


def check_unique(names: list[str], path: str) -> None:
    """Require no name twice: danny-avila/LibreChat#13162 ("Tool names must be unique")."""
    for name in names:
        require(names.count(name) == 1, path, f"{name!r} is there twice", "a name of its own")


def check_schema(value: object, path: str) -> None:
    """A tool's input, an object at its root.

    nspady/google-calendar-mcp#39 and goruck/home-generative-agent#545 (OpenAI), anthropics/claude-code#40075
    (Anthropic): no composition at the top level. chatanywhere/GPT_API_free#403: `type` must be there, so a root that is
    a `$ref` is refused.
    """
    schema = object_at(value, path)
    kind = schema.get("type")
    require(kind == "object", f"{path}.type", f"it is {short(kind)}", "'object'")
    for key in _COMPOSED:
        require(key not in schema, path, f"{key!r} stands at the top level", "a plain object")


def check_choice(body: dict[str, Any], chosen: object, names: list[str]) -> None:
    """What forces or forbids calls needs tools: writer/writer-framework#1013.

    A tool that is chosen must be one of them: https://platform.openai.com/docs/api-reference/chat/create,
    https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools.
    """
    for key in ("tool_choice", "parallel_tool_calls"):
        if key in body and not names:
            refuse(key, f"it is {short(body[key])} where there are no tools", "its absence")
    if chosen is not None and chosen not in names:
        refuse("tool_choice", f"{short(chosen)} is none of the tools {names!r}", "a tool's name")


class Calls:
    """The calls of a history, and which of them wait for their result."""

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._waiting: list[str] = []
        self._answered: set[str] = set()

    def made(self, call: str, path: str) -> None:
        """Take a call.

        Ids are unique in the whole history: anomalyco/opencode#1150 (Anthropic), can1357/oh-my-pi#2055 (OpenAI style).
        """
        require(call not in self._known, path, f"the id {call!r} is there twice", "a unique id")
        self._known.add(call)
        self._waiting.append(call)

    def ended(self, call: str, path: str) -> None:
        """Take a result.

        Orphans: anthropics/claude-code#18947, miurla/morphic#136. Duplicates: agno-agi/agno#5116,
        CopilotKit/CopilotKit#1737. The APIs pair by id and take any order; templates of local models pair by
        place, so call order is required here.
        """
        if call in self._answered:
            refuse(path, f"the call {call!r} has a second result", "one result for each call")
        if call not in self._waiting:
            refuse(
                path, f"no call {call!r} is in the message before", "a result of one of its calls"
            )
        first = self._waiting.pop(0)
        require(first == call, path, f"{call!r} comes before {first!r}", "call order")
        self._answered.add(call)

    def all_ended(self, path: str) -> None:
        """Require every call to have its result by now.

        langchain-ai/langchain#25716 and smallmain/vscode-unify-chat-provider#248 (OpenAI), anthropics/claude-code#8210
        (Anthropic).
        """
        if self._waiting:
            missing = ", ".join(map(repr, self._waiting))
            refuse(path, f"no result of {missing} stands here", "one directly after each call")
        self._answered.clear()
