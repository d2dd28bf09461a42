"""What a host sees of an agent's tools before it calls any."""

from importlib import metadata
from typing import Any

import pytest
from mapping import serve

from litro import Tool, tool
from litro.mcp.agent import Limits, UnknownResource
from litro.mcp.pages import InvalidCursor


def named(name: str, doc: str = "Does it.", **options: Any) -> Tool[..., Any]:
    def function(city: str) -> None: ...

    function.__name__ = name
    function.__doc__ = doc
    return tool(**options)(function) if options else tool(function)


def test_a_plain_tool_is_listed_with_name_description_and_schema_alone():
    (listed,) = serve(named("weather")).tools()["tools"]
    assert listed == {
        "name": "weather",
        "description": "Does it.",
        "inputSchema": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
            "additionalProperties": False,
        },
    }


def test_what_an_author_says_of_a_tool_is_listed():
    declared = named(
        "wipe",
        title="Wipe the disk",
        read_only=False,
        destructive=True,
        idempotent=True,
        open_world=False,
        icons=[
            "https://example.com/i.png",
            {"src": "data:image/png;base64,AA==", "sizes": ["any"]},
        ],
    )
    (listed,) = serve(declared).tools()["tools"]
    assert listed["title"] == "Wipe the disk"
    assert listed["annotations"] == {
        "title": "Wipe the disk",
        "readOnlyHint": False,
        "destructiveHint": True,
        "idempotentHint": True,
        "openWorldHint": False,
    }
    assert listed["icons"] == [
        {"src": "https://example.com/i.png"},
        {"src": "data:image/png;base64,AA==", "sizes": ["any"]},
    ]


@pytest.mark.parametrize("size", [1, 2, 3, 6, 7, 100])
def test_pages_hold_every_tool_once_in_order(size: int):
    agent = serve(*(named(name) for name in "fbdace"), limits=Limits(page=size))
    names, cursor, pages = [], None, 0
    while cursor is not None or not pages:
        page = agent.tools(cursor)
        assert 0 < len(page["tools"]) <= size
        names += [listed["name"] for listed in page["tools"]]
        cursor, pages = page.get("nextCursor"), pages + 1
    assert names == list("abcdef")


def test_a_cursor_of_another_instance_is_good_where_tools_came_and_went():
    cursor = serve(named("a"), named("b"), named("c"), limits=Limits(page=2)).tools()["nextCursor"]
    page = serve(named("a"), named("bb"), named("d")).tools(cursor)
    assert [listed["name"] for listed in page["tools"]] == ["bb", "d"]


@pytest.mark.parametrize("cursor", ["", "?", "Zm9", "ä", "\ud800", "Zm9v=", "x" * 100_000, "/w=="])
def test_a_cursor_that_is_none_of_ours_is_refused(cursor: str):
    agent = serve(named("a"))
    for page in (agent.tools, agent.resources, agent.resource_templates, agent.prompts):
        if cursor == "":
            assert "nextCursor" not in page(cursor)
        else:
            with pytest.raises(InvalidCursor, match="Invalid cursor"):
                page(cursor)


def test_there_are_no_resources_templates_and_prompts():
    agent = serve(named("a"))
    assert agent.resources() == {"resources": []}
    assert agent.resource_templates() == {"resourceTemplates": []}
    assert agent.prompts() == {"prompts": []}
    for uri in ("ui://x", "file:///etc/passwd", "../../etc/passwd"):
        with pytest.raises(UnknownResource, match="Unknown resource"):
            agent.read(uri)


def test_instructions_are_served_on_request_only():
    assert serve(text="Be kind.").info() == {
        "name": "litro-demo",
        "title": "demo",
        "version": metadata.version("litro"),
    }
    asked = serve(text="Be kind.", version="1.2")
    assert asked.info()["version"] == "1.2"
    assert serve(text="Be kind.", instructions=True).info()["instructions"] == ("Be kind.")
    assert "instructions" not in serve(text=" \n", instructions=True).info()


def test_instructions_that_hosts_cannot_be_given_are_reported():
    computed = serve(text=lambda turn: "Be kind.", instructions=True)
    assert "instructions" not in computed.info()
    assert "are a function of a turn" in computed.reports[0]
    assert "2400 bytes" in serve(text="ä" * 1200, instructions=True).reports[0]
    assert serve(text="ä" * 1200).reports == ()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("get weather", "MCP advises"),
        ("wetter-für", "MCP advises"),
        ("", "MCP advises"),
        ("x" * 129, "MCP advises"),
        ("get.weather", "has a dot"),
        ("x" * 41, "41 characters"),
    ],
)
def test_an_odd_name_is_reported_and_served_as_written(name: str, said: str):
    agent = serve(named(name))
    (report,) = agent.reports
    assert said in report
    assert "served as written" in report
    assert agent.tools()["tools"][0]["name"] == name


def test_good_names_and_descriptions_are_not_reported():
    assert serve(named("get-weather_2"), named("x" * 40)).reports == ()


def test_a_long_description_is_reported():
    (report,) = serve(named("a", doc="ä" * 1100), named("b", doc="ä" * 1024)).reports
    assert "Tool 'a': the description has 2200 bytes" in report
