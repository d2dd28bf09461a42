"""What the preview's host asks the project's agent, for itself or for a card: in process, whatever a page says about the answer.

A card is refused the tools that are not for it, as a host has to.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, cast

from litro.dev.preview.board import tools_of, ui_of
from litro.errors import LitroError
from litro.mcp.agent import CallContext, McpAgent

_UNKNOWN_METHOD: Final = -32601
_INVALID: Final = -32602


class Asking:
    """Answers an MCP host's requests with one agent.

    Args:
        served: Answers the agent as it is now, or None where it cannot be served.
        state: What `Config(lifespan=…)` yielded.
    """

    def __init__(self, served: Callable[[], McpAgent | None], state: Any) -> None:
        self._served = served
        self._state = state

    async def answer(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to `{method, params, from}`: `{result}`, or `{error: {code, message}}`."""
        served = self._served()
        if served is None:
            return _error(_INVALID, "The agent cannot be served now; the preview's page says why.")
        method = asked.get("method")
        answers: Mapping[Any, Callable[[], Awaitable[dict[str, Any]]]] = {
            "tools/call": lambda: self._call(served, asked),
            "resources/read": lambda: _now(lambda: served.read(_text(asked, "uri"))),
            "tools/list": lambda: _now(lambda: served.tools(_cursor(asked))),
            "resources/list": lambda: _now(lambda: served.resources(_cursor(asked))),
            "resources/templates/list": lambda: _now(
                lambda: served.resource_templates(_cursor(asked))
            ),
            "prompts/list": lambda: _now(lambda: served.prompts(_cursor(asked))),
        }
        if not isinstance(method, str) or method not in answers:
            return _error(_UNKNOWN_METHOD, f"Method not found: {method!r:.200}")
        try:
            return {"result": await answers[method]()}
        except LitroError as error:
            return _error(_INVALID, str(error))

    async def _call(self, served: McpAgent, asked: Mapping[str, Any]) -> dict[str, Any]:
        name = _text(asked, "name")
        arguments = _params(asked).get("arguments", {})
        if not isinstance(arguments, dict):
            msg = f"arguments is a {type(arguments).__name__}, so an object is required."
            raise LitroError(msg)
        if asked.get("from") != "host" and not _is_for_cards(served, name):
            msg = f"Tool {name!r:.200} is not for apps: its visibility does not name 'app'."
            raise LitroError(msg)
        given = cast("dict[str, Any]", arguments)
        return await served.call(name, given, CallContext(state=self._state))


async def _now(answer: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    return answer()


def _is_for_cards(served: McpAgent, name: str) -> bool:
    # One that is not there is told by the call.
    return all(
        "app" in ui_of(tool).get("visibility", ("app",))
        for tool in tools_of(served)
        if tool["name"] == name
    )


def _params(asked: Mapping[str, Any]) -> Mapping[str, Any]:
    params = asked.get("params")
    return cast("dict[str, Any]", params) if isinstance(params, dict) else {}


def _text(asked: Mapping[str, Any], name: str) -> str:
    value = _params(asked).get(name)
    if isinstance(value, str):
        return value
    msg = f"{name} is {value!r:.80}, so a string is required."
    raise LitroError(msg)


def _cursor(asked: Mapping[str, Any]) -> str | None:
    return None if _params(asked).get("cursor") is None else _text(asked, "cursor")


def _error(code: int, message: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": message}}
