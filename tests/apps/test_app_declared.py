"""What a tool says of its app and of who may call it, and what a chat's model is offered of it."""

from pathlib import Path
from typing import Any

import pytest

from litro import tool
from litro.providers import call
from litro.providers.base import ResultsMessage
from litro.testing import running

AGENT = 'from litro import Agent\nagent = Agent("openai:gpt-5")\n'
TOOL = '''
from litro import tool

@tool(visibility=("{who}",))
def {name}():
    """Do it."""
    return {{"done": True}}
'''


def work(city: str) -> None:
    """Do it."""


@pytest.mark.parametrize(
    "app", ["weather-card", "weather/card", "two words", "ui://w", "ui://weather/card?x=1"]
)
def test_an_app_is_a_name_or_an_address(app: str):
    assert tool(app=app)(work).app == app


@pytest.mark.parametrize("app", ["", " ", "ui:/", "ui://", "ui:// ", "https://x/y", 7, ["a"]])
def test_what_can_be_neither_is_refused(app: Any):
    with pytest.raises(
        ValueError, match=r"app is .*, so the name of a packed app.*`litro mcp-app build`"
    ):
        tool(app=app)


def test_visibility_is_some_of_two_words_in_any_form():
    assert tool(visibility=["app"])(work).visibility == ("app",)
    assert tool(visibility={"model"})(work).visibility == ("model",)
    assert tool(visibility=("app", "model", "app"))(work).visibility == ("model", "app")


@pytest.mark.parametrize("visibility", [(), [], "app", "model", ("user",), ("app", None), 7])
def test_any_other_visibility_is_refused_with_what_each_means(visibility: Any):
    with pytest.raises(ValueError, match=r'visibility is .*\("app",\) for a tool that only an app'):
        tool(visibility=visibility)


def test_a_tool_that_says_nothing_has_no_app_and_is_for_everybody():
    plain = tool(work)
    assert (plain.app, plain.visibility, plain.is_for_models) == (None, None, True)
    assert not tool(visibility=("app",))(work).is_for_models


async def test_a_chat_s_model_is_neither_offered_nor_given_what_only_an_app_calls(tmp_path: Path):
    tools = tmp_path / "agents/demo/tools"
    tools.mkdir(parents=True)
    (tools.parent / "agent.py").write_text(AGENT)
    for name, who in (("ask", "model"), ("refresh", "app")):
        (tools / f"{name}.py").write_text(TOOL.format(name=name, who=who))

    def model(request: Any, turn: int) -> Any:
        done = isinstance(request.messages[-1], ResultsMessage)
        return ["Done."] if done else [call("refresh"), call("ask")]

    async with running(tmp_path, model=model) as project:
        turn = await project.agent("demo").send("Refresh.")
    assert [offered.name for offered in turn.requests[0].tools] == ["ask"]
    assert turn.results == [{"done": True}]
    (error,) = turn.errors
    assert error["type"] == "unknown-tool"
    assert "Available: ask." in error["message"]
