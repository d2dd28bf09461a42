"""One request that Anthropic's API takes and one that it refuses, for each rule."""

from typing import Any

import pytest

from litro.testing import check_messages_request

USER = {"role": "user", "content": "hi"}


def body(*messages: Any, **fields: Any) -> dict[str, Any]:
    return {"model": "m", "max_tokens": 9, "messages": list(messages) or [USER]} | fields


def user(*content: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(content)}


def said(*content: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(content)}


def text(text: Any = "a", **fields: Any) -> dict[str, Any]:
    return {"type": "text", "text": text} | fields


def call(id: Any = "c1", name: Any = "x", input: Any = None) -> dict[str, Any]:  # noqa: A002
    return {"type": "tool_use", "id": id, "name": name, "input": {} if input is None else input}


def result(id: Any = "c1", content: Any = "sunny") -> dict[str, Any]:  # noqa: A002
    return {"type": "tool_result", "tool_use_id": id, "content": content}


def called(made: dict[str, Any]) -> dict[str, Any]:
    return body(USER, said(made), user(result(made["id"])))


def tool(name: Any = "x", schema: Any = None) -> dict[str, Any]:
    return {"name": name, "input_schema": schema or {"type": "object"}}


def without(key: str) -> dict[str, Any]:
    return {k: v for k, v in body().items() if k != key}


THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "SIG=="}
HIDDEN = {"type": "redacted_thinking", "data": "ENC"}
TWO = said(call("c1"), call("c2"))
CACHE = {"cache_control": {"type": "ephemeral"}}
THINKS = {"thinking": {"type": "enabled", "budget_tokens": 1024}, "max_tokens": 2048}

