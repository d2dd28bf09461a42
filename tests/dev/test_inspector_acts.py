"""What the inspector does: say a turn once more in a fork, and call a tool by hand."""

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from inspecting import Open, developed


@pytest.fixture
async def inspector(tmp_path: Path) -> AsyncIterator[Open]:
    async with developed(tmp_path) as inspector:
        yield inspector


def said(events: list[dict[str, Any]]) -> list[str]:
    return [event["payload"]["text"] for event in events if event["kind"] == "message"]


async def heard(
    inspector: Open, session: str, turn: int, *, agent: str = "demo"
) -> list[dict[str, Any]]:
    """A session's events, once the turn has ended."""
    events: list[dict[str, Any]] = []
    async with inspector.following(f"/api/sessions/{agent}/{session}/events") as stream:
        while not events or events[-1]["turn"] != turn:
            events += await stream.until("turn-end")
    return events


async def resend(inspector: Open, turn: int, content: Any, *, agent: str = "demo") -> Any:
    response = await inspector.post(f"/api/sessions/{agent}/s1/turns/{turn}/resend", content)
    assert response.status_code == 201, response.text
    return response.json()


async def test_a_turn_is_said_once_more_behind_what_came_before_it(inspector: Open):
    for text in ("one", "two", "three"):
        await inspector.say(text)
    before = await inspector.events("s1")
    made = await resend(inspector, 2, {})
    assert made["turn"] == 2
    events = await heard(inspector, made["session"], 2)
    assert said(events) == ["one", "Heard one.", "two", "Heard two."]
    assert await inspector.events("s1") == before


async def test_a_turn_is_said_in_other_words_and_its_owner_stays(inspector: Open):
    await inspector.say("one", agent="guarded", principal="ada")
    made = await resend(inspector, 1, {"text": "other"}, agent="guarded")
    events = await heard(inspector, made["session"], 1, agent="guarded")
    assert said(events) == ["other", "Be brief with ada."]
    page = await inspector.load("/sessions?agent=guarded")
    assert {s["owner"] for s in page["sessions"]} == {"ada"}


@pytest.mark.parametrize(
    ("turn", "content", "status", "kind"),
    [
        (1, {"text": " "}, 400, "invalid-body"),
        (1, {"text": 1}, 400, "invalid-body"),
        (1, {"words": "x"}, 400, "invalid-body"),
        (2, {}, 404, "unknown-turn"),
    ],
)
async def test_what_cannot_be_said_makes_no_session(
    inspector: Open, turn: int, content: Any, status: int, kind: str
):
    await inspector.say("one")
    refused = await inspector.post(f"/api/sessions/demo/s1/turns/{turn}/resend", content)
    assert (refused.status_code, refused.json()["type"]) == (status, kind)
    assert len((await inspector.load("/sessions"))["sessions"]) == 1


async def test_a_turn_of_an_agent_that_is_gone_is_refused_before_anything_is_made(inspector: Open):
    await inspector.say("one")
    (inspector.app.project / "agents/demo").rename(inspector.app.project / "agents/_demo")
    await inspector.app.reload()
    refused = await inspector.post("/api/sessions/demo/s1/turns/1/resend", {})
    assert (refused.status_code, refused.json()["type"]) == (404, "unknown-agent")


async def test_a_tool_called_by_hand_answers_as_in_a_turn(inspector: Open):
    (end,) = await inspector.call("add", {"input": {"a": 2, "b": 3}})
    assert (end["seq"], end["result"]) == (1, 5)
    assert isinstance(end["ms"], int)
    assert (await inspector.load("/sessions"))["sessions"] == []


async def test_a_card_called_by_hand_has_html_and_data_in_fields_of_their_own(inspector: Open):
    call = {"input": {"city": "Linz"}, "principal": {"id": "ada"}}
    progress, end = await inspector.call("show", call)
    assert progress == {"seq": 1, "progress": {"done": 1, "total": 2, "message": "half"}}
    assert end["ui"] == {
        "type": "ui",
        "html": "<b>for people</b>",
        "data": {"city": "Linz", "for": {"id": "ada"}, "in": "inspector"},
        "hydrate": {"tag": "x-card"},
    }


@pytest.mark.parametrize(
    ("tool", "given", "kind"),
    [
        ("add", {"a": "x", "b": 1}, "invalid-input"),
        ("add", None, "invalid-input"),
        ("show", {"city": "nowhere"}, "failed"),
    ],
)
async def test_a_call_that_fails_says_why_as_in_a_turn(
    inspector: Open, tool: str, given: Any, kind: str
):
    *_, end = await inspector.call(tool, {"input": given})
    assert end["error"]["type"] == kind
    assert end["error"]["message"]


@pytest.mark.parametrize(
    ("path", "content", "status", "kind"),
    [
        ("nobody/tools/add", {"input": {}}, 404, "unknown-agent"),
        ("demo/tools/none", {"input": {}}, 404, "unknown-tool"),
        ("demo/tools/add", {}, 400, "invalid-body"),
        ("demo/tools/add", {"input": {}, "principal": 7}, 400, "invalid-body"),
        ("demo/tools/add", [], 400, "invalid-body"),
    ],
)
async def test_a_call_that_cannot_be_made_is_refused(
    inspector: Open, path: str, content: Any, status: int, kind: str
):
    refused = await inspector.post(f"/api/agents/{path}/call", content)
    assert (refused.status_code, refused.json()["type"]) == (status, kind)


async def test_a_call_keeps_its_agents_modules_while_others_are_served(tmp_path: Path):
    slow = (
        "import asyncio\nfrom pathlib import Path\nfrom litro import tool\n@tool\nasync def slow():\n"
        '    """Wait, then import."""\n    here = Path(__file__).parent\n    (here / "reached").touch()\n'
        '    while not (here / "gate").exists():\n        await asyncio.sleep(0.01)\n'
        "    from ..late import WORD\n    return WORD\n"
    )
    more = {"agents/demo/tools/slow.py": slow, "agents/demo/late.py": "WORD = 'late'\n"}
    async with developed(tmp_path, more) as inspector:
        tools = tmp_path / "agents/demo/tools"
        task = asyncio.create_task(inspector.call("slow", {"input": {}}))
        while not (tools / "reached").exists():
            await asyncio.sleep(0.01)
        await inspector.app.reload()
        (tools / "gate").touch()
        (end,) = await task
        assert end["result"] == "late"
        # With the call's end its generation is forgotten.
        assert not [name for name in sys.modules if name.endswith(".demo.late")]
        served = (await inspector.app.start()).inspector
        assert served is not None
        assert served.in_use == []


@pytest.mark.parametrize("how", ["the page", "the server"])
async def test_a_call_is_stopped_when_either_side_leaves(tmp_path: Path, how: str):
    endless = (
        "import asyncio\nfrom pathlib import Path\nfrom litro import ToolContext, tool\n@tool\nasync def endless(ctx: ToolContext):\n"
        '    """Never end."""\n    try:\n        await ctx.progress(1)\n        await asyncio.Event().wait()\n'
        '    finally:\n        (Path(__file__).parent / "stopped").touch()\n'
    )
    async with developed(tmp_path, {"agents/demo/tools/endless.py": endless}) as inspector:
        path = "/api/agents/demo/tools/endless/call"
        async with inspector.following(path, {"input": {}}) as stream:
            assert await stream.until("progress") == [{"seq": 1, "progress": {"done": 1}}]
            if how == "the server":
                (await inspector.app.start()).streams.leave()
                assert await stream.until("bye") == [{"bye": {"next": 2}}]
        assert (tmp_path / "agents/demo/tools/stopped").exists()
