"""What the model saw: as it was sent where that is remembered, else made anew of the log, and which of both is said."""

import asyncio
from pathlib import Path
from typing import Any

import httpx2
import orjson
from inspecting import DEMO, REAL, Open, developed

from litro.app import Litro
from litro.dev.inspector.recorder import Recorder
from litro.providers import scripted
from litro.providers.base import ModelRequest, UserMessage
from litro.sessions.base import SessionKey, SessionMeta
from litro.turn.runner import Asked
from providers.loopback import serving, streams

SAID = (
    b'data: {"id":"1","model":"small","choices":[{"index":0,"delta":{"content":"Hello."},"finish_reason":"stop"}]}\n\n'
    b"data: [DONE]\n\n"
)


async def again(inspector: Open, turn: int, **of: str) -> Any:
    """The same turn's requests after a restart, which remembers none."""
    app = Litro(inspector.app.project, development=True, watch=False, signals=False)
    async with app.lifespan():
        return await Open(app, _client(app)).requests(turn, **of)


def _client(app: Litro) -> Any:
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://localhost:8000")


class Listening:
    """A provider that remembers what it got."""

    name = "scripted"

    def __init__(self, model: Any) -> None:
        self.got: list[ModelRequest] = []
        self._model = model

    def stream(self, request: ModelRequest) -> Any:
        self.got.append(request)
        return self._model.stream(request)


async def test_each_round_is_told_as_the_provider_got_it(tmp_path: Path):
    async with developed(tmp_path) as inspector:
        agent = (await inspector.app.start()).conversations.agents["demo"].agent
        agent.model = model = Listening(agent.model)
        await inspector.say("add")
        told = await inspector.requests(1)
    assert [(r["round"], r["source"]) for r in told["rounds"]] == [(1, "recorded"), (2, "recorded")]
    for round_, request in zip(told["rounds"], model.got, strict=True):
        assert round_["request"]["system"] == request.system == "Be exact."
        assert [t["name"] for t in round_["request"]["tools"]] == [t.name for t in request.tools]
        assert len(round_["request"]["messages"]) == len(request.messages)
    assert told["rounds"][1]["request"]["messages"] == [
        {"role": "user", "text": "add"},
        {
            "role": "assistant",
            "text": "Adding. ",
            "calls": [{"id": "t1c1", "name": "add", "input": {"a": 1, "b": 2}}],
        },
        {
            "role": "results",
            "results": [{"id": "t1c1", "name": "add", "content": "3", "failed": False}],
        },
    ]
    assert told["rounds"][0]["body"] is None
    assert told["notes"] == []


async def test_the_providers_own_body_is_what_its_server_got_without_secrets(tmp_path: Path):
    async with serving(streams(SAID)) as server:
        port = server.url.rpartition(":")[2]
        async with developed(
            tmp_path, {"agents/real/agent.py": REAL.replace("PORT", port)}
        ) as inspector:
            await inspector.say("hello", agent="real")
            (only,) = (await inspector.requests(1, agent="real"))["rounds"]
        (asked,) = server.asked
    assert only["model"] == {"provider": server.url.removeprefix("http://"), "name": "small"}
    assert only["body"] == {**asked.body, "password": "…"}
    assert only["at"] > 0


async def test_after_a_restart_requests_are_made_anew_of_the_log_and_say_so(tmp_path: Path):
    async with developed(tmp_path) as inspector:
        await inspector.say("add")
        await inspector.say("more")
        recorded = [await inspector.requests(turn) for turn in (1, 2)]
        rebuilt = [await again(inspector, turn) for turn in (1, 2)]
    for was, now in zip(recorded, rebuilt, strict=True):
        assert [r["source"] for r in now["rounds"]] == ["rebuilt"] * len(was["rounds"])
        assert [r["request"] for r in now["rounds"]] == [r["request"] for r in was["rounds"]]
        assert {r["at"] for r in now["rounds"]} == {None}


async def test_what_is_made_anew_has_todays_instructions(tmp_path: Path):
    async with developed(tmp_path) as inspector:
        await inspector.say("hi", agent="guarded", session="g", principal="ada")
        agent = tmp_path / "agents/guarded/agent.py"
        agent.write_text(agent.read_text().replace("Be brief", "Be long"))
        now = await again(inspector, 1, agent="guarded", session="g")
    assert now["rounds"][0]["request"]["system"] == "Be long with ada."