RULES = {
    "numbers are finite": (body(top_k=1), body(x=float("inf")), "x: it is inf"),
    "text is well-formed": (
        body(user(text("😀"))),
        body(user(text("\udc00"))),
        r"messages\[0\].content\[0\].text: .* half of a character",
    ),
    "there is a model": (body(), without("model"), "model: it is None"),
    "there is a limit": (body(), without("max_tokens"), "max_tokens: it is None"),
    "the limit is positive": (body(max_tokens=1), body(max_tokens=0), "max_tokens: it is 0"),
    "there are messages": (body(), body(messages=[]), r"messages: it is \[\]"),
    "the first message is the user's": (
        body(USER, said(text())),
        body(said(text()), USER),
        r"messages\[0\].role: it is 'assistant'",
    ),
    "roles alternate": (
        body(USER, said(text()), USER),
        body(USER, USER),
        r"messages\[1\].role: it is 'user'",
    ),
    "roles are known": (
        body(USER, system="a"),
        body({"role": "system", "content": "a"}, USER),
        "it is 'system'",
    ),
    "no message is empty": (body(user(text())), body(user()), r"messages\[0\].content: it is \[\]"),
    "no message is an empty string": (
        body(USER, said(text()), USER),
        body(USER, {"role": "assistant", "content": ""}, USER),
        r"messages\[1\].content",
    ),
    "no text is empty": (body(user(text("a"))), body(user(text(""))), r"content\[0\].text: it is ''"),
    "no text is whitespace": (
        body(USER, said(text(" a\n")), USER),
        body(USER, said(text(" \n")), USER),
        "whitespace only",
    ),
    "the system prompt has text": (body(system="a"), body(system=" "), "system: ' ' is whitespace"),
    "the system's blocks have text": (
        body(system=[text()]),
        body(system=[text("")]),
        r"system\[0\].text",
    ),
    "the final answer ends without whitespace": (
        body(USER, said(text("a "), text("b"))),
        body(USER, said(text("b "))),
        r"messages\[1\].content\[0\]: 'b ' ends the final",
    ),
    "a call has an id": (called(call("c1")), called(call("")), r"content\[0\].id: it is ''"),
    "an id has the pattern": (called(call("c_1-A")), called(call("f:0")), "'f:0' does not match"),
    "ids are unique in a message": (
        body(USER, TWO, user(result("c1"), result("c2"))),
        body(USER, said(call(), call()), user(result(), result())),
        "'c1' is there twice",
    ),
    "ids are unique in the history": (
        body(USER, said(call("a")), user(result("a")), said(call("b")), user(result("b"))),
        body(USER, said(call("a")), user(result("a")), said(call("a")), user(result("a"))),
        r"messages\[3\].content\[0\].id: the id 'a' is there twice",
    ),
    "a call's name has the pattern": (
        called(call(name="a-b")),
        called(call(name="a/b")),
        r"content\[0\].name: the name 'a/b'",
    ),
    "an input is an object": (
        called(call(input={"a": 1})),
        called(call(input="{}")),
        r"content\[0\].input: it is '{}'",
    ),
    "calls are the assistant's": (body(USER), body(user(text(), call())), "a user's tool_use"),
    "thinking is the assistant's": (body(USER), body(user(THOUGHT)), "a user's thinking"),
    "results are the user's": (
        body(USER, said(call()), user(result())),
        body(USER, said(call(), result())),
        "a tool_result of the assistant",
    ),
    "a result has its call": (
        body(USER, said(call()), user(result())),
        body(user(result())),
        r"messages\[0\].content\[0\].tool_use_id: no call 'c1'",
    ),
    "a result comes in the very next message": (
        body(USER, said(call()), user(result(), text())),
        body(USER, said(call()), USER, said(text()), user(result())),
        r"messages\[2\]: no result of 'c1'",
    ),
    "every call has its result": (
        body(USER, TWO, user(result("c1"), result("c2"))),
        body(USER, TWO, user(result("c1"))),
        r"messages\[2\]: no result of 'c2'",
    ),
    "the last call has its result": (
        body(USER, said(call()), user(result())),
        body(USER, said(call())),
        "the end of messages: no result of 'c1'",
    ),
    "a call has one result": (
        body(USER, said(call()), user(result())),
        body(USER, said(call()), user(result(), result())),
        "second result",
    ),
    "results are in call order": (
        body(USER, TWO, user(result("c1"), result("c2"))),
        body(USER, TWO, user(result("c2"), result("c1"))),
        "'c2' comes before 'c1'",
    ),
    "results come before text": (
        body(USER, said(call()), user(result(), text())),
        body(USER, said(call()), user(text(), result())),
        r"content\[1\]: it stands after another block",
    ),
    "a result's content is not empty": (
        body(USER, said(call()), user({"type": "tool_result", "tool_use_id": "c1"})),
        body(USER, said(call()), user(result(content=""))),
        r"content\[0\].content",
    ),
    "a result's blocks are not empty": (
        body(USER, said(call()), user(result(content=[text()]))),
        body(USER, said(call()), user(result(content=[text("")]))),
        r"content\[0\].content\[0\].text",
    ),
    "thinking has its signature": (
        body(USER, said(THOUGHT, text()), USER),
        body(USER, said(THOUGHT | {"signature": ""}, text()), USER),
        r"content\[0\].signature",
    ),
    "thinking has its text": (
        body(USER, said(THOUGHT | {"thinking": ""}, text()), USER),
        body(USER, said({"type": "thinking", "signature": "S"}, text()), USER),
        r"content\[0\].thinking: it is None",
    ),
    "redacted thinking has its data": (
        body(USER, said(HIDDEN, text()), USER),
        body(USER, said({"type": "redacted_thinking"}, text()), USER),
        r"content\[0\].data",
    ),
    "thinking is first": (
        body(USER, said(THOUGHT, HIDDEN, text(), THOUGHT, call()), user(result())),
        body(USER, said(text(), THOUGHT, call()), user(result())),
        "begins with 'text'",
    ),
    "thinking is not last": (
        body(USER, said(THOUGHT, text()), USER),
        body(USER, said(THOUGHT), USER),
        "'thinking' is last",
    ),
    "thinking is not cached": (
        body(USER, said(THOUGHT, text(**CACHE)), USER),
        body(USER, said(THOUGHT | CACHE, text()), USER),
        "it has a cache_control",
    ),
    "a budget is large enough": (
        body(**THINKS),
        body(thinking={"type": "enabled", "budget_tokens": 1023}, max_tokens=2048),
        "budget_tokens: it is 1023",
    ),
    "a budget is below the limit": (
        body(**THINKS),
        body(**THINKS | {"max_tokens": 1024}),
        "1024 is not below max_tokens",
    ),
    "thinking has its own temperature": (
        body(**THINKS, temperature=1),
        body(**THINKS, temperature=0),
        "it is 0 beside thinking",
    ),
    "calls begin with thinking while it is enabled": (
        body(USER, said(THOUGHT, call()), user(result()), **THINKS),
        body(USER, said(call()), user(result()), **THINKS),
        r"messages\[1\].content\[0\]: it is 'tool_use' while thinking",
    ),
    "tools are not an empty array": (body(tools=[tool()]), body(tools=[]), r"tools: it is \[\]"),
    "a tool's name has the pattern": (
        body(tools=[tool("a-b")]),
        body(tools=[tool("x" * 65)]),
        r"tools\[0\].name",
    ),
    "names are unique": (
        body(tools=[tool("a"), tool("b")]),
        body(tools=[tool("a"), tool("a")]),
        "'a' is there twice",
    ),
    "a schema is an object": (
        body(tools=[tool(), {"type": "web_search_20250305", "name": "web_search"}]),
        body(tools=[{"name": "x"}]),
        r"tools\[0\].input_schema: it is None",
    ),
    "a schema has no composition at the top": (
        body(tools=[tool(schema={"type": "object", "properties": {"a": {"oneOf": []}}})]),
        body(tools=[tool(schema={"type": "object", "oneOf": []})]),
        "'oneOf' stands at the top level",
    ),
    "a schema is no reference": (
        body(tools=[tool(schema={"type": "object"})]),
        body(tools=[tool(schema={"$ref": "#/$defs/a"})]),
        "input_schema.type: it is None",
    ),
    "a choice needs tools": (
        body(tools=[tool()], tool_choice={"type": "any"}),
        body(tool_choice={"type": "any"}),
        "where there are no tools",
    ),
    "a choice is known": (
        body(tools=[tool()], tool_choice={"type": "auto"}),
        body(tools=[tool()], tool_choice={"type": "required"}),
        "tool_choice.type: it is 'required'",
    ),
    "a chosen tool is one of them": (
        body(tools=[tool("x")], tool_choice={"type": "tool", "name": "x"}),
        body(tools=[tool("x")], tool_choice={"type": "tool", "name": "y"}),
        "'y' is none of the tools",
    ),
    "temperature has a range": (body(temperature=1), body(temperature=1.5), "from 0 to 1 is"),
    "top_p has a range": (body(top_p=1), body(top_p=1.5), "top_p: it is 1.5"),
    "top_k is whole": (body(top_k=0), body(top_k=0.5), "top_k: it is 0.5"),
    "stops have text": (
        body(stop_sequences=["a\n"]),
        body(stop_sequences=["\n"]),
        r"stop_sequences\[0\]",
    ),
    "breakpoints are few": (
        body(
            user(*[text(**CACHE)] * 2), system=[text(**CACHE)], tools=[tool() | CACHE]
        ),
        body(
            user(*[text(**CACHE)] * 3), system=[text(**CACHE)], tools=[tool() | CACHE]
        ),
        "cache_control: it is there 5 times",
    ),
}  # fmt: skip


@pytest.mark.parametrize("rule", RULES)
def test_what_anthropic_takes_passes_and_what_it_refuses_fails(rule: str) -> None:
    good, bad, sentence = RULES[rule]
    check_messages_request(good)
    with pytest.raises(AssertionError, match=sentence) as failure:
        check_messages_request(bad)
    assert str(failure.value).endswith(" is required.")


def test_an_input_may_have_a_key_that_is_a_breakpoint_elsewhere() -> None:
    check_messages_request(called(call(input={"content": [CACHE] * 9})))
