"""How users test their agents."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from litro import AgentError, ToolContext
from litro.errors import ProjectError
from litro.providers import call
from litro.providers.base import ResultsMessage
from litro.testing import running

PROJECT = Path(__file__).parents[2] / "src" / "litro" / "scaffold" / "project"


def asks(request: Any, turn: int) -> list[Any]:
    if isinstance(request.messages[-1], ResultsMessage):
        return ["Warm."]
    return ["Hm. ", call("get-weather", city="Rome")]


async def test_a_turn_is_told_in_the_words_that_tests_ask_in():
    async with running(PROJECT, model=asks) as project:
        turn = await project.agent("demo").send("Weather in Rome?")
    assert turn.status == "completed"
    assert turn.text == "Hm. Warm."
    assert turn.calls == [("get-weather", {"city": "Rome"})]
    assert turn.results == [{"city": "Rome", "temp_c": 21, "summary": "sunny"}]
    assert "Rome" in turn.cards[0].html
    assert turn.errors == []
    assert len(turn.requests) == 2
    assert "weather-card" not in repr(turn.requests)


async def test_a_session_goes_on_and_leaves_nothing_in_the_project(tmp_path: Path):
    async with running(PROJECT, model=asks) as project:
        agent = project.agent("demo")
        await agent.send("One")
        second = await agent.send("Two")
        other = await agent.send("Three", session="other")
    assert [len(turn.requests[0].messages) for turn in (second, other)] == [5, 1]


@pytest.mark.parametrize(
    ("stub", "results", "errors"),
    [
        ({"temp_c": -3}, [{"temp_c": -3}], []),
        (lambda city: {"city": city.upper()}, [{"city": "ROME"}], []),
        (AgentError("No such city."), [], ["No such city."]),
    ],
)
async def test_a_tool_can_be_stubbed(stub: Any, results: list[Any], errors: list[str]):
    async with running(PROJECT, model=asks, tools={"get-weather": stub}) as project:
        turn = await project.agent("demo").send("Weather?")
    assert turn.results == results
    assert [error["message"] for error in turn.errors] == errors


async def test_a_stub_s_input_is_checked_by_the_real_schema():
    def asks_wrongly(request: Any, turn: int) -> list[Any]:
        done = isinstance(request.messages[-1], ResultsMessage)
        return ["Hm."] if done else [call("get-weather", city="")]

    async with running(PROJECT, model=asks_wrongly, tools={"get-weather": 1}) as project:
        turn = await project.agent("demo").send("Weather?")
    assert [error["type"] for error in turn.errors] == ["invalid-input"]


def write(project: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return project


AGENT = "from litro import Agent\nagent = Agent('openai:gpt-5')\n"
TOOL = "from litro import tool, ToolContext\nfrom shop import price\n\n@tool\ndef ask(ctx: ToolContext, what: str):\n    'Ask.'\n    return price(what)\n"


async def test_no_test_calls_a_model_server(tmp_path: Path):
    async with running(write(tmp_path, {"agents/a/agent.py": AGENT})) as project:
        turn = await project.agent("a").send("Hi")
    assert turn.status == "failed"
    assert "tests call none. Script it" in turn.errors[0]["message"]


async def test_a_tool_with_a_context_imports_from_the_project_and_can_be_stubbed(tmp_path: Path):
    files = {"agents/a/agent.py": AGENT, "agents/a/tools/ask.py": TOOL, "shop.py": "price = len\n"}
    project_folder = write(tmp_path, files)

    def script(request: Any, turn: int) -> list[Any]:
        done = isinstance(request.messages[-1], ResultsMessage)
        return ["ok"] if done else [call("ask", what="tea")]

    async def with_context(what: str, ctx: ToolContext) -> str:
        return f"{what} in {ctx.session.id}"

    path = list(sys.path)
    for stub, answer in ((None, 3), (with_context, "tea in test"), (lambda what: what, "tea")):
        tools = {} if stub is None else {"ask": stub}
        async with running(project_folder, model=script, tools=tools) as project:
            turn = await project.agent("a").send("Price?")
        assert turn.results == [answer]
    assert sys.path == path


async def test_mistakes_are_told(tmp_path: Path):
    with pytest.raises(KeyError, match=r"no agent has the tools \['nope'\]"):
        async with running(PROJECT, tools={"nope": 1}):
            pass
    async with running(PROJECT) as project:
        with pytest.raises(KeyError, match="no agent 'dmeo', only"):
            project.agent("dmeo")
    with pytest.raises(ProjectError, match=r"agent\.py:1"):
        async with running(write(tmp_path, {"agents/a/agent.py": "1/0\n"})):
            pass


async def test_the_app_of_a_running_project_answers_requests_in_process():
    import httpx2

    async with running(PROJECT, model=asks) as project:
        transport = httpx2.ASGITransport(app=project.app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
            answer = await client.get("/__litro/agent/demo/nobody")
    assert answer.status_code == 200


PLUGIN_TEST = """
import pytest

pytestmark = pytest.mark.anyio

async def test_it(litro_project):
    async with litro_project(model=lambda request, turn: ["Hello."]) as project:
        turn = await project.agent("a").send("Hi")
    assert turn.text == "Hello."
"""


def test_the_plugin_gives_the_project_to_plain_pytest(tmp_path: Path):
    write(
        tmp_path,
        {"agents/a/agent.py": AGENT, "tests/test_a.py": PLUGIN_TEST, "pytest.ini": "[pytest]\n"},
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert "1 passed" in done.stdout, done.stdout + done.stderr
