"""Generations in process: which is served, what is kept for whom, and what is forgotten."""

import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from developing import Project

from litro import create_app
from litro.app import Litro
from litro.errors import BrokenAgent, UnknownAgent

AGENT = """
from litro import Agent
from litro.providers.base import Finished, TextDelta

class Model:
    name = "test"
    async def stream(self, request):
        yield TextDelta("VERSION")
        yield Finished("end")
    async def aclose(self):
        closed.append("VERSION")

closed = __import__("builtins").__dict__.setdefault("litro_closed", [])
agent = Agent(Model())
"""


def modules() -> set[str]:
    return {name.partition(".")[0] for name in sys.modules if name.startswith("litro_project_")}


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[Callable[..., Any]]:
    """Makes an app of files, in development and unwatched."""
    made: list[Litro] = []

    async def make(**settings: Any) -> tuple[Litro, Project]:
        project = Project(tmp_path / "shop", {"agents/demo/agent.py": AGENT})
        made.append(create_app(project.folder, watch=False, **{"development": True} | settings))
        await made[-1].start()
        return made[-1], project

    yield make
    for litro in made:
        await litro.shutdown()


async def say(app: Litro, agent: str = "demo", **how: Any) -> str:
    texts = [
        event.payload["text"]
        async for event in app.session(agent, "s1", **how).send("Hi")
        if event.kind == "text-delta"
    ]
    return "".join(texts)


async def test_after_twenty_reloads_only_what_lives_is_left_of_the_modules(app):
    before = modules()
    litro, project = await app()
    for number in range(20):
        project.write("agents/demo/agent.py", AGENT.replace("VERSION", str(number)))
        assert await litro.reload() == ()
        assert await say(litro) == str(number)
    assert len(modules() - before) == 1
    # A broken generation leaves nothing, and the good one stays.
    project.write("agents/demo/agent.py", "1/0")
    for _ in range(3):
        assert len(await litro.reload()) == 1
    assert len(modules() - before) == 1
    await litro.shutdown()
    assert modules() == before


async def test_a_generation_lives_until_its_last_turn_has_ended(app):
    before = modules()
    litro, project = await app()
    wait = (
        'while not (Path(__file__).parents[2] / "gates/open").exists(): await asyncio.sleep(0.01)'
    )
    project.write(
        "agents/demo/agent.py",
        "import asyncio\nfrom pathlib import Path\n"
        + AGENT.replace("        yield TextDelta", f"        {wait}\n        yield TextDelta"),
    )
    await litro.reload()
    turn = litro.session("demo", "s1").send("Hi")
    await anext(turn)
    project.write("agents/demo/agent.py", AGENT.replace("VERSION", "new"))
    for _ in range(2):
        await litro.reload()
        assert len(modules() - before) == 2
    (project.gates / "open").touch()
    heard = [event async for event in turn]
    assert any(event.payload == {"text": "VERSION"} for event in heard)
    assert await say(litro) == "new"
    assert len(modules() - before) == 1


async def test_the_provider_of_an_old_generation_is_closed_and_the_new_one_s_is_not(app):
    import builtins

    vars(builtins).pop("litro_closed", None)
    litro, project = await app()
    await say(litro)
    project.write("agents/demo/agent.py", AGENT.replace("VERSION", "new"))
    await litro.reload()
    assert await say(litro) == "new"
    assert vars(builtins).pop("litro_closed") == ["VERSION"]


async def test_agents_of_different_generations_are_served_side_by_side(app):
    litro, project = await app()
    project.write("agents/other/agent.py", AGENT.replace("VERSION", "other 1"))
    await litro.reload()
    project.write("agents/demo/agent.py", "1/0")
    project.write("agents/other/agent.py", AGENT.replace("VERSION", "other 2"))
    problems = await litro.reload()
    assert [problem.line for problem in problems] == [1]
    assert (await say(litro), await say(litro, "other")) == ("VERSION", "other 2")


async def test_a_deleted_agent_is_unknown_even_while_another_is_broken(app):
    litro, project = await app()
    project.write("agents/other/agent.py", "1/0")
    (project.folder / "agents/demo/agent.py").unlink()
    (project.folder / "agents/demo").rmdir()
    await litro.reload()
    with pytest.raises(UnknownAgent):
        await say(litro)
    with pytest.raises(BrokenAgent, match=r"other/agent\.py:1: ZeroDivisionError"):
        await say(litro, "other")


async def test_in_production_a_broken_agent_is_told_without_its_problems(app):
    litro, project = await app(development=False)
    project.write("agents/other/agent.py", "secret = 1/0")
    await litro.reload()
    with pytest.raises(BrokenAgent) as told:
        await say(litro, "other")
    assert str(told.value) == "Agent 'other' could not be loaded: the server's log says why."
