"""One request that OpenAI's API takes and one that it refuses, for each rule."""

import json
from typing import Any

import pytest

from litro.testing import check_chat_request

USER = {"role": "user", "content": "hi"}
TOOL = {
    "type": "function",
    "function": {"name": "get-weather", "description": "", "parameters": {"type": "object"}},
}


def body(*messages: Any, **fields: Any) -> dict[str, Any]:
    return {"model": "m", "messages": list(messages) or [USER]} | fields


def call(id: Any = "c1", name: Any = "get-weather", arguments: Any = "{}") -> dict[str, Any]:  # noqa: A002
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def asks(*calls: Any, content: Any = None) -> dict[str, Any]:
    return {"role": "assistant", "content": content, "tool_calls": list(calls)}


def result(id: Any = "c1", content: Any = "sunny") -> dict[str, Any]:  # noqa: A002
    return {"role": "tool", "tool_call_id": id, "content": content}


def tool(name: Any = "x", parameters: Any = None) -> dict[str, Any]:
    function = {"name": name, "parameters": parameters or {"type": "object"}}
    return {"type": "function", "function": function}


def said(content: Any, role: str = "assistant") -> dict[str, Any]:
    return {"role": role, "content": content}


def called(made: dict[str, Any]) -> dict[str, Any]:
    return body(USER, asks(made), result(made["id"]))


TWO = asks(call("c1"), call("c2"))

