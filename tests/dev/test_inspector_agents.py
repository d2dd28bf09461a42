"""What the inspector tells of agents: what they are, and what is wrong with them; no key of theirs."""

from pathlib import Path
from typing import Any

from inspecting import BROKEN, KEY, REAL, TOKEN, developed


def named(project: Any, name: str) -> Any:
    (agent,) = [agent for agent in project["agents"] if agent["name"] == name]
    return agent


async def test_an_agent_is_told_with_its_model_instructions_tools_and_settings(tmp_path: Path):
    async with developed(tmp_path) as inspector:
        project = await inspector.load("/agents")
    demo = named(project, "demo")
    assert demo["status"] == "ok"
    assert demo["model"] == {"provider": "scripted", "name": None}
    assert demo["instructions"] == {"kind": "text", "text": "Be exact."}
    assert demo["mcp"] == "/__litro/mcp/demo"
    assert demo["settings"]["max_rounds"] == 4
    add, show = demo["tools"]
    assert (add["name"], add["description"], add["timeout"]) == ("add", "Add two numbers.", 5)
    assert add["input_schema"]["properties"]["a"]["type"] == "integer"
    assert add["place"] == "agents/demo/tools/add.py:4"
    assert (show["app"], show["visibility"]) == (None, ["model", "app"])
    guarded = named(project, "guarded")
    assert guarded["instructions"] == {"kind": "callable", "name": "words"}
    assert (guarded["guard"], guarded["settings"]["on_busy"]) == ("guard", "queue")


async def test_a_broken_agent_is_told_with_its_traceback_and_the_others_as_they_are(tmp_path: Path):
    async with developed(tmp_path, {"agents/broken/agent.py": BROKEN}) as inspector:
        project = await inspector.load("/agents")
    broken = named(project, "broken")
    assert (broken["status"], broken["model"], broken["tools"]) == ("broken", None, [])
    (problem,) = broken["problems"]
    assert problem["place"] == "agents/broken/agent.py:4"
    assert "Traceback" in problem["detail"]
    assert "1 / 0" in problem["detail"]
    assert named(project, "demo")["status"] == "ok"
    assert project["problems"] == []


async def test_an_edit_that_breaks_an_agent_is_told_while_its_last_good_version_is_served(
    tmp_path: Path,
):
    async with developed(tmp_path) as inspector:
        (tmp_path / "agents/demo/agent.py").write_text("agent = nothing\n")
        await inspector.app.reload()
        project = await inspector.load("/agents")
    demo = named(project, "demo")
    assert demo["status"] == "stale"
    assert "nothing" in demo["problems"][0]["text"]
    assert [tool["name"] for tool in demo["tools"]] == ["add", "show"]
    assert named(project, "guarded")["problems"] == []


async def test_a_shared_file_that_breaks_is_told_with_every_agent_that_it_breaks(tmp_path: Path):
    shared = {
        "agents/_shared/words.py": "WORD = 1\n",
        "agents/user/agent.py": "from .._shared.words import WORD\n" + REAL,
    }
    async with developed(tmp_path, shared) as inspector:
        (tmp_path / "agents/_shared/words.py").write_text("1 / 0\n")
        await inspector.app.reload()
        project = await inspector.load("/agents")
    assert named(project, "user")["problems"][0]["place"] == "agents/_shared/words.py:1"
    assert named(project, "demo")["problems"] == []


async def test_no_answer_has_a_key_or_a_token(tmp_path: Path):
    more = {"agents/broken/agent.py": BROKEN, "agents/real/agent.py": REAL.replace("PORT", "1")}
    async with developed(tmp_path, more) as inspector:
        answer = await inspector.get("/api/agents")
        await inspector.say("hello", agent="real")
        path = "/api/sessions/real/s1"
        answers = [
            answer,
            await inspector.get("/api/sessions"),
            await inspector.get(f"{path}/events?follow=false"),
            await inspector.get(f"{path}/turns/1/requests"),
        ]
    assert named(answer.json(), "real")["model"] == {"provider": "127.0.0.1:1", "name": "small"}
    for one in answers:
        assert one.status_code == 200
        assert KEY not in one.text
        assert TOKEN not in one.text