async def test_what_an_agents_own_code_fails_at_is_noted(tmp_path: Path):
    async with developed(tmp_path) as inspector:
        await inspector.say("hi", agent="guarded", session="g", principal="ada")
        agent = tmp_path / "agents/guarded/agent.py"
        text = agent.read_text().replace("return f", "1 / 0; return f")
        agent.write_text(
            text.replace("access=guard", "access=guard, history=lambda messages: messages[:0]")
        )
        now = await again(inspector, 1, agent="guarded", session="g")
    (only,) = now["rounds"]
    assert only["request"]["messages"] == [{"role": "user", "text": "hi"}]
    assert [note.split(",")[0] for note in now["notes"]] == [
        "instructions failed",
        "history failed",
    ]


async def test_of_an_agent_that_is_broken_now_the_messages_are_shown(tmp_path: Path):
    async with developed(tmp_path) as inspector:
        await inspector.say("add")
        (tmp_path / "agents/demo/agent.py").write_text("1 / 0")
        now = await again(inspector, 1)
    assert [len(r["request"]["messages"]) for r in now["rounds"]] == [1, 3]
    assert "ZeroDivisionError" in now["notes"][0]


async def test_a_message_that_joined_a_turn_is_in_the_round_that_it_joined(tmp_path: Path):
    steered = DEMO.replace('call("add", a=1, b=2)', 'call("wait")').replace(
        "max_rounds=4", 'on_busy="steer"'
    )
    wait = (
        "import asyncio\nfrom pathlib import Path\nfrom litro import tool\n@tool\nasync def wait():\n"
        '    """Wait."""\n    while not (Path(__file__).parent / "gate").exists():\n        await asyncio.sleep(0.01)\n'
    )
    more = {"agents/demo/agent.py": steered, "agents/demo/tools/wait.py": wait}
    async with developed(tmp_path, more) as inspector:
        turn = inspector.app.session("demo", "s1").send("add")
        async for event in turn:
            if event.kind == "tool-start":
                joining = asyncio.create_task(inspector.say("faster"))
            elif event.kind == "queued":
                (tmp_path / "agents/demo/tools/gate").touch()
        await joining
        recorded, rebuilt = await inspector.requests(1), await again(inspector, 1)
    assert [r["request"] for r in rebuilt["rounds"]] == [r["request"] for r in recorded["rounds"]]
    assert recorded["rounds"][1]["request"]["messages"][-1] == {"role": "user", "text": "faster"}


async def test_a_turn_that_was_stopped_has_no_round_behind_its_end(tmp_path: Path):
    more = {"agents/demo/agent.py": DEMO.replace("max_rounds=4", "max_rounds=1")}
    async with developed(tmp_path, more) as inspector:
        await inspector.say("add")
        recorded, rebuilt = await inspector.requests(1), await again(inspector, 1)
    assert (
        [r["round"] for r in recorded["rounds"]] == [r["round"] for r in rebuilt["rounds"]] == [1]
    )


def asked(turn: int, text: str) -> Asked:
    key = SessionKey("demo", "s1")
    session = SessionMeta(key=key, owner=None, created=7, updated=7, tail=0)
    request = ModelRequest(system="", messages=(UserMessage(text),))
    model = scripted(lambda request, turn: [])
    return Asked(session=session, turn=turn, round=1, provider=model, request=request)


def test_only_the_last_requests_are_kept_by_number_and_by_bytes():
    few = Recorder(most=2, most_bytes=10_000)
    for turn in (1, 2, 3):
        few.record(asked(turn, "short"))
    meta = asked(1, "").session
    assert [bool(few.rounds(meta, turn)) for turn in (1, 2, 3)] == [False, True, True]
    few.record(asked(4, "x" * 9_800))
    assert [bool(few.rounds(meta, turn)) for turn in (2, 3, 4)] == [False, False, True]
    few.record(asked(5, "x" * 10_000))
    assert [bool(few.rounds(meta, turn)) for turn in (4, 5)] == [True, False]


def test_a_deleted_sessions_namesake_has_none_of_its_requests():
    recorder = Recorder()
    recorder.record(asked(1, "secret"))
    meta = asked(1, "").session
    later = SessionMeta(key=meta.key, owner=None, created=8, updated=8, tail=0)
    assert recorder.rounds(later, 1) == {}
    assert orjson.loads(recorder.rounds(meta, 1)[1])["source"] == "recorded"