RULES = {
    "a body is an object": (body(), [], "body: it is"),
    "numbers are finite": (body(seed=1.5), body(seed=float("nan")), "seed: it is nan"),
    "text is well-formed": (
        body(said("😀", "user")),
        body(said("\ud83d", "user")),
        r"messages\[0\].content: .* half of a character",
    ),
    "keys are well-formed": (body(x={"a": 1}), body(x={"\ud83d": 1}), "half of a character"),
    "values are JSON": (body(x=[None, True]), body(x=[b"1"]), r"x\[0\]: it is a bytes"),
    "there is a model": (body(), body(model=""), "model: it is ''"),
    "there are messages": (body(), body(messages=[]), "messages: it is"),
    "roles are known": (
        body(said("a", "developer"), USER),
        body(said("a", "function"), USER),
        r"messages\[0\].role: it is 'function'",
    ),
    "content is not empty": (
        body(said("a", "user")),
        body(said("", "user")),
        r"messages\[0\].content",
    ),
    "parts are not empty": (
        body(said([{"type": "text", "text": "a"}], "user")),
        body(said([{"type": "text", "text": ""}], "user")),
        r"messages\[0\].content\[0\].text",
    ),
    "there are parts": (body(), body(said([], "user")), r"content: it is \[\]"),
    "content is null beside calls only": (
        body(USER, asks(call()), result()),
        body(USER, said(None)),
        r"messages\[1\].content: it is None",
    ),
    "content beside calls is not empty": (
        body(USER, asks(call(), content="a"), result()),
        body(USER, asks(call(), content=""), result()),
        r"messages\[1\].content: it is ''",
    ),
    "results are not empty": (
        body(USER, asks(call()), result(content="(empty)")),
        body(USER, asks(call()), result(content="")),
        r"messages\[2\].content",
    ),
    "calls are not an empty array": (
        body(USER, said("a")),
        body(USER, asks(content="a")),
        r"messages\[1\].tool_calls: it is \[\]",
    ),
    "calls are functions": (
        called(call()),
        called(call() | {"type": None}),
        r"tool_calls\[0\].type: it is None",
    ),
    "a call has an id": (called(call("c1")), called(call("")), r"tool_calls\[0\].id: it is ''"),
    "an id is short": (called(call("c" * 40)), called(call("c" * 41)), "41 characters"),
    "ids are unique in a message": (
        body(USER, TWO, result("c1"), result("c2")),
        body(USER, asks(call(), call()), result(), result()),
        "'c1' is there twice",
    ),
    "ids are unique in the history": (
        body(USER, asks(call("c1")), result("c1"), asks(call("c2")), result("c2")),
        body(USER, asks(call("c1")), result("c1"), asks(call("c1")), result("c1")),
        r"messages\[3\].tool_calls\[0\].id: the id 'c1' is there twice",
    ),
    "a call's name has the pattern": (
        called(call(name="get-weather_2")),
        called(call(name="get weather")),
        r"function.name: the name 'get weather' does not match",
    ),
    "a call's name is short": (
        called(call(name="x" * 64)),
        called(call(name="x" * 65)),
        "does not match",
    ),
    "arguments are text": (
        called(call(arguments='{"a":1}')),
        called(call(arguments={"a": 1})),
        r"arguments: it is {'a': 1}",
    ),
    "arguments are JSON": (called(call()), called(call(arguments='{"a":')), "is not JSON"),
    "arguments are an object": (
        called(call(arguments="{}")),
        called(call(arguments="[]")),
        r"arguments: it is \[\]",
    ),
    "arguments are finite": (called(call()), called(call(arguments='{"a":NaN}')), "it is nan"),
    "a result has its call": (
        body(USER, asks(call()), result()),
        body(USER, said("a"), result()),
        r"messages\[2\].tool_call_id: no call 'c1' is in the message before",
    ),
    "a result is its call's": (
        body(USER, asks(call()), result()),
        body(USER, asks(call()), result("c2")),
        "no call 'c2'",
    ),
    "a call has its result": (
        body(USER, TWO, result("c1"), result("c2"), USER),
        body(USER, TWO, result("c1"), USER),
        r"messages\[3\]: no result of 'c2'",
    ),
    "the last call has its result": (
        body(USER, asks(call()), result()),
        body(USER, asks(call())),
        "the end of messages: no result of 'c1'",
    ),
    "a call has one result": (
        body(USER, TWO, result("c1"), result("c2")),
        body(USER, TWO, result("c1"), result("c1"), result("c2")),
        "second result",
    ),
    "results are in call order": (
        body(USER, TWO, result("c1"), result("c2")),
        body(USER, TWO, result("c2"), result("c1")),
        "'c2' comes before 'c1'",
    ),
    "results follow their calls directly": (
        body(USER, asks(call()), result(), said("a")),
        body(USER, asks(call()), said("a"), result()),
        r"messages\[2\]: no result of 'c1'",
    ),
    "tools are not an empty array": (body(tools=[TOOL]), body(tools=[]), r"tools: it is \[\]"),
    "tools are few": (
        body(tools=[tool(f"t{n}") for n in range(128)]),
        body(tools=[tool(f"t{n}") for n in range(129)]),
        "there are 129",
    ),
    "tools are functions": (
        body(tools=[TOOL]),
        body(tools=[{"name": "x", "input_schema": {}}]),
        r"tools\[0\].type: it is None",
    ),
    "a tool's name has the pattern": (
        body(tools=[tool("a-b_C1")]),
        body(tools=[tool("a.b")]),
        r"tools\[0\].function.name",
    ),
    "names are unique": (
        body(tools=[tool("a"), tool("b")]),
        body(tools=[tool("a"), tool("a")]),
        "'a' is there twice",
    ),
    "a schema is an object": (
        body(tools=[tool()]),
        body(tools=[tool(parameters={"type": "array"})]),
        r"parameters.type: it is 'array'",
    ),
    "a schema has no composition at the top": (
        body(tools=[tool(parameters={"type": "object", "properties": {"a": {"anyOf": []}}})]),
        body(tools=[tool(parameters={"type": "object", "anyOf": []})]),
        "'anyOf' stands at the top level",
    ),
    "a schema is no reference": (
        body(tools=[tool(parameters={"type": "object", "$defs": {}})]),
        body(tools=[tool(parameters={"type": "object", "$ref": "#/$defs/a"})]),
        "ref' stands at the top level",
    ),
    "a choice needs tools": (
        body(tools=[TOOL], tool_choice="required"),
        body(tool_choice="required"),
        "tool_choice: it is 'required' where there are no tools",
    ),
    "parallel calls need tools": (
        body(tools=[TOOL], parallel_tool_calls=False),
        body(parallel_tool_calls=False),
        "parallel_tool_calls",
    ),
    "a chosen tool is one of them": (
        body(tools=[tool("x")], tool_choice={"type": "function", "function": {"name": "x"}}),
        body(tools=[tool("x")], tool_choice={"type": "function", "function": {"name": "y"}}),
        "'y' is none of the tools",
    ),
    "temperature has a range": (
        body(temperature=2),
        body(temperature=2.1),
        "temperature: it is 2.1, so a number from 0 to 2",
    ),
    "top_p has a range": (body(top_p=0.5), body(top_p=-0.5), "top_p: it is -0.5"),
    "a limit is positive": (body(max_tokens=1), body(max_tokens=0), "max_tokens: it is 0"),
    "there is one limit": (
        body(max_completion_tokens=1),
        body(max_completion_tokens=1, max_tokens=1),
        "one of the two",
    ),
    "stream options need a stream": (
        body(stream=True, stream_options={"include_usage": True}),
        body(stream_options={"include_usage": True}),
        "stream_options",
    ),
    "stops are few": (body(stop=list("abcd")), body(stop=list("abcde")), "stop: it has 5"),
    "stops are not empty": (body(stop="a"), body(stop=[""]), "stop: it is ''"),
}


@pytest.mark.parametrize("rule", RULES)
def test_what_openai_takes_passes_and_what_it_refuses_fails(rule: str) -> None:
    good, bad, sentence = RULES[rule]
    check_chat_request(good)
    with pytest.raises(AssertionError, match=sentence) as failure:
        check_chat_request(bad)
    assert str(failure.value).endswith(" is required.")


def test_a_whole_conversation_passes_as_it_comes_off_the_wire() -> None:
    check_chat_request(
        json.loads(
            json.dumps(
                body(
                    said("Be brief.", "system"),
                    USER,
                    asks(call("c1"), call("c2", arguments='{"city":"Rome"}'), content="Looking."),
                    result("c1"),
                    result("c2", '{"error":{"type":"failed"}}'),
                    said("Sunny."),
                    said("Thanks", "user"),
                    tools=[TOOL],
                    stream=True,
                    stream_options={"include_usage": True},
                )
            )
        )
    )
