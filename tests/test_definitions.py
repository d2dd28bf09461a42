"""Declaring agents, tools and configuration."""

from typing import Any

import pytest

from litro import Agent, AgentError, Tool, ToolContext, tool
from litro.definitions import ToolHints, owner_of
from litro.providers import scripted


@pytest.mark.parametrize("key", ["tools", "skills", "extends", "mcp", "subagents"])
def test_a_reserved_key_says_what_to_do_instead(key: str):
    with pytest.raises(AgentError, match=f"{key} is not supported yet"):
        Agent("openai:x", **{key: ["something"]})
    Agent("openai:x", **{key: None})
    Agent("openai:x", **{key: []})


def test_a_misspelt_argument_is_named():
    with pytest.raises(TypeError, match="'max_round'"):
        Agent("openai:x", max_round=3)


@pytest.mark.parametrize("model", [None, 7, object(), scripted])
def test_a_model_that_is_none_says_what_is_one(model: Any):
    with pytest.raises(TypeError, match="so a provider is required"):
        Agent(model)


@pytest.mark.parametrize("model", ["gpt-5", "opnai:gpt-5", "openai:", ""])
def test_a_misspelt_model_is_told_where_it_stands(model: str):
    with pytest.raises(ValueError, match="is required"):
        Agent(model)


@pytest.mark.parametrize("name", ["max_rounds", "tool_timeout", "parallel_tools"])
def test_limits_are_positive(name: str):
    with pytest.raises(ValueError, match=f"{name} is 0"):
        Agent("openai:x", **{name: 0})


def test_a_tool_stays_the_function_that_it_wraps():
    @tool
    def add(a: int, b: int = 2) -> int:
        """Add."""
        return a + b

    assert isinstance(add, Tool)
    assert add(1) == 3
    assert add.__name__ == "add"
    assert add.__doc__ == "Add."


def test_a_tool_says_what_it_is():
    @tool(timeout=2, title="Add up", read_only=True, icons="https://example.com/i.png")
    def add(a: int) -> int:
        """Add."""
        return a

    assert add(1) == 1
    assert add.timeout == 2
    assert add.hints == ToolHints(
        title="Add up", read_only=True, icons=({"src": "https://example.com/i.png"},)
    )


def test_a_functions_own_attributes_are_not_its_options():
    def add(a: int) -> int:
        """Add."""
        return a

    vars(add).update(timeout="mine", hints="mine", input="mine")
    assert (tool(add).timeout, tool(add).hints, tool(add).input) == (None, ToolHints(), None)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"timeout": 0}, "timeout is 0, so a positive number of seconds"),
        ({"timeout": float("inf")}, "timeout is inf"),
        ({"timeout": float("nan")}, "timeout is nan"),
        ({"timeout": True}, "timeout is True"),
        ({"timeout": "1"}, "timeout is '1'"),
        ({"title": " "}, "title is ' ', so words"),
        ({"title": 3}, "title is 3"),
        ({"read_only": "yes"}, "read_only is 'yes', so True or False"),
        ({"open_world": 1}, "open_world is 1"),
        ({"read_only": True, "destructive": True}, "are both True"),
        ({"icons": ["icon.png"]}, "an icon is at 'icon.png'"),
        ({"icons": [{"href": "https://x"}]}, "an icon is at None"),
        ({"icons": "javascript:alert(1)"}, "an icon is at 'javascript:alert(1)'"),
    ],
)
def test_an_option_that_cannot_be_one_is_told(options: Any, said: str):
    with pytest.raises((TypeError, ValueError)) as caught:
        tool(**options)
    assert said in str(caught.value)


async def test_an_async_tool_with_a_context_can_be_called_by_its_own_tests():
    @tool
    async def who(ctx: ToolContext) -> Any:
        """Who."""
        await ctx.progress(1)
        return ctx.principal

    from litro.definitions import ToolSession

    context = ToolContext(session=ToolSession("s1", 1), call_id="c1", principal="ann")
    assert await who(context) == "ann"


def test_only_functions_are_tools():
    with pytest.raises(TypeError, match="is not a function"):
        tool(7)  # type: ignore[call-overload]


def test_keys_and_headers_stay_out_of_reprs():
    from litro.providers import anthropic, openai_compatible

    for provider in (
        openai_compatible("m", api_key="sk-secret", headers={"x-auth": "sk-secret"}),
        anthropic("m", api_key="sk-secret"),
    ):
        assert "sk-secret" not in repr(provider) + repr(Agent(provider))


@pytest.mark.parametrize(
    ("principal", "owner"), [(None, None), ("u7", "u7"), ({"id": "u7", "role": "x"}, "u7")]
)
def test_a_session_is_owned_by_a_string(principal: Any, owner: Any):
    assert owner_of(principal) == owner


@pytest.mark.parametrize("principal", [7, "", {"id": 7}, {"name": "x"}, True, ["u7"], "\ud800"])
def test_a_principal_that_can_own_nothing_is_refused(principal: Any):
    with pytest.raises(TypeError, match="a non-empty string, a mapping"):
        owner_of(principal)
